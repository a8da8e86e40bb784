import {
  emptySnapshot,
  guardOf,
  type Marker,
  markerEpoch,
  markerStart,
  type RegisterSnapshot,
  type Store,
} from '../../protocol/index.js'

export interface MarkersOptions {
  readonly store: Pick<Store, 'getManyBytes' | 'ensureMarkers'>
  readonly fingerprint: string
  readonly ttlMs: number
}

/** The snapshot of a register as the rows of one value have it: with the epoch of their marker, or empty if there can be none. */
export type SnapshotOfValue = (reading: Promise<RegisterSnapshot>) => Promise<RegisterSnapshot>

/** The markers that stand for the rows of one value of a field. */
export class Markers {
  readonly #options: MarkersOptions
  #batch: MarkerBatch | undefined

  constructor(options: MarkersOptions) {
    this.#options = options
  }

  /**
   * Returns what reads the marker of one value, in one command with the register, and has the store make it if there is none.
   *
   * @param mayStore whether a marker may be stored now
   */
  readerOf(key: string, mayStore: () => boolean): SnapshotOfValue {
    const { fingerprint, store, ttlMs } = this.#options
    const guard = guardOf(key)
    return async (reading) => {
      // What is loaded after this is stored under a marker that was there before the load.
      const [snapshot, [value]] = await Promise.all([reading, store.getManyBytes([key])])
      if (snapshot.existence === null) return emptySnapshot
      const start = markerStart(fingerprint, snapshot.existence)
      let epoch = markerEpoch(value, start)
      if (epoch === undefined && snapshot.mayFill && mayStore())
        epoch = markerEpoch(await this.#ensure({ key, guard, start, ttlMs }, snapshot.leaseUntilMs), start)
      return epoch === undefined ? emptySnapshot : { ...snapshot, epoch, existence: epoch }
    }
  }

  /** Has the store make the markers that the reads of one turn lack, in one command. Never rejects. */
  async #ensure(marker: Marker, untilMs = Infinity): Promise<string | null> {
    const batch = (this.#batch ??= this.#open())
    batch.untilMs = Math.min(batch.untilMs, untilMs)
    const id = marker.start + marker.key
    batch.markers.set(id, marker)
    return (await batch.found).get(id) ?? null
  }

  /** Reads that begin while it is on its way do not wait for it: it may have been made before a write that they have to see. */
  #open(): MarkerBatch {
    const batch: MarkerBatch = {
      markers: new Map(),
      untilMs: Infinity,
      found: Promise.resolve().then(() => this.#send(batch)),
    }
    return batch
  }

  async #send({ markers, untilMs }: MarkerBatch): Promise<ReadonlyMap<string, string | null>> {
    this.#batch = undefined
    const until = untilMs === Infinity ? undefined : untilMs
    const found = await this.#options.store.ensureMarkers([...markers.values()], until).catch(() => [])
    return new Map(Array.from(markers.keys(), (id, i) => [id, found[i] ?? null]))
  }
}

interface MarkerBatch {
  readonly markers: Map<string, Marker>
  untilMs: number
  readonly found: Promise<ReadonlyMap<string, string | null>>
}
