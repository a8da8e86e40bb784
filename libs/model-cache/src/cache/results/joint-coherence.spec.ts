import { jest } from '@jest/globals'
import { emptySnapshot, type RegisterSnapshot } from '../../protocol/index.js'
import { InvalidationClock } from '../invalidation-clock.js'
import { jointCoherence } from './joint-coherence.js'
import type { ResultCoherence } from './result-register.js'

/** The coherence of one model, whose register says what it is given. */
function part(snapshot: Partial<RegisterSnapshot> = {}) {
  const clock = new InvalidationClock()
  const state: { snapshot: RegisterSnapshot; pending: number | 'all'; joiningForMs: number } = {
    snapshot: { epoch: 'e', existence: 'x', mayFill: true, losses: 0, ...snapshot },
    pending: 0,
    joiningForMs: 0,
  }
  const heard = new InvalidationClock()
  const coherence = {
    clock: {
      now: () => [clock.now(), heard.now()],
      isCurrent: (row: string, since: [number, number]) => clock.isCurrent(row, since[0]),
      isHeld: (row: string, since: [number, number]) => heard.isCurrent(row, since[1]),
    },
    leases: {},
    backplane: undefined,
    pending: {
      get isEmpty() {
        return state.pending === 0
      },
      get size() {
        return state.pending
      },
      has: () => state.pending !== 0,
    },
    register: {
      fingerprints: ['f'],
      losses: 3,
      get joiningForMs() {
        return state.joiningForMs
      },
      read: async () => state.snapshot,
      readForLoaded: async () => state.snapshot,
    },
  } as unknown as ResultCoherence
  return { clock, heard, state, coherence }
}

const jointOf = (...parts: readonly ReturnType<typeof part>[]): ResultCoherence =>
  jointCoherence(parts.map(({ coherence }) => coherence) as [ResultCoherence, ...ResultCoherence[]])

it('is that of the model where there is one', () => {
  const one = part()
  expect(jointOf(one)).toBe(one.coherence)
})

it.each(['read', 'readForLoaded'] as const)(
  'has the epochs of all registers, in their order: %s',
  async (read) => {
    const joint = jointOf(
      part({ epoch: 'a', leaseUntilMs: 20 }),
      part({ epoch: 'b', leaseUntilMs: 10, losses: 1 }),
    )
    const epoch = 'a.b'
    expect(await joint.register[read]()).toEqual({
      epoch,
      existence: epoch,
      mayFill: true,
      leaseUntilMs: 10,
      losses: 0,
    })
  },
)

it('has no epoch while one register has none', async () => {
  expect(await jointOf(part(), part({ epoch: null })).register.read()).toBe(emptySnapshot)
})

it('lets nothing be stored while one register does not', async () => {
  const { mayFill } = await jointOf(part(), part({ mayFill: false })).register.read()
  expect(mayFill).toBe(false)
})

it('joins as long as the last of them', () => {
  const [one, other] = [part(), part()]
  other.state.joiningForMs = 500
  const { register } = jointOf(one, other)
  expect(register.joiningForMs).toBe(500)
  expect(register.fingerprints).toEqual(['f'])
  expect(register.losses).toBe(3)
})

it('is of the same time only while no model has been invalidated', () => {
  const [one, other] = [part(), part()]
  const { clock } = jointOf(one, other)
  const [before, since] = [clock.now(), clock.now()]
  expect(clock.isCurrent('any', since)).toBe(true)
  other.clock.advanceAll()
  expect(clock.isCurrent('any', since)).toBe(false)
  expect(clock.isCurrent('any', clock.now())).toBe(true)
  one.clock.advanceAll()
  expect([before, since].map((time) => clock.isCurrent('any', time))).toEqual([false, false])
  // Each knows what ends it: the rows of one value, for example.
  const { coherence } = one
  const ofRow = {
    ...coherence.clock,
    isCurrent: (_: unknown, since: never) => coherence.clock.isCurrent('a', since),
  }
  const joined = jointCoherence([{ ...coherence, clock: ofRow }, other.coherence])
  const now = joined.clock.now()
  one.clock.advance('b')
  expect(joined.clock.isCurrent('any', now)).toBe(true)
  one.clock.advance('a')
  expect(joined.clock.isCurrent('any', now)).toBe(false)
})

it('may be held only while nothing was heard of any model', () => {
  const [one, other] = [part(), part()]
  const { clock } = jointOf(one, other)
  const since = clock.now()
  one.clock.advanceAll()
  expect(clock.isHeld('any', since)).toBe(true)
  other.heard.advanceAll()
  expect([clock.isHeld('any', since), clock.isHeld('any', clock.now())]).toEqual([false, true])
})

it('hears of writes while it hears of those to each model', () => {
  const heard = { isUp: true, start: jest.fn() }
  const backplanes = [heard, heard, undefined, { isUp: false, start: jest.fn() }]
  const joined = (count: number): ResultCoherence['backplane'] =>
    jointCoherence(
      backplanes.slice(0, count).map((backplane) => ({ ...part().coherence, backplane })) as never,
    ).backplane
  expect([joined(3)!.isUp, joined(4)!.isUp]).toEqual([true, false])
  joined(4)!.start()
  expect(backplanes.map((each) => each?.start.mock.calls.length)).toEqual([1, 1, undefined, 1])
})

it('is pending while one model is', () => {
  const [one, other] = [part(), part()]
  const { pending } = jointOf(one, other)
  expect([pending.isEmpty, pending.size, pending.has('any')]).toEqual([true, 0, false])
  other.state.pending = 'all'
  expect([pending.isEmpty, pending.size, pending.has('any')]).toEqual([false, 'all', true])
})
