import type { Codec } from '../codec/codec.js'
import { EncodeError } from '../errors.js'
import type { Store, StoreEntry } from '../store/store.js'
import { sealEnvelope } from './envelope.js'
import type { Identity } from './key-space.js'
import type { LargeRows } from './large-rows.js'
import type { ModelObserver } from './observer.js'
import type { Stamps } from './stamps.js'

export interface FillerParts<Row> {
  readonly name: string
  readonly ttlMs: number
  readonly absentTtlMs: number
  readonly codec: Codec<Row>
  readonly store: Store
  readonly stamps: Stamps
  readonly largeRows: LargeRows
  readonly observer: ModelObserver
  readonly warn: (message: string) => void
  /** Keeps the end of the process waiting. */
  readonly track: (work: Promise<void>) => Promise<void>
}

/** What a row is written for: whose it is, its key, and since when invalidations of it count. */
export interface Fill {
  readonly identity: Identity
  readonly key: string
  readonly since: number
}

/** Entries of one call of the store: few enough for their commands to be made in a fraction of a turn's budget. */
const entriesPerCall = 64

/** Writes rows to the store. What cannot be written is counted, and never thrown at who loaded it. */
export class Filler<Row> {
  readonly #parts: FillerParts<Row>
  #entries: { readonly fill: Fill; readonly entry: StoreEntry }[] = []
  readonly #sending = new Set<Promise<void>>()
  #warnedOfRefusal = false

  constructor(parts: FillerParts<Row>) {
    this.#parts = parts
  }

  /**
   * Makes an entry of a row, or of null for none, and sends entries when there are enough of them.
   *
   * @param epoch null where the row must not be written
   * @returns the row as text; undefined for one that does not match its schema, which is not written
   */
  add(fill: Fill, row: Row | null, epoch: string | null): string | undefined {
    let text: string
    try {
      text = this.#parts.codec.encode(row)
    } catch (error) {
      this.#refuse(error)
      return undefined
    }
    const { absentTtlMs, ttlMs } = this.#parts
    if (epoch !== null) this.addText(fill, text, epoch, row === null ? absentTtlMs : ttlMs)
    return text
  }

  /** Like {@link add}, of a row that is text already. */
  addText(fill: Fill, text: string, epoch: string, ttlMs: number): void {
    const { codec, largeRows, observer } = this.#parts
    const value = sealEnvelope(codec.fingerprint, epoch, Date.now(), text)
    observer.payloadBytes(Buffer.byteLength(value))
    largeRows.notice(value.length)
    if (ttlMs > 0) this.#entries.push({ fill, entry: { key: fill.key, value, ttlMs } })
    if (this.#entries.length >= entriesPerCall) void this.flush()
  }

  /**
   * Sends what has been added, except rows that were invalidated meanwhile; resolves when all that has been sent is written,
   * or not.
   */
  async flush(): Promise<void> {
    const { observer, stamps, track } = this.#parts
    const current = this.#entries.filter(({ fill }) => stamps.isUntouched(fill.identity, fill.since))
    const outdated = this.#entries.length - current.length
    this.#entries = []
    if (outdated > 0) observer.fills('outdated', outdated)
    // Sent in the call that asked the stamps: an invalidation that comes later is sent later.
    if (current.length > 0) {
      const sending = track(this.#send(current.map(({ entry }) => entry)))
      this.#sending.add(sending)
      void sending.then(() => this.#sending.delete(sending))
    }
    await Promise.all(this.#sending)
  }

  async #send(entries: readonly StoreEntry[]): Promise<void> {
    const { observer, store } = this.#parts
    try {
      await store.setMany(entries)
      observer.fills('stored', entries.length)
    } catch {
      observer.fills('store_error', entries.length)
    }
  }

  /** A row that does not match its schema reaches its caller all the same; it is only not cached. */
  #refuse(error: unknown): void {
    this.#parts.observer.fills('refused', 1)
    if (this.#warnedOfRefusal) return
    this.#warnedOfRefusal = true
    const reason =
      error instanceof EncodeError ? error.message : `ModelCache "${this.#parts.name}": ${String(error)}`
    this.#parts.warn(`${reason} The row is served but not cached; further ones are only counted.`)
  }
}
