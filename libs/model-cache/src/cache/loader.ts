import type { Leases } from '../consistency/leases.js'
import type { Slicer } from '../event-loop/slicer.js'
import type { Source } from '../source/source.js'
import type { Loaded } from './isolating-load.js'
import { loadIsolating } from './isolating-load.js'
import type { RowId } from '../consistency/row-id.js'
import type { KeySpace } from '../consistency/key-space.js'
import type { LoadPermits } from './load-permits.js'
import type { ModelObserver } from './observer.js'
import type { Read } from './read.js'
import { joinRead, loadOf } from './read.js'
import type { InvalidationClock } from './invalidation-clock.js'

export interface LoaderParts<Row, Id> {
  readonly name: string
  readonly keys: KeySpace<Row, Id>
  readonly source: Source<Row, Id>
  /** Bounds the loads of all models together. */
  readonly loads: LoadPermits
  readonly leases: Leases
  /** How often a read waits for another's load, at most. */
  readonly maxWaits: number
  readonly slicer: Slicer
  readonly clock: InvalidationClock
  readonly observer: ModelObserver
  /** Told of a read that another read's load will answer. */
  readonly onJoined: (read: Read<Row, Id>) => void
  /** Takes reads of rows that others load just now, or have stored since the store was asked. */
  readonly onHeld: (reads: readonly Read<Row, Id>[], refusal: 'leased' | 'filled') => void
  /** Takes a row, or null for none; one after the other, in slices. */
  readonly onLoaded: (read: Read<Row, Id>, row: Row | null) => void
  readonly onFailed: (read: Read<Row, Id>, error: unknown) => void
  /** After the last row of a load; resolves when what is to be stored has been. */
  readonly onEnd: () => Promise<void>
}

interface Outcome<Row, Id> {
  readonly read: Read<Row, Id>
  readonly loaded: Loaded<Row>
}

/** Ids of one call of a source that does not say how many it takes; five thousand `in` one query are quick in every database. */
const defaultMaxIds = 5_000

/**
 * Loads rows from the source, under a lease where they are to be stored: those of one tick together, and when all permits are
 * taken, those of several ticks, so that queries grow in size and not in number while the database is slow.
 */
export class Loader<Row, Id> {
  readonly #parts: LoaderParts<Row, Id>
  #queued: Read<Row, Id>[] = []
  /** Queued, or under way. */
  readonly #loading = new Map<RowId, Read<Row, Id>>()

  constructor(parts: LoaderParts<Row, Id>) {
    this.#parts = parts
  }

  /** Never rejects; each read is told its own outcome. */
  async load(reads: readonly Read<Row, Id>[]): Promise<void> {
    if (reads.length === 0) return
    const fresh = reads.filter((read) => !this.#join(read))
    for (const read of fresh) this.#loading.set(read.rowId, read)
    this.#queued.push(...fresh)
    await Promise.all(Array.from({ length: Math.ceil(fresh.length / this.#maxIds) }, this.#loadQueued))
  }

  /** Whether a row is queued or being loaded. */
  isLoading(rowId: RowId): boolean {
    return this.#loading.has(rowId)
  }

  get #maxIds(): number {
    return this.#parts.source.maxIds ?? defaultMaxIds
  }

  /**
   * Lets a read wait for a load of the same row. Joins one that has not begun: it will see all that has been written before the read.
   * One that has begun may have seen less; whether it has, the store knows, which takes its row only if nobody has
   * written it meanwhile. So the read asks the store again when that load is over.
   */
  #join(read: Read<Row, Id>): boolean {
    const other = this.#loading.get(read.rowId)
    if (!other) return false
    const { over, since, token } = loadOf(other)
    if (!over) {
      joinRead(read, other)
      this.#parts.onJoined(read)
      return true
    }
    const isStored = token !== null && this.#parts.clock.isUntouched(read.rowId, since)
    if (!isStored || read.standing.epoch === null || loadOf(read).waits >= this.#parts.maxWaits) return false
    void over.then(() => this.#parts.onHeld([read], 'filled'))
    return true
  }

  /** Loads what is queued when a permit is there; that may be more than was then asked for, or nothing any more. */
  readonly #loadQueued = async (): Promise<void> => {
    const { keys, loads, name, observer, onEnd, slicer, source } = this.#parts
    const over = Promise.withResolvers<void>()
    const outcomes = await loads.execute(async () => {
      const queued = this.#queued.splice(0, this.#maxIds)
      if (queued.length === 0) return []
      for (const read of queued) loadOf(read).over = over.promise
      const reads = await this.#lease(queued)
      if (reads.length === 0) return []
      const loaded = await loadIsolating(source, keys, reads, name)
      return reads.map((read, i): Outcome<Row, Id> => ({ read, loaded: loaded[i]! }))
    })
    this.#count(outcomes)
    await slicer.each(outcomes, this.#answer, (seconds) => observer.syncSeconds('encode', seconds))
    void onEnd().then(over.resolve)
  }

  /** @returns the reads that are to be loaded, with a lease or without */
  async #lease(queued: readonly Read<Row, Id>[]): Promise<readonly Read<Row, Id>[]> {
    const { leases, onHeld, observer } = this.#parts
    const held: Record<'leased' | 'filled', Read<Row, Id>[]> = { leased: [], filled: [] }
    const take = async (reads: readonly Read<Row, Id>[], onlyAbsent: boolean): Promise<void> => {
      const leased = await leases.take(reads.map(loadOf), onlyAbsent)
      let refused = 0
      for (const [i, read] of reads.entries()) {
        const { token, refusal } = leased[i]!
        if (token !== null) {
          loadOf(read).token = token
          continue
        }
        if (read.batch.isBackground && !read.others) {
          // Nobody waits for it, and it could not be stored.
          this.#forget(read)
          continue
        }
        if (refusal === 'leased' || refusal === 'filled') {
          if (loadOf(read).waits < this.#parts.maxWaits) {
            this.#forget(read)
            held[refusal].push(read)
            continue
          }
        }
        refused++
      }
      if (refused > 0) observer.fills('not_leased', refused)
    }
    const storable = queued.filter(({ standing }) => standing.epoch !== null)
    const { replacing = [], absent = [] } = Object.groupBy(storable, (read) =>
      loadOf(read).isReplacing ? 'replacing' : 'absent',
    )
    await Promise.all([take(absent, true), take(replacing, false)])
    for (const refusal of ['leased', 'filled'] as const)
      if (held[refusal].length > 0) onHeld(held[refusal], refusal)
    return queued.filter((read) => loadOf(read).over !== undefined)
  }

  /** It is not loaded now; if it comes back, it waits for a load anew. */
  #forget(read: Read<Row, Id>): void {
    if (this.#loading.get(read.rowId) === read) this.#loading.delete(read.rowId)
    loadOf(read).over = undefined
  }

  readonly #answer = ({ read, loaded }: Outcome<Row, Id>): void => {
    if (this.#loading.get(read.rowId) === read) this.#loading.delete(read.rowId)
    if ('error' in loaded) this.#parts.onFailed(read, loaded.error)
    else this.#parts.onLoaded(read, loaded.row)
  }

  #count(outcomes: readonly Outcome<Row, Id>[]): void {
    const failed = outcomes.filter(({ loaded }) => 'error' in loaded).length
    const absent = outcomes.filter(({ loaded }) => 'row' in loaded && loaded.row === null).length
    const { observer } = this.#parts
    if (failed > 0) observer.reads('source', 'error', failed)
    if (absent > 0) observer.reads('source', 'not_found', absent)
    if (failed + absent < outcomes.length) observer.reads('source', 'hit', outcomes.length - failed - absent)
  }
}
