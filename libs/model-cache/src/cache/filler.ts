import type { Codec } from '../codec/codec.js'
import { EncodeError } from '../errors.js'
import type { Store, StoreEntry } from '../store/store.js'
import { sealEnvelope } from './envelope.js'
import type { ModelObserver } from './observer.js'

export interface FillerParts<Row> {
  readonly name: string
  readonly ttlMs: number
  readonly absentTtlMs: number
  readonly codec: Codec<Row>
  readonly store: Store
  readonly observer: ModelObserver
  readonly warn: (message: string) => void
}

/** A row, or null for none, that was loaded for a key. */
export interface Loaded<Row> {
  readonly read: { readonly key: string; readonly outdated: boolean }
  readonly row: Row | null
}

/** Writes loaded rows to the store. What cannot be written is counted, and never thrown at who loaded it. */
export class Filler<Row> {
  readonly #parts: FillerParts<Row>
  #warnedOfRefusal = false

  constructor(parts: FillerParts<Row>) {
    this.#parts = parts
  }

  /** Turns rows into entries; those that were invalidated since they were loaded are left out. */
  encode(loaded: readonly Loaded<Row>[], epoch: string): StoreEntry[] {
    const { absentTtlMs, codec, observer, ttlMs } = this.#parts
    const start = performance.now()
    const now = Date.now()
    const entries: StoreEntry[] = []
    for (const { read, row } of loaded) {
      if (read.outdated) {
        observer.fills('outdated', 1)
        continue
      }
      try {
        const value = sealEnvelope(codec.fingerprint, epoch, now, codec.encode(row))
        observer.payloadBytes(Buffer.byteLength(value))
        const lifeMs = row === null ? absentTtlMs : ttlMs
        if (lifeMs > 0) entries.push({ key: read.key, value, ttlMs: lifeMs })
      } catch (error) {
        this.#refuse(error)
      }
    }
    observer.syncSeconds('encode', (performance.now() - start) / 1_000)
    return entries
  }

  async fill(entries: readonly StoreEntry[]): Promise<void> {
    if (entries.length === 0) return
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
