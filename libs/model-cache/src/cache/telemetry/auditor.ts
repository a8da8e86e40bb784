import { undecodable } from '../../codec/codec.js'
import { entryIn, negativeEntryOf, type RowId } from '../../protocol/index.js'
import type { Hit, HitSampler, ModelContext, Telemetry } from '../context.js'
import type { CachePermits } from '../load/load-permits.js'
import { loadToCompare } from '../load/load-to-compare.js'

export interface AuditOptions {
  /** Which part of the hits to compare, from 0 to 1. At 1,000 reads a second, 0.001 shows three nines within minutes. */
  readonly rate: number
}

export interface AuditSettings {
  /** The share of reads that are audited, from 0, for no audit, to 1. */
  readonly rate: number
  /** How long a write may take: what is still stored after that should equal the source. */
  readonly fenceMs: number
}

interface Sample<Id> extends Hit<Id> {
  readonly value: string
  readonly payloadStart: number
}

/** Pending audits, at most. While there are as many, hits are not sampled. */
const maxPending = 100

/**
 * Compares samples of stored rows with the source, to measure how often the cache is right. A sample waits until every write
 * that was under way has ended. If its value is still stored then, before and after the source was read, both must be equal. A value
 * that differs is stale if it is still stored after the same time again.
 */
export class Auditor<Row, Id> implements HitSampler<Id> {
  readonly #model: ModelContext<Row, Id>
  readonly #permits: CachePermits
  readonly #telemetry: Omit<Telemetry<Id>, 'auditor'>
  readonly #settings: AuditSettings
  readonly #isRefused: ((stored: Row) => Promise<boolean>) | undefined
  readonly #pending = new Set<NodeJS.Timeout>()
  #hitsUntilNext: number

  /** @param isRefused whether reads would refuse a stored row that differs from the source, and load it again. @default none is refused */
  constructor(
    model: ModelContext<Row, Id>,
    permits: CachePermits,
    telemetry: Omit<Telemetry<Id>, 'auditor'>,
    settings: AuditSettings,
    isRefused?: (stored: Row) => Promise<boolean>,
  ) {
    this.#model = model
    this.#permits = permits
    this.#telemetry = telemetry
    this.#settings = settings
    this.#isRefused = isRefused
    this.#hitsUntilNext = this.#gap()
  }

  hit({ id, rowId, key }: Hit<Id>, bytes: Buffer, payloadStart: number): void {
    if (--this.#hitsUntilNext > 0 || this.#pending.size >= maxPending) return
    this.#hitsUntilNext = this.#gap()
    const value = bytes.toString()
    void this.#wait().then(() => this.#audit({ id, rowId, key, value, payloadStart }))
  }

  stop(): void {
    for (const timer of this.#pending) clearTimeout(timer)
    this.#pending.clear()
  }

  /** Resolves when a write that is under way has ended; never after {@link stop}. Does not keep the process alive. */
  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pending.delete(timer)
        resolve()
      }, this.#settings.fenceMs).unref()
      this.#pending.add(timer)
    })
  }

  /** Hits until the next sample: random, with the mean that gives the rate; none or one is the next hit. */
  #gap(): number {
    return Math.ceil(Math.log(1 - Math.random()) / Math.log(1 - this.#settings.rate))
  }

  async #audit(sample: Sample<Id>): Promise<void> {
    const model = this.#model
    const { log, observer } = this.#telemetry
    try {
      if (!(await this.#isUnchanged(sample))) return observer.audits('changed')
      const isCommitted = model.source.watchLoad?.()
      const rows = await loadToCompare(model, this.#permits, [sample.id])
      if (isCommitted?.() === false) return observer.audits('changed')
      const payload = rows[0] ? model.codec.encode(rows[0]) : negativeEntryOf(sample.rowId)
      const stored = sample.value.slice(sample.payloadStart)
      const { comparable = (each) => each } = model.codec
      const isFresh = comparable(payload) === comparable(stored)
      const isRefused = !isFresh && (await this.#isRefusedPayload(stored))
      if (isRefused || !(await this.#isUnchanged(sample))) return observer.audits('changed')
      if (isFresh) return observer.audits('fresh')
      // A follower learns of a write after its COMMIT: the source may have been read between the two.
      await this.#wait()
      if (!(await this.#isUnchanged(sample))) return observer.audits('changed')
      observer.audits('stale')
      log.warn(staleMessage(model.name, sample.rowId))
    } catch {
      observer.audits('failed')
    }
  }

  async #isRefusedPayload(payload: string): Promise<boolean> {
    const isRefused = this.#isRefused
    const row = isRefused ? this.#model.codec.decodeUtf8(Buffer.from(payload)) : undecodable
    return row !== undecodable && !!row && isRefused!(row)
  }

  /** Whether no write has removed the value. */
  async #isUnchanged({ key, value }: Sample<Id>): Promise<boolean> {
    const [stored] = await this.#model.store.getMany([key])
    return stored === value
  }
}

function staleMessage(name: string, rowId: RowId): string {
  const entry = entryIn(rowId)
  const what = entry ? `entry of "${entry.lookup}" for the key ${entry.key}` : `row of id ${String(rowId)}`
  const remedy = entry
    ? 'invalidateBy(). See explain(name, key) for the entry.'
    : 'invalidate(). See explain(id) for the row.'
  return (
    `ModelCache "${name}": an audit found the stored ${what} to be stale. Some write does not go through extendPrisma, and is not ` +
    `followed by ${remedy}`
  )
}
