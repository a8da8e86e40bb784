import type { Slicer } from '../event-loop/slicer.js'
import type { Source } from '../source/source.js'
import type { Loaded } from './isolating-load.js'
import { loadIsolating } from './isolating-load.js'
import type { Identity, KeySpace } from './key-space.js'
import type { LoadPermits } from './load-permits.js'
import type { ModelObserver } from './observer.js'
import type { Read } from './read.js'
import { joinRead } from './read.js'
import type { Stamps } from './stamps.js'

export interface LoaderParts<Row, Id> {
  readonly name: string
  readonly keys: KeySpace<Row, Id>
  readonly source: Source<Row, Id>
  /** Bounds the loads of all models together. */
  readonly loads: LoadPermits
  readonly slicer: Slicer
  readonly stamps: Stamps
  readonly observer: ModelObserver
  /** Told of a read that another read's load will answer. */
  readonly onJoined: (read: Read<Row, Id>) => void
  /** Takes a row, or null for none; one after the other, in slices. */
  readonly onLoaded: (read: Read<Row, Id>, row: Row | null) => void
  readonly onFailed: (read: Read<Row, Id>, error: unknown) => void
  /** After the last row of a load. */
  readonly onEnd: () => void
}

interface Outcome<Row, Id> {
  readonly read: Read<Row, Id>
  readonly loaded: Loaded<Row>
}

/** Ids of one call of a source that does not say how many it takes; five thousand `in` one query are quick in every database. */
const defaultMaxIds = 5_000

/**
 * Loads rows from the source: those of one tick together, and when all permits are taken, those of several ticks, so that queries
 * grow in size and not in number while the database is slow.
 */
export class Loader<Row, Id> {
  readonly #parts: LoaderParts<Row, Id>
  #queued: Read<Row, Id>[] = []
  /** Queued, or under way. */
  readonly #loading = new Map<Identity, Read<Row, Id>>()

  constructor(parts: LoaderParts<Row, Id>) {
    this.#parts = parts
  }

  /** Never rejects; each read is told its own outcome. */
  async load(reads: readonly Read<Row, Id>[]): Promise<void> {
    const fresh = reads.filter((read) => !this.#join(read))
    for (const read of fresh) this.#loading.set(read.identity, read)
    this.#queued.push(...fresh)
    await Promise.all(Array.from({ length: Math.ceil(fresh.length / this.#maxIds) }, this.#loadQueued))
  }

  get #maxIds(): number {
    return this.#parts.source.maxIds ?? defaultMaxIds
  }

  /** Lets a read wait for a load of the same row, unless the row has been invalidated since that was asked for. */
  #join(read: Read<Row, Id>): boolean {
    const load = this.#loading.get(read.identity)
    if (!load || !this.#parts.stamps.isUntouched(read.identity, load.since)) return false
    joinRead(read, load)
    this.#parts.onJoined(read)
    return true
  }

  /** Loads what is queued when a permit is there; that may be more than was then asked for, or nothing any more. */
  readonly #loadQueued = async (): Promise<void> => {
    const { keys, loads, name, observer, onEnd, slicer, source } = this.#parts
    const outcomes = await loads.execute(async () => {
      const reads = this.#queued.splice(0, this.#maxIds)
      if (reads.length === 0) return []
      const loaded = await loadIsolating(source, keys, reads, name)
      return reads.map((read, i): Outcome<Row, Id> => ({ read, loaded: loaded[i]! }))
    })
    this.#count(outcomes)
    await slicer.each(outcomes, this.#answer, (seconds) => observer.syncSeconds('encode', seconds))
    onEnd()
  }

  readonly #answer = ({ read, loaded }: Outcome<Row, Id>): void => {
    if (this.#loading.get(read.identity) === read) this.#loading.delete(read.identity)
    if ('error' in loaded) this.#parts.onFailed(read, loaded.error)
    else this.#parts.onLoaded(read, loaded.row)
  }

  #count(outcomes: readonly Outcome<Row, Id>[]): void {
    const failed = outcomes.filter(({ loaded }) => 'error' in loaded).length
    const absent = outcomes.filter(({ loaded }) => 'row' in loaded && loaded.row === null).length
    const { observer } = this.#parts
    if (failed > 0) observer.reads('source', 'error', failed)
    if (absent > 0) observer.reads('source', 'absent', absent)
    if (failed + absent < outcomes.length) observer.reads('source', 'hit', outcomes.length - failed - absent)
  }
}
