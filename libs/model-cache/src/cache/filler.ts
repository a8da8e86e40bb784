import type { Codec } from '../codec/codec.js'
import type { Leases } from '../consistency/leases.js'
import { EncodeError } from '../errors.js'
import type { Fill, Store } from '../store/store.js'
import { negativeEntryOf } from './negative-entry.js'
import { sealEnvelope } from './envelope.js'
import type { RowId } from '../consistency/row-id.js'
import type { LargePayloads } from './large-payloads.js'
import type { ModelObserver } from './observer.js'
import type { InvalidationClock } from './invalidation-clock.js'

export interface FillerParts<Row> {
  readonly name: string
  readonly ttlMs: number
  readonly notFoundTtlMs: number
  /** How much longer than its time a row stays in the store. */
  readonly staleForMs: number
  readonly codec: Codec<Row>
  readonly store: Store
  readonly leases: Leases
  readonly clock: InvalidationClock
  readonly largePayloads: LargePayloads
  readonly observer: ModelObserver
  readonly warn: (message: string) => void
  /** Keeps the end of the process waiting. */
  readonly track: (work: Promise<void>) => Promise<void>
}

/** What a row is written for: whose it is, where, under which lease, and since when invalidations of it count. */
export interface Leaseholder {
  readonly rowId: RowId
  readonly key: string
  readonly guard: string
  readonly token: string | null
  readonly since: number
  /** Told whether the store has taken the row. */
  readonly onStored?: ((isStored: boolean) => void) | undefined
}

interface Entry {
  readonly holder: Leaseholder
  readonly fill: Fill
}

/** By how much of its time a row may leave earlier, so that rows which came together do not leave together. */
const jitter = 0.1

/** Entries of one call of the store: few enough for their commands to be made in a fraction of a turn's budget. */
const entriesPerCall = 64

/** Writes rows to the store. What cannot be written is counted, and never thrown at who loaded it. */
export class Filler<Row> {
  readonly #parts: FillerParts<Row>
  #entries: Entry[] = []
  #unused: { readonly key: string; readonly guard: string; readonly token: string }[] = []
  readonly #sending = new Set<Promise<void>>()
  #warnedOfRefusal = false

  constructor(parts: FillerParts<Row>) {
    this.#parts = parts
  }

  /**
   * Makes an entry of a row, or of null for none, and sends entries when there are enough of them.
   *
   * @param word under which it counts: the epoch, or the membership word for none
   * @returns the row as text; undefined for one that does not match its schema, which is not written
   */
  add(holder: Leaseholder, row: Row | null, word: string): string | undefined {
    let text: string
    try {
      text = row === null ? negativeEntryOf(holder.rowId) : this.#parts.codec.encode(row)
    } catch (error) {
      this.#refuse(error)
      this.release(holder)
      return undefined
    }
    if (row === null && this.#parts.notFoundTtlMs === 0) this.release(holder)
    else if (holder.token !== null) this.addText(holder, text, word, row === null)
    return text
  }

  /** Lets others have the lease of a row that will not be written. */
  release({ key, guard, token }: Leaseholder): void {
    if (token !== null) this.#unused.push({ key, guard, token })
  }

  /** Like {@link add}, of a row that is text already. */
  addText(holder: Leaseholder, text: string, word: string, isAbsent: boolean): void {
    const { notFoundTtlMs, codec, staleForMs, largePayloads, observer, ttlMs } = this.#parts
    const lifeMs = Math.round((isAbsent ? notFoundTtlMs : ttlMs) * (1 - Math.random() * jitter))
    const createdMs = Date.now()
    const value = sealEnvelope(codec.fingerprint, word, { createdMs, expiresMs: createdMs + lifeMs }, text)
    observer.payloadBytes(Buffer.byteLength(value))
    largePayloads.notice(value.length)
    const { key, guard, token } = holder
    const fill = { key, guard, token: token!, value, ttlMs: lifeMs + (isAbsent ? 0 : staleForMs) }
    this.#entries.push({ holder, fill })
    if (this.#entries.length >= entriesPerCall) void this.flush()
  }

  /**
   * Sends what has been added, except rows that were invalidated meanwhile; resolves when all that has been sent is written,
   * or not.
   */
  async flush(): Promise<void> {
    const { leases, observer, clock, track } = this.#parts
    const isCurrent = ({ holder }: Entry): boolean => clock.isUntouched(holder.rowId, holder.since)
    const { current = [], outdated = [] } = Object.groupBy(this.#entries, (entry) =>
      isCurrent(entry) ? 'current' : 'outdated',
    )
    this.#entries = []
    if (outdated.length > 0) observer.fills('outdated', outdated.length)
    for (const { holder } of outdated) {
      holder.onStored?.(false)
      this.release(holder)
    }
    if (current.length > 0) {
      const sending = track(this.#send(current))
      this.#sending.add(sending)
      void sending.then(() => this.#sending.delete(sending))
    }
    const unused = Map.groupBy(this.#unused.splice(0), ({ token }) => token)
    for (const [token, keys] of unused) void track(leases.release(keys, token))
    await Promise.all(this.#sending)
  }

  async #send(entries: readonly Entry[]): Promise<void> {
    const { observer, store } = this.#parts
    let areStored: readonly boolean[] = []
    try {
      areStored = await store.fillMany(entries.map(({ fill }) => fill))
      const stored = areStored.filter(Boolean).length
      if (stored > 0) observer.fills('stored', stored)
      if (stored < entries.length) observer.fills('lease_lost', entries.length - stored)
    } catch {
      observer.fills('store_error', entries.length)
    }
    for (const [i, { holder }] of entries.entries()) holder.onStored?.(areStored[i] ?? false)
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
