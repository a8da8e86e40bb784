import type { Coherence, ModelContext, Telemetry } from '../context.js'
import type { L1 } from './l1.js'
import type { ReadCollector } from './read-collector.js'

/** Takes the requests of callers outside of transactions. */
export type RowReads<Row, Id> = Pick<ReadCollector<Row, Id>, 'get' | 'getMany' | 'isEmpty'>

export interface HeldRowsDependencies<Row, Id> {
  readonly model: Pick<ModelContext<Row, Id>, 'keys'>
  readonly coherence: Pick<Coherence, 'backplane'>
  readonly telemetry: Pick<Telemetry<Id>, 'observer'>
  readonly l1: L1<Row>
  /** Takes what L1 does not have. */
  readonly collector: RowReads<Row, Id>
}

/** Requests of more rows are answered in time slices. */
const maxAtOnce = 250

/**
 * Rows, or lists of them, that are answered at once in one event-loop turn: some milliseconds. A caller that awaits one after another
 * would otherwise keep timers and messages of writes waiting for as long as L1 has them.
 */
export const maxPerTurn = 10_000

/**
 * Answers requests for shared rows at once if L1 has them: a frozen row needs neither a copy nor a time slice. All other requests wait
 * for the end of their tick.
 */
export class HeldRows<Row, Id> implements RowReads<Row, Id> {
  readonly #dependencies: HeldRowsDependencies<Row, Id>
  /** Answered in this turn. */
  #hits = 0

  constructor(dependencies: HeldRowsDependencies<Row, Id>) {
    this.#dependencies = dependencies
  }

  get isEmpty(): boolean {
    return this.#dependencies.collector.isEmpty
  }

  get(id: Id): Promise<Row | null> {
    const row = this.#isUsable() ? this.#held(id) : undefined
    if (row === undefined) return this.#dependencies.collector.get(id)
    this.#count(1)
    return Promise.resolve(row)
  }

  getMany(ids: readonly Id[]): Promise<(Row | null)[]> {
    const { collector } = this.#dependencies
    if (ids.length > maxAtOnce || !this.#isUsable()) return collector.getMany(ids)
    const rows: (Row | null)[] = []
    for (const id of ids) {
      const row = this.#held(id)
      if (row === undefined) return collector.getMany(ids)
      rows.push(row)
    }
    this.#count(rows.length)
    return Promise.resolve(rows)
  }

  /** Whether L1 is to be trusted, and the turn not used up. */
  #isUsable(): boolean {
    return this.#hits < maxPerTurn && this.#dependencies.coherence.backplane?.isUp !== false
  }

  /** Undefined if L1 has no entry, or the id is invalid. */
  #held(id: Id): Row | null | undefined {
    const { l1, model } = this.#dependencies
    try {
      return l1.get(model.keys.toRowId(id))
    } catch {
      return undefined
    }
  }

  #count(hits: number): void {
    if (this.#hits === 0) setImmediate(this.#observe)
    this.#hits += hits
  }

  readonly #observe = (): void => {
    const { observer } = this.#dependencies.telemetry
    observer.reads('l1', 'hit', this.#hits)
    observer.readSeconds(0, this.#hits, 'hit')
    this.#hits = 0
  }
}
