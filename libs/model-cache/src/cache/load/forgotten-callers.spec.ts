import { setTimeout as delay } from 'node:timers/promises'
import { type } from 'arktype'
import { bindDefinition } from '../../definitions/bind-definition.js'
import { StoreError } from '../../errors.js'
import { MemoryStore, type Store } from '../../protocol/index.js'
import { createTestCache, rowFinder } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'
import { createLoadPermits } from './load-permits.js'

interface Lot {
  id: string
  slug: string
  auction: string
}

/** Rows expire, are refreshed ahead, and are served stale, all of it often. */
const definition = defineModelCache<Lot>()({
  model: 'Lot',
  schema: type({ id: 'string', slug: 'string', auction: 'string' }),
  id: 'id',
  ttl: '300ms',
  refreshAhead: '250ms',
  staleFor: '200ms',
  notFoundTtl: '100ms',
  unique: { ofSlug: 'slug' },
  lists: { ofAuction: { by: 'auction', orderBy: { id: 'asc' } } },
})
const consistency = { leaseMs: 200, leaseWaitMs: 100, fenceMs: 500, mode: 'available' } as const
const PROCESSES = 3
const CALLERS = 40
const LOTS = 6
const RUN_MS = 5_000
/** Longer than any read takes, on however busy a machine. */
const PATIENCE_MS = 60_000

/** The same numbers in every run; when they are asked for depends on timers. */
const random = {
  state: 20_261_123,
  next(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0
    return this.state / 2 ** 32
  },
  integer: (least: number, most: number): number => least + Math.floor(random.next() * (most - least + 1)),
  chance: (probability: number): boolean => random.next() < probability,
  pick: <T>(items: readonly T[]): T => items[Math.floor(random.next() * items.length)]!,
}
const pause = (mostMs: number) => delay(random.integer(0, mostMs))

/** A database that is slow, and fails at times, and a store that does. */
class Outages {
  part = 0

  check(part: number): void {
    if (random.chance(part)) throw new StoreError('shaky', 'failed')
  }

  /** What the store has done may be unknown to the caller. */
  shake(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        const call = member.bind(target) as (...args: unknown[]) => unknown
        if (!/Many|change|askCatalogue|release/.test(String(name))) return call
        return async (...args: unknown[]) => {
          if (random.chance(0.5)) await pause(3)
          this.check(this.part)
          const reply = await call(...args)
          if (random.chance(0.5)) await pause(3)
          this.check(this.part)
          return reply
        }
      },
    })
  }
}

it('answers every caller, whoever else loads, refreshes and invalidates the rows that it waits for', async () => {
  const lots = Array.from({ length: LOTS }, (_, n): Lot => ({
    id: `${n}`,
    slug: `s${n}`,
    auction: `${n % 2}`,
  }))
  const outages = new Outages()
  const slowly = async <T>(answer: () => T): Promise<T> => {
    await pause(40)
    outages.check(outages.part / 4)
    return answer()
  }
  const find = rowFinder(bindDefinition(definition, undefined).lookups)
  const source = {
    load: (ids: readonly string[]) =>
      slowly(() => lots.filter(({ id }) => ids.includes(id)).map((lot) => ({ ...lot }))),
    find: (query: Parameters<typeof find>[1]) => slowly(() => find(lots, query)),
    mayBlameOneId: () => false,
  }
  const memory = new MemoryStore()
  const caches = Array.from({ length: PROCESSES }, () => {
    // Loads queue up, so that reads join them.
    const loads = createLoadPermits(1)
    return createTestCache(definition, [], { store: outages.shake(memory), source, loads, consistency }).cache
  })
  const calls = [
    () => random.pick(caches).get(`${random.integer(0, LOTS)}`),
    () => random.pick(caches).getMany(['0', '1', `${random.integer(0, LOTS)}`]),
    () => random.pick(caches).getBy('ofSlug', `s${random.integer(0, LOTS)}`),
    () => random.pick(caches).list('ofAuction', `${random.integer(0, 2)}`),
    () => random.pick(caches).invalidate(`${random.integer(0, LOTS)}`),
  ]
  let [answered, forgotten] = [0, 0]
  const end = performance.now() + RUN_MS
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const answer = random
        .pick(calls)()
        .then(
          () => true,
          () => true,
        )
      if (await Promise.race([answer, delay(PATIENCE_MS, false, { ref: false })])) answered++
      else forgotten++
      if (random.chance(0.01)) outages.part = random.pick([0, 0.2])
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  expect(forgotten).toBe(0)
  expect(answered).toBeGreaterThan(CALLERS)
})
