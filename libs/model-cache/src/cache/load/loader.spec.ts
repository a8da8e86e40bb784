import { Slicer } from '@model-cache/event-loop/internal'
import { eventuallyEqual, turns } from '../../../../../test/support/eventually.js'
import type { Leases, RowId } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import { InvalidationClock } from '../invalidation-clock.js'
import {
  addCallers,
  addWaiter,
  backgroundRead,
  type Epochs,
  moveWaiters,
  newBatch,
  newRead,
  noEpochs,
  type Read,
} from '../read/read.js'
import { silentObserver } from '../telemetry/observer.js'
import { type Load, newLoad, waitMsAfter } from './load.js'
import { createLoadPermits } from './load-permits.js'
import { Loader, type LoadHandler } from './loader.js'
import { currentCalls, SourceCall } from './source-call.js'

interface Lot {
  readonly id: string
}
const epochs: Epochs = { epoch: 'e', existence: 'x' }

interface Opened {
  readonly permits?: number
  readonly timeoutMs?: number
  readonly maxIds?: number
  readonly isEachAlone?: boolean
}

/** A loader, of whose parts the permits and the slicer are real. */
function open({ permits = 8, timeoutMs = 60_000, maxIds = 100, isEachAlone = false }: Opened = {}) {
  const clock = new InvalidationClock()
  const cachePermits = createLoadPermits(permits, timeoutMs).ofCache()
  const events: string[] = []
  const counts: unknown[][] = []
  const calls: string[] = []
  const asked: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const state = {
    /** By id: how the next lease is refused. */
    refusals: {} as Record<string, string>,
    isCommitted: undefined as boolean | undefined,
  }
  const leaseOf = (rowId: RowId): Awaited<ReturnType<Leases['take']>>[number] => {
    const refusal = state.refusals[String(rowId)]
    delete state.refusals[String(rowId)]
    return (
      refusal === undefined ? { token: `lease of ${rowId}`, refusal: null } : { token: null, refusal }
    ) as never
  }
  const handler: LoadHandler<Lot, string> = {
    loaded: ({ read, token }) => events.push(`${read.id} loaded: ${token}`),
    coalesced: ({ id }) => events.push(`${id} coalesced`),
    waiting: (loads, refusal) => events.push(`${loads.map(({ read }) => read.id)} ${refusal}`),
    failed: ({ read }, error) => events.push(`${read.id} failed: ${(error as Error).message}`),
    ended: async () => void events.push('ended'),
  }
  const context = {
    model: {
      name: 'Lot',
      keys: { rowIdOf: ({ id }: Lot) => id },
      source: {
        maxIds,
        isEachAlone,
        load: async (ids: readonly string[]): Promise<Lot[]> => {
          calls.push(ids.join())
          await gates.get(ids.join())?.promise
          // As a source does that reads a cache.
          currentCalls()
          return ids.map((id) => ({ id }))
        },
        mayBlameOneId: () => false,
        isAnswer: (error: Error) => error.message === 'no row',
        get watchLoad() {
          return state.isCommitted === undefined ? undefined : () => () => state.isCommitted!
        },
      },
    },
    policy: { leaseWaitMs: 1_000 },
    runtime: { permits: cachePermits, slicer: new Slicer({ budgetMs: 1_000 }) },
    coherence: {
      pending: { isEmpty: true },
      clock,
      leases: {
        take: async (loads: readonly { rowId: RowId }[], onlyAbsent: boolean) => {
          asked.push(`${loads.map(({ rowId }) => rowId)} ${onlyAbsent ? 'absent' : 'any'}`)
          return loads.map(({ rowId }) => leaseOf(rowId))
        },
      },
    },
    telemetry: {
      observer: {
        ...silentObserver.forModel('Lot'),
        reads: (...args: unknown[]) => counts.push(args),
        load: (...args: unknown[]) => counts.push(args),
        fills: (...args: unknown[]) => counts.push(args),
        syncSeconds: (operation: string) => counts.push([operation]),
      },
    },
  } as unknown as CacheContext<Lot, string>
  const loader = new Loader(context, handler)
  const readOf = (id: string, of: Epochs = epochs): Read<Lot, string> =>
    Object.assign(newRead<Lot, string>(id, id, clock.now(), newBatch()), { key: id, epochs: of })
  const made: Load<Lot, string>[] = []
  const loadReads = (reads: readonly Read<Lot, string>[]): Promise<void> => {
    const loads = reads.map((read) => newLoad(read))
    made.push(...loads)
    return loader.load(loads)
  }
  const load = (...ids: string[]): Promise<void> => loadReads(ids.map((id) => readOf(id)))
  const loadNested = (callers: readonly SourceCall[], ...reads: Read<Lot, string>[]): Promise<void> => {
    for (const read of reads) addCallers(read, callers)
    return loadReads(reads)
  }
  /** The call of the source that loads a row now. */
  const callLoading = (id: string): SourceCall =>
    made.find(({ rowId, state }) => rowId === id && state === 'loading')!.call!
  /** Holds back the call of the source for these ids. */
  const hold = (ids: string) => {
    const gate = Promise.withResolvers<void>()
    gates.set(ids, gate)
    return { release: gate.resolve, fail: (message: string) => gate.reject(new Error(message)) }
  }
  /** Takes a permit until it is returned. */
  const takePermit = (): (() => void) => {
    const busy = Promise.withResolvers<void>()
    void cachePermits.execute(() => busy.promise)
    return busy.resolve
  }
  const records = { events, counts, calls, asked }
  return { ...records, loader, clock, state, readOf, load, loadNested, callLoading, hold, takePermit }
}
const callOf = (cache: string): SourceCall => new SourceCall(cache, {}, [{ rowId: cache }])

it('loads count once more if their deadline passes', async () => {
  const { counts, events, hold, load } = open({ timeoutMs: 20 })
  hold('a,b')
  await load('a', 'b')
  expect(events[0]).toMatch(/^a failed: .*20 ms/)
  expect(counts).toEqual([['source', 'error', 2], ['timed_out', 0.02, 2], ['encode']])
})

it('loads that fail as there is no row count as such, and not as errors', async () => {
  const { counts, events, hold, load } = open({ isEachAlone: true })
  const [missing, broken] = [hold('a'), hold('b')]
  const loading = load('a', 'b')
  missing.fail('no row')
  broken.fail('no table')
  await loading
  expect(events.filter((event) => event !== 'ended')).toEqual(['a failed: no row', 'b failed: no table'])
  expect(counts.filter(([layer]) => layer === 'source')).toEqual([
    ['source', 'not_found', 1],
    ['source', 'error', 1],
  ])
})

describe('the leases of a call', () => {
  it('let a refresh load a row that a reader has waited for', async () => {
    const { calls, load, loader, readOf, state } = open()
    state.refusals = { a: 'leased' }
    await load('a')
    await loader.load([newLoad(backgroundRead(readOf('a')), true)])
    expect(calls).toEqual(['a'])
  })
})

describe('ids that are each loaded alone', () => {
  it('share a lease command and a permit, and end each by itself', async () => {
    const { asked, calls, counts, events, hold, load } = open({ permits: 1, isEachAlone: true })
    const [slow, broken] = [hold('a'), hold('b')]
    const loading = load('a', 'b', 'c')
    const next = load('d')
    broken.fail('no table')
    await eventuallyEqual(() => events, ['b failed: no table', 'ended', 'c loaded: lease of c', 'ended'])
    expect([asked, calls]).toEqual([['a,b,c absent'], ['a', 'b', 'c']])
    expect(counts).toContainEqual(['source', 'error', 1])
    slow.release()
    await Promise.all([loading, next])
    expect(calls).toEqual(['a', 'b', 'c', 'd'])
  })

  it('have a deadline each, past which the others keep their leases', async () => {
    const { counts, events, hold, load } = open({ timeoutMs: 20, isEachAlone: true })
    hold('a')
    await load('a', 'b')
    expect(events).toEqual([
      'b loaded: lease of b',
      'ended',
      expect.stringMatching(/^a failed: .*20 ms/),
      'ended',
    ])
    expect(counts).toContainEqual(['timed_out', 0.02, 1])
  })

  it('are waited for each by its own callers', async () => {
    const { callLoading, calls, hold, loadNested, readOf } = open({ isEachAlone: true })
    const [one, other] = [callOf('one'), callOf('other')]
    const holds = [hold('a'), hold('b')]
    const [a, b] = [readOf('a'), readOf('b')]
    addCallers(b, [one, other])
    const loading = loadNested([one], a, b)
    await eventuallyEqual(() => calls, ['a', 'b'])
    expect([one, other].map((call) => ['a', 'b'].map((id) => call.leadsTo(callLoading(id))))).toEqual([
      [true, true],
      [false, true],
    ])
    for (const { release } of holds) release()
    await loading
  })

  it('are stored only if what they have read is committed, each by itself', async () => {
    const { hold, loader, readOf, state, calls } = open({ isEachAlone: true })
    state.isCommitted = true
    const { release } = hold('b')
    const reads = [readOf('a'), readOf('b')]
    const loading = loader.load(reads.map((read) => newLoad(read)))
    await eventuallyEqual(() => calls.length, 2)
    await turns(2)
    state.isCommitted = false
    release()
    await loading
    expect(reads.map((read) => read.epochs)).toEqual([epochs, noEpochs])
  })
})

describe('a load of a row that is being loaded', () => {
  it.each([
    ['that one has no lease', { a: 'fenced' }, epochs],
    ['it may not read the store', {}, noEpochs],
  ])('is one of its own if %s', async (_, refusals, of) => {
    const { calls, hold, load, loader, readOf, state } = open()
    state.refusals = refusals as Record<string, string>
    const { release } = hold('a')
    const loading = load('a')
    await eventuallyEqual(() => calls.length, 1)
    const second = loader.load([newLoad(readOf('a', of))])
    await eventuallyEqual(() => calls.length, 2)
    release()
    await Promise.all([loading, second])
  })

  it('is the one that others wait for, also when the first has ended', async () => {
    const { calls, clock, events, hold, load } = open()
    const first = hold('a')
    const loading = [load('a')]
    await eventuallyEqual(() => calls.length, 1)
    clock.advance('a')
    const second = hold('a')
    loading.push(load('a'))
    await eventuallyEqual(() => calls.length, 2)
    first.release()
    await eventuallyEqual(() => events.length, 2)
    await load('a')
    expect(calls).toHaveLength(2)
    second.release()
    await Promise.all(loading)
    await eventuallyEqual(() => events.at(-1), 'a filled')
  })
})

it('a refresh that waits for a permit may serve the stale row of the read that joins it first, and of others with the same', async () => {
  const { load, loader, readOf, takePermit } = open({ permits: 1 })
  const free = takePermit()
  const refresh = newLoad(backgroundRead(readOf('a')), true)
  const loading = loader.load([refresh])
  const stale = { row: { id: 'a' }, value: 'expired' }
  const join = () => loader.load([newLoad(readOf('a'), true, { ...stale })])
  for (let i = 0; i < 2; i++) {
    await join()
    expect(refresh.stale).toEqual(stale)
  }
  await load('a')
  expect(refresh.stale).toBeUndefined()
  await join()
  expect(refresh.stale).toBeUndefined()
  free()
  await loading
})

it('a refresh has a queued load deliver to the callers who joined it, if there are any', async () => {
  const { loader, readOf, takePermit } = open({ permits: 1 })
  const free = takePermit()
  const read = readOf('a')
  const loading = loader.load([newLoad(read)])
  await loader.load([newLoad(backgroundRead(readOf('a')))])
  expect(read.others).toBeUndefined()
  const [joined, refresh] = [readOf('a'), backgroundRead(readOf('a'))]
  const caller = Promise.withResolvers<Lot | null>()
  addWaiter(joined, caller)
  moveWaiters(joined, refresh)
  await loader.load([newLoad(refresh)])
  expect(read.others).toContain(caller)
  free()
  await loading
})

describe('nested loads', () => {
  it('need no permit, and are calls in sequence, for all of which their callers wait', async () => {
    const { callLoading, calls, hold, loadNested, readOf, takePermit } = open({ permits: 1, maxIds: 1 })
    const free = takePermit()
    const [caller, second, stranger] = [callOf('caller'), callOf('second'), callOf('stranger')]
    const { release } = hold('a')
    const [a, b] = [readOf('a'), readOf('b')]
    addCallers(b, [caller, second])
    const loading = loadNested([caller], a, b)
    await eventuallyEqual(() => calls.length, 1)
    const callOfA = callLoading('a')
    expect([caller, second, stranger].map((call) => call.leadsTo(callOfA))).toEqual([true, true, false])
    release()
    await loading
    expect(calls).toEqual(['a', 'b'])
    free()
  })

  it('leave alone what a call of the queue has taken meanwhile', async () => {
    const { calls, events, hold, load, loadNested, readOf, takePermit } = open({ permits: 1, maxIds: 1 })
    const free = takePermit()
    const queued = load('b')
    const { release } = hold('a')
    const nested = loadNested([callOf('caller')], readOf('a'), readOf('b'))
    await eventuallyEqual(() => calls.length, 1)
    free()
    await queued
    release()
    await nested
    expect(calls).toEqual(['a', 'b'])
    expect(events.filter((text) => text.startsWith('b '))).toEqual(['b coalesced', 'b loaded: lease of b'])
  })

  it.each([
    ['for a call that loads the row among others', true],
    ['for any other call', false],
  ])('are what others wait for, too (%s)', async (_, isAgain) => {
    const { calls, events, hold, load, loadNested, loader, readOf } = open()
    const { release } = hold('a')
    const requested = [{ rowId: 'a' }, { rowId: 'b' }]
    const caller = isAgain ? new SourceCall('Lot', loader, requested) : callOf('caller')
    const nested = loadNested([caller], readOf('a'))
    await eventuallyEqual(() => calls.length, 1)
    await load('a')
    await turns(2)
    expect(calls).toEqual(['a'])
    release()
    await nested
    await eventuallyEqual(() => events.at(-1), 'a filled')
  })

  it('go on for a read that has joined one in their queue, when their caller has been given up', async () => {
    const { calls, events, hold, load, loadNested, readOf } = open({ maxIds: 1 })
    const caller = callOf('caller')
    const { release } = hold('a')
    const nested = loadNested([caller], readOf('a'), readOf('b'))
    await eventuallyEqual(() => calls, ['a'])
    await load('b')
    await caller.run(() => new Promise(() => {}), 1).catch(() => {})
    release()
    await nested
    expect(events).toEqual([
      'b coalesced',
      expect.stringMatching(/^a failed: .*"caller".* deadline of 1 ms/),
      'ended',
      'b loaded: lease of b',
      'ended',
    ])
  })

  it('have their callers wait for them, and not for other calls of the queue that they were in', async () => {
    const opened = open({ permits: 1, maxIds: 1 })
    const { callLoading, calls, hold, load, loadNested, readOf, takePermit } = opened
    const free = takePermit()
    const queued = [load('a'), load('b')]
    const holds = [hold('a'), hold('b')]
    const caller = callOf('caller')
    const nested = loadNested([caller], readOf('b'))
    await eventuallyEqual(() => calls, ['b'])
    free()
    await eventuallyEqual(() => calls, ['b', 'a'])
    expect(['b', 'a'].map((id) => caller.leadsTo(callLoading(id)))).toEqual([true, false])
    for (const { release } of holds) release()
    await Promise.all([nested, ...queued])
  })
})

it.each([
  [0, 5],
  [1, 10],
  [2, 20],
  [3, 40],
  [4, 50],
  [1_000, 50],
])('waits longer each time, and 50 ms at most (%d times before: %d ms)', (waits, ms) => {
  expect(waitMsAfter(waits)).toBe(ms)
})
