import type { Slicer } from '@model-cache/event-loop/internal'
import { type Fill, guardOf, type Opened, type OperatorLog, type StoredForm } from '../protocol/index.js'
import type { RowStore } from './context.js'
import type { ModelObserver } from './telemetry/observer.js'

export interface AtRestStoreOptions {
  /** The name of the cache, for messages. */
  readonly name: string
  readonly store: RowStore
  readonly form: Pick<StoredForm, 'described' | 'values'>
  readonly slicer: Slicer
  readonly observer: Pick<ModelObserver, 'compressedBytes' | 'syncSeconds' | 'unopenedValues'>
  readonly log: OperatorLog
}

/** Stands for a value that cannot be opened. No envelope begins with it, so it is a miss whose key is taken. */
const unopened = Buffer.from('?')

/** What the key of a guard ends with. */
const guardEnd = guardOf('')

/** Bytes of encrypted values that are opened at once: in a quarter of a millisecond, if the values are small. */
const atOnceBytes = 16 * 1_024

/**
 * A store whose values are compressed or encrypted, for caches that know nothing of it: they give and get values as their codecs write them.
 * Opens and closes values in time slices; large ones are compressed by another thread meanwhile.
 */
export class AtRestStore implements RowStore {
  readonly shardOf: RowStore['shardOf']
  readonly #options: AtRestStoreOptions
  #hasWarned = false

  constructor(options: AtRestStoreOptions) {
    this.#options = options
    this.shardOf = options.store.shardOf
  }

  async getMany(keys: readonly string[]): Promise<(string | null)[]> {
    return (await this.getManyBytes(keys)).map((bytes) => bytes && bytes.toString())
  }

  async getManyBytes(keys: readonly string[]): Promise<(Buffer | null)[]> {
    const { form, observer, slicer, store } = this.#options
    const values = await store.getManyBytes(keys)
    const opened = [...values]
    const later: Promise<void>[] = []
    const open = (value: Buffer | null, i: number): void => {
      const key = keys[i]!
      if (value === null || key.endsWith(guardEnd)) return
      const found = form.values.open(key, value)
      if (found instanceof Promise) later.push(found.then((late) => void (opened[i] = this.#valueOf(late))))
      else opened[i] = this.#valueOf(found)
    }
    const observe = (seconds: number): void => observer.syncSeconds('decode', seconds)
    if (this.#takesLong(values)) await slicer.each(values, open, observe)
    else atOnce(values, open, observe)
    if (later.length > 0) await Promise.all(later)
    return opened
  }

  async fillMany(fills: readonly Fill[]): Promise<boolean[]> {
    const { form, observer, slicer, store } = this.#options
    const closed = [...fills]
    const later: Promise<void>[] = []
    const close = (fill: Fill, i: number): void => {
      const value = form.values.close(fill.key, fill.value as string)
      if (value instanceof Promise)
        later.push(value.then((late) => void (closed[i] = { ...fill, value: late })))
      else closed[i] = { ...fill, value }
    }
    await slicer.each(fills, close, (seconds) => observer.syncSeconds('encode', seconds))
    if (later.length > 0) await Promise.all(later)
    if (form.described.isCompressed) this.#countBytes(fills, closed)
    return store.fillMany(closed)
  }

  /** Compressed values may become much larger than they are. */
  #takesLong(values: readonly (Buffer | null)[]): boolean {
    const { isCompressed } = this.#options.form.described
    return isCompressed ? values.length > 1 : bytesIn(values) > atOnceBytes
  }

  #valueOf(found: Opened): Buffer {
    if (typeof found !== 'string') return found
    const { log, name, observer } = this.#options
    observer.unopenedValues(found, 1)
    if (found === 'tampered' && !this.#hasWarned) {
      this.#hasWarned = true
      log.warn(tamperedMessage(name))
    }
    return unopened
  }

  #countBytes(fills: readonly Fill[], closed: readonly Fill[]): void {
    const { observer } = this.#options
    const bytesOf = (all: readonly Fill[]): number =>
      all.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0)
    observer.compressedBytes('before', bytesOf(fills))
    observer.compressedBytes('after', bytesOf(closed))
  }
}

function bytesIn(values: readonly (Buffer | null)[]): number {
  let bytes = 0
  for (const value of values) if (value) bytes += value.length
  return bytes
}

function atOnce<T>(
  items: readonly T[],
  visit: (item: T, i: number) => void,
  worked: (seconds: number) => void,
): void {
  const startedAtMs = performance.now()
  items.forEach(visit)
  worked((performance.now() - startedAtMs) / 1_000)
}

function tamperedMessage(name: string): string {
  return (
    `ModelCache "${name}": a value in the store was changed, or copied from another key, namespace or time: it does not open with the key ` +
    'whose id it names. It counts as a miss, and its row is loaded again. Only a client that may write to the store can do this, or a ' +
    'process whose key of the same id is another one. Further values are only counted: model_cache_unopened_values_total.'
  )
}
