import type { Codec } from '../codec/codec.js'
import type { RowId } from '../consistency/row-id.js'
import { InvalidOptionError } from '../errors.js'
import type { Source } from '../source/source.js'
import type { Store } from '../store/store.js'
import { negativeEntryOf } from './negative-entry.js'
import type { LoadPermits } from './load-permits.js'
import type { ModelObserver } from './observer.js'
import type { Read } from './read.js'

export interface AuditOptions {
  /** The share of hits that is compared with the database, from 0 to 1. At 0.001 and a thousand reads per second, three nines are known within minutes. */
  readonly rate: number
}

export interface AuditorParts<Row, Id> {
  readonly name: string
  readonly rate: number
  /** How long a write may be under way: what is still stored after that is what the source should have. */
  readonly fenceMs: number
  readonly codec: Codec<Row>
  readonly store: Store
  readonly source: Source<Row, Id>
  readonly loads: LoadPermits
  readonly observer: ModelObserver
  readonly warn: (message: string) => void
}

/** Audits that wait for their time, at most; while there are as many, hits are not sampled. */
const maxPending = 100

/** @throws InvalidOptionError */
export function validAuditRate(rate: number): number {
  if (rate >= 0 && rate <= 1) return rate
  throw new InvalidOptionError('audit.rate', rate, 'a part of all hits, from 0 to 1')
}

/**
 * Compares samples of what the store gave with what the source has, so that an operator can say how often the cache is right. A
 * sample waits until every write that was under way has ended; if its value is still stored then, before and after the
 * source was asked, and nobody is writing, both have to be the same.
 */
export class Auditor<Row, Id> {
  readonly #parts: AuditorParts<Row, Id>
  readonly #pending = new Set<NodeJS.Timeout>()
  #untilNext: number

  constructor(parts: AuditorParts<Row, Id>) {
    this.#parts = parts
    this.#untilNext = this.#gap()
  }

  /** Told of each hit. */
  hit(read: Read<Row, Id>, bytes: Buffer, textStart: number): void {
    if (--this.#untilNext > 0 || this.#pending.size >= maxPending) return
    this.#untilNext = this.#gap()
    const { id, rowId, key } = read
    const value = bytes.toString()
    const timer = setTimeout(() => {
      this.#pending.delete(timer)
      void this.#audit({ id, rowId, key, value, textStart })
    }, this.#parts.fenceMs).unref()
    this.#pending.add(timer)
  }

  stop(): void {
    for (const timer of this.#pending) clearTimeout(timer)
    this.#pending.clear()
  }

  /** Hits until the next sample: at random, with the mean that makes up the rate. */
  #gap(): number {
    const { rate } = this.#parts
    return rate >= 1 ? 1 : Math.ceil(Math.log(1 - Math.random()) / Math.log(1 - rate))
  }

  async #audit(sample: Sample<Id>): Promise<void> {
    const { codec, loads, name, observer, source, warn } = this.#parts
    try {
      if (!(await this.#isUnchanged(sample))) return observer.audits('changed')
      const rows = await loads.execute(() => source.load([sample.id]))
      const text = rows[0] ? codec.encode(rows[0]) : negativeEntryOf(sample.rowId)
      if (!(await this.#isUnchanged(sample))) return observer.audits('changed')
      if (text === sample.value.slice(sample.textStart)) return observer.audits('fresh')
      observer.audits('stale')
      warn(
        `ModelCache "${name}": an audit found the stored row of id ${String(sample.rowId)} to be stale. Some write ` +
          'does not go through extendPrisma, or is not followed by invalidate(); explain(id) tells more.',
      )
    } catch {
      observer.audits('failed')
    }
  }

  async #isUnchanged({ key, value }: Sample<Id>): Promise<boolean> {
    // A write in between has removed it.
    const [held] = await this.#parts.store.getMany([key])
    return held === value
  }
}

interface Sample<Id> {
  readonly id: Id
  readonly rowId: RowId
  readonly key: string
  readonly value: string
  readonly textStart: number
}
