import type { RowId } from '../../consistency/row-id.js'
import type { CachePolicy, Coherence, ModelContext, Runtime, Telemetry } from '../context.js'
import { moveWaiters, type Read } from '../read/read.js'
import type { Load, OwnLoad } from './load.js'
import { loadRows, type Loaded } from './load-rows.js'

/** What becomes of loads. */
export interface LoadHandler<Row, Id> {
  /** The read joined a load that has not begun, which will deliver to its waiters. */
  coalesced(read: Read<Row, Id>): void
  /** Another process loads the rows (`'leased'`), or they have been stored since the store was read (`'filled'`). */
  waiting(loads: readonly Load<Row, Id>[], refusal: 'leased' | 'filled'): void
  /** The source has the row, or null for none. Called in time slices. */
  loaded(load: Load<Row, Id>, row: Row | null): void
  failed(load: Load<Row, Id>, error: unknown): void
  /** Called after the last row of a call of the source. Resolves when what is to be stored has been. */
  ended(): Promise<void>
}

export interface LoaderDependencies<Row, Id> {
  readonly model: Pick<ModelContext<Row, Id>, 'name' | 'keys' | 'source'>
  readonly policy: Pick<CachePolicy, 'leaseWaitMs'>
  readonly runtime: Pick<Runtime, 'permits' | 'slicer'>
  readonly coherence: Pick<Coherence, 'clock' | 'leases'>
  readonly telemetry: Pick<Telemetry<Id>, 'observer'>
  readonly handler: LoadHandler<Row, Id>
}

/** Ids of one call of a source that has no limit of its own: `in` with five thousand is quick in every database. */
const defaultMaxIds = 5_000

/** Milliseconds between two reads of a row that another process loads: at first, doubled each time, and at most. */
const firstWaitMs = 5
const longestWaitMs = 50

/**
 * Loads rows from the source, under a lease where they are to be stored. The rows of one tick are one call; while all permits
 * are taken, the rows of several ticks are, so that queries grow in size and not in number when the database is slow.
 */
export class Loader<Row, Id> {
  readonly #dependencies: LoaderDependencies<Row, Id>
  readonly #maxWaits: number
  #queue: OwnLoad<Row, Id>[] = []
  /** Loads that are queued, leased or loading. */
  readonly #loads = new Map<RowId, OwnLoad<Row, Id>>()

  constructor(dependencies: LoaderDependencies<Row, Id>) {
    this.#dependencies = dependencies
    this.#maxWaits = waitsIn(dependencies.policy.leaseWaitMs)
  }

  /** Never rejects; the handler gets the outcome of each load. */
  async load(loads: readonly Load<Row, Id>[]): Promise<void> {
    if (loads.length === 0) return
    for (const { read } of loads) read.batch.isMiss = true
    const fresh = loads.filter((load) => !this.#join(load))
    for (const load of fresh) this.#loads.set(load.rowId, load)
    this.#queue.push(...fresh)
    const calls = Math.ceil(fresh.length / this.#maxIds)
    if (calls === 1) await this.#loadQueued()
    else await Promise.all(Array.from({ length: calls }, this.#loadQueued))
  }

  get #maxIds(): number {
    return this.#dependencies.model.source.maxIds ?? defaultMaxIds
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
    const { clock } = this.#dependencies.coherence
    const { handler } = this.#dependencies
    const { read } = load
    if (other.state === 'queued') {
      moveWaiters(read, other.read)
      // One of the two reads may have begun after the row was invalidated.
      if (load.stale?.value !== other.stale?.value) other.stale = undefined
      handler.coalesced(read)
      return true
    }
    const willBeStored = other.token !== null && clock.isCurrent(load.rowId, other.since)
    if (!willBeStored || read.epochs.epoch === null || read.waits >= this.#maxWaits) return false
    load.state = 'waiting'
    void other.ended!.then(() => handler.waiting([load], 'filled'))
    return true
  }

  /** Loads what is queued when it gets a permit, which may have grown meanwhile, or be nothing. */
  readonly #loadQueued = async (): Promise<void> => {
    const { model, runtime, telemetry, handler } = this.#dependencies
    const ended = Promise.withResolvers<void>()
    let loads: readonly OwnLoad<Row, Id>[] = []
    let loaded: readonly Loaded<Row>[] = []
    await runtime.permits.execute(async () => {
      const queued = this.#queue.splice(0, this.#maxIds)
      if (queued.length === 0) return
      for (const load of queued) {
        load.state = 'leased'
        load.ended = ended.promise
      }
      loads = await this.#lease(queued)
      if (loads.length === 0) return
      for (const load of loads) load.state = 'loading'
      loaded = await loadRows(
        model,
        loads.map(({ read }) => read),
      )
    })
    this.#count(loaded)
    const end = (load: OwnLoad<Row, Id>, i: number): void => this.#end(load, loaded[i]!)
    await runtime.slicer.each(loads, end, (seconds) => telemetry.observer.syncSeconds('encode', seconds))
    void handler.ended().then(ended.resolve)
  }

  /** @returns the loads that call the source, with a lease or without */
  async #lease(queued: readonly OwnLoad<Row, Id>[]): Promise<readonly OwnLoad<Row, Id>[]> {
    const { coherence, handler, telemetry } = this.#dependencies
    const waiting: Record<'leased' | 'filled', OwnLoad<Row, Id>[]> = { leased: [], filled: [] }
    const take = async (loads: readonly OwnLoad<Row, Id>[], onlyAbsent: boolean): Promise<void> => {
      const answers = await coherence.leases.take(loads, onlyAbsent)
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
      if (waiting[refusal].length > 0) handler.waiting(waiting[refusal], refusal)
    return queued.filter(({ state }) => state === 'leased')
  }

  /** Takes a load out of its call of the source. */
  #leave(load: OwnLoad<Row, Id>): void {
    this.#forget(load)
    load.state = 'waiting'
  }

  #end(load: OwnLoad<Row, Id>, loaded: Loaded<Row>): void {
    this.#forget(load)
    if ('error' in loaded) {
      load.state = 'failed'
      this.#dependencies.handler.failed(load, loaded.error)
    } else {
      load.state = 'delivered'
      this.#dependencies.handler.loaded(load, loaded.row)
    }
  }

  #forget(load: OwnLoad<Row, Id>): void {
    if (this.#loads.get(load.rowId) === load) this.#loads.delete(load.rowId)
  }

  #count(loaded: readonly Loaded<Row>[]): void {
    const { observer } = this.#dependencies.telemetry
    const failed = loaded.filter((outcome) => 'error' in outcome).length
    const notFound = loaded.filter((outcome) => 'row' in outcome && outcome.row === null).length
    const found = loaded.length - failed - notFound
    if (failed > 0) observer.reads('source', 'error', failed)
    if (notFound > 0) observer.reads('source', 'not_found', notFound)
    if (found > 0) observer.reads('source', 'hit', found)
  }
}

/** How long a read waits for another process, in milliseconds, after so many waits. */
export function waitMsAfter(waits: number): number {
  return Math.min(firstWaitMs * 2 ** waits, longestWaitMs)
}

/** How many waits make up a time. */
function waitsIn(timeMs: number): number {
  let waits = 0
  for (let sumMs = 0; sumMs < timeMs; waits++) sumMs += waitMsAfter(waits)
  return waits
}
