import { jest } from '@jest/globals'
import { FenceError } from '../../errors.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { MemoryStore } from '../backend/memory-store.js'
import type {
  Announcement,
  ChangedRegister,
  Fence,
  FenceRelease,
  GuardedKey,
  Messages,
  RegisterChange,
} from '../backend/store.js'
import { Backplane } from '../backplane.js'
import { FenceSet } from './fence-set.js'
import type { ConsistencySettings } from '../settings.js'
import { RowFences } from './row-fences.js'
import type { RowId } from '../format/row-id.js'

/** Records the commands for rows, and may forbid to announce them. */
class RecordingStore extends FlakyStore {
  readonly commands: unknown[] = []
  readonly announced: string[] = []
  mayAnnounce = true

  override fenceMany(keys: readonly GuardedKey[], fence: Fence) {
    this.#record('fence', keys, { ...fence, ms: fence.fenceMs })
    return super.fenceMany(keys, fence).then(() => this.mayAnnounce)
  }
  override releaseFences(keys: readonly GuardedKey[], release: FenceRelease) {
    this.#record('release', keys, { ...release, ms: release.holdMs })
    return super.releaseFences(keys, release).then(() => this.mayAnnounce)
  }
  override async change(key: string, change: RegisterChange): Promise<ChangedRegister> {
    if ('announcement' in change) this.#announce(change.announcement)
    return { ...(await super.change(key, change)), isAnnounced: this.mayAnnounce }
  }
  #record(
    command: string,
    keys: readonly GuardedKey[],
    { token, ms, markMs, announcement }: (Fence | FenceRelease) & { readonly ms: number },
  ): void {
    this.commands.push([command, keys.map(({ key }) => key).join(' '), token, ms, markMs])
    this.#announce(announcement)
  }
  #announce(announcement: Announcement | undefined): void {
    if (announcement) this.announced.push(announcement.message.replace(/^[^;]*;/, ''))
  }
}

const keyOf = (row: RowId, fingerprint: string) => ({
  key: `${row}:${fingerprint}`,
  guard: `${row}:${fingerprint}:l`,
})

interface Options extends Partial<ConsistencySettings> {
  /** Whether the store has announcements. */
  announces?: boolean
  fingerprints?: string[]
  /** Fingerprints that appear when the process looks for others. */
  later?: string[]
}

function open({ announces = true, fingerprints = ['p'], later = [], ...settings }: Options = {}) {
  const store = new RecordingStore(new MemoryStore())
  const messages: Messages = {
    publish: async () => {},
    subscribe: async () => {},
    unsubscribe: async () => {},
  }
  const written: unknown[] = []
  const observed: unknown[] = []
  const logged: string[] = []
  const log = { warn: (text: string) => logged.push(text), info: () => {} }
  const nothing = () => {}
  let refreshes = 0
  const writes = new RowFences({
    name: 'Lot',
    store,
    keys: { guardedKeyOf: keyOf },
    registerKey: 'register',
    backplane: announces
      ? new Backplane({
          name: 'Lot',
          channel: 'written',
          messages,
          listener: { onRows: nothing, onAll: nothing, onNotFound: nothing },
          log,
        })
      : undefined,
    fingerprints: {
      current: () => fingerprints,
      refresh: async () => {
        refreshes++
        fingerprints = [...fingerprints, ...later.splice(0)]
      },
    },
    consistency: {
      mode: 'available',
      fenceMs: 30_000,
      leaseMs: 5_000,
      leaseWaitMs: 0,
      replicaLagMs: 100,
      replicas: 0,
      ...settings,
    },
    listener: {
      onWritten: (rows, source) => written.push([...rows, source]),
      onAllWritten: (scope) => written.push(scope),
    },
    observer: {
      fences: (outcome, count) => observed.push([outcome, count]),
      fenceSeconds: (seconds) => observed.push(['seconds', seconds]),
      slowCommits: (count) => observed.push(['slow', count]),
      unknownWrites: (reason) => observed.push(reason),
    },
    log,
  })
  return { writes, store, written, observed, logged, refreshes: () => refreshes }
}

describe('the fence of rows', () => {
  it('is of all fingerprints, announced with it, and drops what the process holds before and after', async () => {
    const { writes, store, written, observed } = open({ fingerprints: ['p', 'q'] })
    await writes.fence(['a', 'b'], 'token')
    expect(store.commands).toEqual([['fence', 'a:p b:p a:q b:q', 'token', 30_000, 5_000]])
    expect(store.announced).toEqual(['1;["a","b"]'])
    expect(written).toEqual([
      ['a', 'b', 'client'],
      ['a', 'b', 'client'],
    ])
    expect(observed).toEqual([['fenced', 2]])
    expect(writes.pending.isEmpty).toBe(true)
  })

  it.each(['available', 'strict'] as const)(
    'that the store does not take is pending, in %s mode',
    async (mode) => {
      const { writes, store, written, observed } = open({ mode })
      store.fail('fenceMany')
      const error = await writes.fence(['a'], 'token').then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error instanceof FenceError).toBe(mode === 'strict')
      expect([writes.pending.has('a'), writes.pending.has('b')]).toEqual([true, false])
      expect([observed, written.length]).toEqual([[['store_error', 1]], 2])
      await writes.stop()
      expect([writes.pending.isEmpty, store.commands.at(-1)]).toEqual([
        true,
        ['release', 'a:p', '', 0, 5_000],
      ])
    },
  )

  it.each(['fence', 'release'] as const)(
    'warns once if the store does not permit to announce it (%s)',
    async (call) => {
      const { writes, store, logged } = open()
      await writes.fence(['a'], 'token')
      await writes.release(['a'], 'token')
      expect(logged).toEqual([])
      store.mayAnnounce = false
      for (let i = 0; i < 2; i++) await writes[call](['a'], 'token')
      expect(logged).toHaveLength(1)
    },
  )

  it.each([true, false])(
    'needs no announcements, whether the store may have them or not: %s',
    async (may) => {
      const { writes, store, observed, logged } = open({ announces: false })
      store.mayAnnounce = may
      await writes.fence(['a'], 'token')
      await writes.release(['a'], 'token')
      await writes.fenceAll('token', 'all')
      await writes.releaseAll('token', 'all')
      expect([observed, logged, store.announced]).toEqual([
        [
          ['fenced', 1],
          ['released', 1],
        ],
        [],
        [],
      ])
      expect(writes.pending.isEmpty).toBe(true)
    },
  )

  it('leaves out rows whose ids are too long to be stored', async () => {
    const { writes, store, written } = open()
    const long = 'x'.repeat(100_000)
    await writes.fence(['a', long, 'b'], 'token')
    await writes.release([long, 'b'], 'token')
    expect(store.commands.map((command) => (command as string[])[1])).toEqual(['a:p b:p', 'b:p'])
    expect(written.flat()).not.toContain('all')
  })
})

describe('the release of rows', () => {
  it.each([
    ['known', 'released', 100],
    ['unknown', 'unknown_end', 30_100],
  ] as const)(
    'after an %s end holds them for the lag of replicas, or for another fence',
    async (end, outcome, ms) => {
      const { writes, store, written, observed, refreshes } = open({ later: ['q'] })
      const released = writes.release(['a'], 'token', end, 'log')
      expect(written).toEqual([['a', 'log']])
      await released
      expect([store.commands, store.announced]).toEqual([
        [['release', 'a:p', 'token', ms, 5_000]],
        ['1;~["a"]'],
      ])
      expect([written.length, observed]).toEqual([2, [[outcome, 1]]])
      // The fence has looked for other fingerprints.
      expect(refreshes()).toBe(0)
    },
  )

  it('without a fence looks for other fingerprints', async () => {
    const { writes, store } = open({ later: ['q'] })
    await writes.release(['a'], '')
    expect(store.commands.map((command) => (command as string[])[1])).toEqual(['a:p', 'a:q'])
  })

  it.each(['rows', 'all rows'])(
    'of %s whose fence was not taken is pending, whatever the store has taken before the end',
    async (what) => {
      const { writes, store } = open()
      const long = 'x'.repeat(100_000)
      store.fail('fenceMany', 'change')
      if (what === 'rows') await writes.fence(['a'], 'token')
      else await writes.fenceAll('token', 'all')
      store.recover()
      await writes.settled()
      expect(writes.pending.has('a')).toBe(false)
      const released =
        what === 'rows' ? writes.release(['a', long], 'token') : writes.releaseAll('token', 'all')
      expect([writes.pending.has('a'), writes.pending.size]).toEqual([true, what === 'rows' ? 1 : 'all'])
      await released
      await writes.settled()
      expect(writes.pending.isEmpty).toBe(true)
    },
  )

  it('whose fence was not taken is pending while the write is held, and held as long as a fence', async () => {
    const { writes, store, written } = open()
    store.fail('fenceMany')
    await writes.fence(['a'], 'token')
    store.recover()
    await writes.settled()
    writes.hold(['b'], 'other')
    expect([writes.pending.isEmpty, written.length]).toEqual([true, 2])
    writes.hold(['a'], 'token')
    expect([writes.pending.has('a'), written.length]).toEqual([true, 3])
    await writes.settled()
    const [command, key, token, holdMs] = store.commands.at(-1) as [string, string, string, number]
    expect([command, key, token]).toEqual(['release', 'a:p', ''])
    expect(holdMs).toBeGreaterThan(20_000)
  })

  it('that the store does not take is pending, and held as long', async () => {
    const { writes, store, written, observed } = open()
    store.fail('releaseFences')
    await writes.release(['a'], 'token', 'unknown')
    expect([writes.pending.has('a'), observed, written.length]).toEqual([true, [['store_error', 1]], 2])
    store.recover()
    await writes.stop()
    const [command, key, token, holdMs] = store.commands.at(-1) as [string, string, string, number]
    expect([command, key, token]).toEqual(['release', 'a:p', ''])
    expect(holdMs).toBeGreaterThan(20_000)
  })
})

describe('the fence of unknown rows', () => {
  it.each([
    ['all', '*'],
    ['existence', '-'],
  ] as const)('of scope %s is in the register, and announced, until it is released', async (scope, text) => {
    const { writes, store, written } = open()
    const fencesOf = async () => (await store.getMany(['register']))[0]!.split(';')[scope === 'all' ? 4 : 5]
    await writes.fenceAll('token', scope)
    expect(await fencesOf()).toMatch(/^token@/)
    expect([store.announced, written]).toEqual([[`1;${text}`], [scope, scope]])
    await writes.releaseAll('token', scope)
    expect(await fencesOf()).toMatch(/^held@/)
    expect([store.announced, written]).toEqual([[`1;${text}`, `2;${text}`], Array(4).fill(scope)])
    expect(writes.pending.isEmpty).toBe(true)
  })

  it.each(['available', 'strict'] as const)(
    'that the store does not take is pending, in %s mode',
    async (mode) => {
      const { writes, store, written, observed } = open({ mode })
      store.fail('change')
      const error = await writes.fenceAll('token', 'all').then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error instanceof FenceError).toBe(mode === 'strict')
      expect([writes.pending.size, observed, written.length]).toEqual(['all', [['store_error', 1]], 2])
      store.recover()
      await writes.stop()
      expect([writes.pending.isEmpty, store.announced]).toEqual([true, ['1;*', '2;*']])
    },
  )

  it('is pending if its release is not taken', async () => {
    const { writes, store, observed, written } = open()
    store.fail('change')
    const released = writes.releaseAll('token', 'existence', 'unknown')
    expect(written).toEqual(['existence'])
    await released
    expect([writes.pending.size, observed, written.length]).toEqual(['all', [['store_error', 1]], 2])
    store.recover()
    await writes.stop()
    const [, until] = (await store.getMany(['register']))[0]!.split(';')[4]!.split('@')
    expect(Number(until) - Date.now()).toBeGreaterThan(20_000)
  })
})

it('a write is slow if it takes more than half of the time that its fence stands', () => {
  const { writes, observed } = open({ fenceMs: 30_000 })
  writes.observeFence(15)
  writes.observeFence(15.001)
  writes.observeUnbounded()
  expect(observed).toEqual([['seconds', 15], ['seconds', 15.001], ['slow', 1], 'unbounded'])
})

describe('the fences of a write', () => {
  it('are of each row once, before and after its end', async () => {
    const { writes, store, observed } = open()
    const fences = new FenceSet('log')
    expect([fences.isEmpty, fences.isFenced, fences.isOver]).toEqual([true, true, false])
    fences.markWritten(writes, ['a', 'b'])
    expect([fences.isEmpty, fences.isFenced]).toEqual([false, false])
    await fences.fence()
    expect(fences.isFenced).toBe(true)
    fences.markWritten(writes, ['b', 'c'])
    expect(fences.isFenced).toBe(false)
    await fences.fence()
    await fences.fence()
    await fences.end()
    expect(store.commands.map((command) => (command as string[]).slice(0, 2))).toEqual([
      ['fence', 'a:p b:p'],
      ['fence', 'c:p'],
      ['release', 'a:p b:p c:p'],
    ])
    const [, , , seconds] = observed as [string, number][]
    expect([fences.isOver, seconds![0], seconds![1] >= 0 && seconds![1] < performance.now() / 1_000]).toEqual(
      [true, 'seconds', true],
    )
    expect(store.announced.at(-1)).toBe('3;~["a","b","c"]')
    await fences.settled()
  })

  it('are of unknown rows once for each scope', async () => {
    const { writes, store } = open()
    const fences = new FenceSet()
    const marked = (['existence', 'existence', 'all', 'all', 'existence'] as const).map((scope) =>
      fences.markAllWritten(writes, scope),
    )
    expect([marked, fences.isFenced]).toEqual([[true, false, true, false, false], false])
    await fences.fence()
    await fences.fence()
    expect(store.announced).toEqual(['1;-', '2;*'])
    await fences.end()
    expect(store.announced).toHaveLength(4)
  })

  it('are settled once the store has taken their release, and never if the process ends before', async () => {
    const { writes, store } = open()
    const fences = new FenceSet()
    fences.markWritten(writes, ['a'])
    store.fail('releaseFences')
    await fences.end()
    const settled = fences.settled()
    await writes.stop()
    await expect(settled).rejects.toThrow('the process ends')
  })
})

describe('the change of a register', () => {
  it.each([
    ['that had no fence', '', 0, 2],
    ['after which rows are held', 'token', 1, 2],
    ['of a fence, which a replica may have until its deadline', 'token', 0, 0],
  ])('of a release %s is acknowledged by replicas, or need not be', async (_, token, holdMs, replicas) => {
    const { writes, store } = open({ announces: false, replicas: 2, replicaLagMs: holdMs })
    const changing = jest.spyOn(store, 'change')
    await writes.fenceAll('token', 'all')
    await writes.releaseAll(token, 'existence')
    expect(changing.mock.calls.map(([, change]) => change)).toEqual([
      { kind: 'fence', scope: 'all', token: 'token', fenceMs: 30_000, markMs: 5_000, replicas: 2 },
      { kind: 'release', scope: 'existence', token, holdMs, markMs: 5_000, replicas },
    ])
  })
})
