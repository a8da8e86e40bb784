import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RowId } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import { callersOf, isAwaited, moveWaiters, noEpochs } from '../read/read.js'
import { type Load, type OwnLoad, waitMsAfter } from './load.js'
import { loadByLease, type Loaded } from './load-rows.js'
import type { LoadedRows } from './loaded-rows.js'
import { itemsOf, type NestedGroup, rowsPerCall } from './nested-groups.js'
import { outsiders, runningCalls, SourceCall } from './source-call.js'

/** What becomes of loads. */
export type LoadHandler<Row, Id> = Pick<
  LoadedRows<Row, Id>,
  'coalesced' | 'waiting' | 'loaded' | 'failed' | 'ended'
>

/** Loads that make up a call of the source. */
interface LoadsOfCall<Row, Id> {
  readonly call: SourceCall
  readonly loads: readonly OwnLoad<Row, Id>[]
  /** Called when what was loaded has been stored. */
  readonly end: () => void
}

/** A call of the source that has ended, or has been given up. */
interface CalledSource<Row, Id> extends Omit<LoadsOfCall<Row, Id>, 'call'> {
  readonly loaded: readonly Loaded<Row>[]
  /** The deadline that has passed; undefined if none has. */
  readonly timedOutMs?: number | undefined
}

/** Ids of one call of a source that has no limit of its own: `in` with five thousand is quick in every database. */
const defaultMaxIds = 5_000

/**
 * Loads rows from the source, under a lease where they are to be stored. The rows of one tick are one call; while all permits
 * are taken, the rows of several ticks are, so that queries grow in size and not in number when the database is slow.
 *
 * If a source loads each id alone, each row of the tick is a call of its own, and delivered as it ends; they share one command for their
 * leases, and the permit.
 *
 * What a source reads from this cache is nested in its call: it uses the permit of that call, one query after the other, and waits for
 * no call that waits for that call.
 */
export class Loader<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #handler: LoadHandler<Row, Id>
  readonly #maxWaits: number
  /** Loads that wait for a permit, and some that nested reads have not let wait. */
  readonly #queue: OwnLoad<Row, Id>[] = []
  /** Loads that are queued, leased or loading. */
  readonly #loads = new Map<RowId, OwnLoad<Row, Id>>()

  constructor(context: CacheContext<Row, Id>, handler: LoadHandler<Row, Id>) {
    this.#context = context
    this.#handler = handler
    this.#maxWaits = waitsIn(context.policy.leaseWaitMs)
  }

  /** Never rejects; the handler gets the outcome of each load. */
  async load(loads: readonly Load<Row, Id>[]): Promise<void> {
    if (loads.length === 0) return
    let fresh = 0
    let nested: NestedGroup<OwnLoad<Row, Id>>[] | undefined
    for (const load of loads) {
      load.read.batch.isMiss = true
      const callers = runningCalls(callersOf(load.read))
      if (callers) this.#nest(load, callers, (nested ??= []))
      else if (!this.#join(load)) {
        this.#loads.set(load.rowId, load)
        this.#queue.push(load)
        fresh++
      }
    }
    const calls = Math.ceil(fresh / this.#maxIds)
    if (calls === 1 && !nested) return this.#loadQueued()
    const loading = calls > 0 ? [this.#loadQueued()] : []
    for (const group of nested ?? []) loading.push(this.#loadNested(group))
    for (let call = 1; call < calls; call++) {
      // Many permits may be free, and the leases of a call take milliseconds.
      await nextTurn()
      loading.push(this.#loadQueued())
    }
    await Promise.all(loading)
  }

  get #maxIds(): number {
    return this.#context.model.source.maxIds ?? defaultMaxIds
  }

  /**
   * Coalesces a load with one of the same row that is queued: that one will see everything that was written before the read.
   *
   * One that has begun may have seen less. The store knows, as it takes the row only if nobody has written it meanwhile. So the
   * read goes back to the store when that load has ended.
   *
   * @returns whether the load needs no call of its own
   */
  #join(load: OwnLoad<Row, Id>): boolean {
    const other = this.#loads.get(load.rowId)
    if (!other) return false
    if (load.read.batch.isBackground && !load.read.others) return true
    const { clock } = this.#context.coherence
    const { read } = load
    if (other.state === 'queued') {
      this.#coalesce(load, other)
      return true
    }
    const willBeStored = other.token !== null && clock.isCurrent(load.rowId, other.since)
    if (!willBeStored || read.epochs.epoch === null || read.waits >= this.#maxWaits) return false
    load.state = 'waiting'
    void other.ended!.then(() => {
      // One deadline is enough: the read loads the row itself, or joins a load that has not begun.
      if (other.call!.isGivenUp) read.waits = this.#maxWaits
      this.#handler.waiting([load], 'filled')
    })
    return true
  }

  #coalesce(load: OwnLoad<Row, Id>, other: OwnLoad<Row, Id>): void {
    // A refresh has no row to serve, and nobody to keep one from.
    if (!isAwaited(other.read)) other.stale = load.stale
    moveWaiters(load.read, other.read)
    // What the store has may be of the time before an own write that it has not taken yet.
    if (load.read.epochs.epoch === null) other.read.epochs = noEpochs
    // One of the two reads may have begun after the row was invalidated.
    if (load.stale?.value !== other.stale?.value) other.stale = undefined
    this.#handler.coalesced(load.read)
  }

  /**
   * Finds out how a row is loaded that calls of sources wait for, which is not for a permit, nor in a circle.
   *
   * @param callers of which one is a call at least
   */
  #nest(
    requested: OwnLoad<Row, Id>,
    callers: readonly SourceCall[],
    groups: NestedGroup<OwnLoad<Row, Id>>[],
  ): void {
    const { rowId } = requested
    const caller = callers.find((each) => each !== outsiders)!
    let again: SourceCall | undefined
    try {
      again = caller.nearestLoading(this.#context.model.name, this, rowId)
    } catch (error) {
      return this.#handler.failed(requested, error)
    }
    const other = this.#loads.get(rowId)
    let load = requested
    if (other?.state === 'queued') {
      this.#coalesce(load, other)
      load = other
    } else if (again || callers.some((each) => other?.call!.leadsTo(each))) {
      // A call that waits for a caller loads the row, perhaps for another row than the caller does. Its lease is not waited for.
      load.read.waits = this.#maxWaits
      if (!other) this.#loads.set(rowId, load)
    } else if (this.#join(load)) {
      for (const each of callers) each.await(other!.call!)
      return
    } else this.#loads.set(rowId, load)
    itemsOf(groups, caller, again).push(load)
  }

  /** Loads what is queued when it gets a permit, which may have grown meanwhile, or be nothing. */
  readonly #loadQueued = async (): Promise<void> => {
    const { permits } = this.#context.runtime
    const called = await permits.execute(() => this.#callSource(this.#queue, this.#maxIds))
    if (called) await this.#end(called)
  }

  /** Loads what a call of a source waits for, one part after the other: all of them use the permit of that call. */
  async #loadNested(group: NestedGroup<OwnLoad<Row, Id>>): Promise<void> {
    const most = rowsPerCall(group, this.#maxIds)
    while (group.items.length > 0) {
      const called = await this.#callSource(group.items, most, group.caller)
      if (called) await this.#end(called)
    }
  }

  /**
   * Calls the source for the first of a queue, as many as it takes. If it loads each id alone, each call is ended here, as the others may
   * take longer.
   *
   * @returns the call that is to be ended; undefined if there is none, also as other calls have taken all loads
   */
  async #callSource(
    queue: OwnLoad<Row, Id>[],
    most: number,
    caller?: SourceCall,
  ): Promise<CalledSource<Row, Id> | undefined> {
    const queued = takeQueued(queue, most)
    if (queued.length === 0) return undefined
    if (!this.#context.model.source.isEachAlone) {
      const loads = this.#together(queued, queue, caller)
      await this.#lease(queued)
      return this.#run(loads)
    }
    const alone = queued.map((load) => this.#together([load], queue, caller))
    await this.#lease(queued)
    await Promise.all(alone.map(async (load) => this.#end(await this.#run(load))))
    return undefined
  }

  /** Makes loads that have left a queue one call. The calls that wait for their rows wait for it. */
  #together(
    loads: readonly OwnLoad<Row, Id>[],
    queue: readonly OwnLoad<Row, Id>[],
    caller: SourceCall | undefined,
  ): LoadsOfCall<Row, Id> {
    const callers = caller && new Set(loads.flatMap(({ read }) => callersOf(read) ?? outsiders))
    const call = new SourceCall(this.#context.model.name, this, loads, caller, callers && [...callers])
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    for (const load of loads) {
      load.state = 'leased'
      load.call = call
      load.ended = ended
      callersOf(load.read)?.forEach((each) => each.await(call))
    }
    // The others of a nested queue wait for this call, too.
    if (caller) for (const { read } of queue) callersOf(read)?.forEach((each) => each.await(call))
    return { call, loads, end }
  }

  /** Calls the source for the loads that have not left the call. */
  async #run({ call, end, loads: queued }: LoadsOfCall<Row, Id>): Promise<CalledSource<Row, Id>> {
    const { coherence, model, runtime } = this.#context
    const loads = queued.filter(({ state }) => state === 'leased')
    if (loads.length === 0) return { loads, loaded: [], end }
    // What was written before is read. A write of this process that has just returned is released while its row is read again.
    const since = coherence.clock.now()
    const { pending } = coherence
    for (const load of loads) {
      load.state = 'loading'
      // A write whose fence has not reached the store may commit after the source has been read.
      if (pending.isEmpty || !pending.has(load.rowId)) load.since = since
    }
    const { timeoutMs } = runtime.permits
    const isCommitted = model.source.watchLoad?.()
    const loaded = await call
      .run(() => loadByLease(model, loads, () => call.isWanted), timeoutMs)
      .catch((error: unknown) => loads.map(() => ({ error })))
    if (isCommitted?.() === false) for (const { read } of loads) read.epochs = noEpochs
    return { loads, loaded, end, timedOutMs: call.isGivenUp ? timeoutMs : undefined }
  }

  async #end({ end, loaded, loads, timedOutMs }: CalledSource<Row, Id>): Promise<void> {
    const { runtime, telemetry } = this.#context
    this.#count(loads, loaded)
    if (timedOutMs !== undefined) telemetry.observer.load('timed_out', timedOutMs / 1_000, loads.length)
    const readAtMs = performance.now()
    const endOne = (load: OwnLoad<Row, Id>, i: number): void => this.#endOne(load, loaded[i]!, readAtMs)
    await runtime.slicer.each(loads, endOne, (seconds) => telemetry.observer.syncSeconds('encode', seconds))
    void this.#handler.ended().then(end)
  }

  /** Takes leases. Loads whose rows other processes load leave their calls. */
  async #lease(queued: readonly OwnLoad<Row, Id>[]): Promise<void> {
    const { coherence, telemetry } = this.#context
    const waiting: Record<'leased' | 'filled', OwnLoad<Row, Id>[]> = { leased: [], filled: [] }
    const take = async (loads: readonly OwnLoad<Row, Id>[], onlyAbsent: boolean): Promise<void> => {
      const answers = await coherence.leases.take(loads, onlyAbsent, leaseUntilOf(loads))
      let refused = 0
      for (const [i, load] of loads.entries()) {
        const { token, refusal } = answers[i]!
        if (token !== null) load.token = token
        else if (load.read.batch.isBackground && !load.read.others) {
          // Nobody waits for the row, and it could not be stored.
          this.#leave(load)
        } else if ((refusal === 'leased' || refusal === 'filled') && load.read.waits < this.#maxWaits) {
          this.#leave(load)
          waiting[refusal].push(load)
        } else refused++
      }
      if (refused > 0) telemetry.observer.fills('not_leased', refused)
    }
    const storable = queued.filter(({ read }) => read.epochs.epoch !== null)
    const replacing = storable.filter(({ replaces }) => replaces)
    const absent = replacing.length === 0 ? storable : storable.filter(({ replaces }) => !replaces)
    if (replacing.length === 0) await take(absent, true)
    else await Promise.all([take(absent, true), take(replacing, false)])
    for (const refusal of ['leased', 'filled'] as const)
      if (waiting[refusal].length > 0) this.#handler.waiting(waiting[refusal], refusal)
  }

  /** Takes a load out of its call of the source. */
  #leave(load: OwnLoad<Row, Id>): void {
    this.#forget(load)
    load.state = 'waiting'
  }

  #endOne(load: OwnLoad<Row, Id>, loaded: Loaded<Row>, readAtMs: number): void {
    this.#forget(load)
    if ('error' in loaded) {
      load.state = 'failed'
      this.#handler.failed(load, loaded.error)
    } else {
      load.state = 'delivered'
      this.#handler.loaded(load, loaded.row, readAtMs)
    }
  }

  #forget(load: OwnLoad<Row, Id>): void {
    if (this.#loads.get(load.rowId) === load) this.#loads.delete(load.rowId)
  }

  #count(loads: readonly OwnLoad<Row, Id>[], loaded: readonly Loaded<Row>[]): void {
    const { model, telemetry } = this.#context
    let failed = 0
    let notFound = 0
    for (let i = 0; i < loads.length; i++) {
      const outcome = loaded[i]!
      if ('row' in outcome) notFound += outcome.row === null ? 1 : 0
      else if (model.source.isAnswer?.(outcome.error, loads[i]!.read.id)) notFound++
      else failed++
    }
    const found = loads.length - failed - notFound
    if (failed > 0) telemetry.observer.reads('source', 'error', failed)
    if (notFound > 0) telemetry.observer.reads('source', 'not_found', notFound)
    if (found > 0) telemetry.observer.reads('source', 'hit', found)
  }
}

/** Takes loads out of a queue, without those that another call has taken. */
function takeQueued<Row, Id>(queue: OwnLoad<Row, Id>[], most: number): readonly OwnLoad<Row, Id>[] {
  const taken: OwnLoad<Row, Id>[] = []
  let i = 0
  for (; i < queue.length && taken.length < most; i++) if (queue[i]!.state === 'queued') taken.push(queue[i]!)
  queue.splice(0, i)
  return taken
}

/** Until when all of them may be leased: they have nearly always been read at once. */
function leaseUntilOf(loads: readonly Load<unknown, unknown>[]): number | undefined {
  let untilMs: number | undefined
  for (const { read } of loads) {
    const { leaseUntilMs } = read.epochs
    if (leaseUntilMs !== undefined && leaseUntilMs < (untilMs ?? Infinity)) untilMs = leaseUntilMs
  }
  return untilMs
}

/** How many waits make up a time. */
function waitsIn(timeMs: number): number {
  let waits = 0
  for (let sumMs = 0; sumMs < timeMs; waits++) sumMs += waitMsAfter(waits)
  return waits
}
