import { type StoredResult, writeResult } from '../cache/results/stored-result.js'
import type { ModelObserver } from '../cache/telemetry/observer.js'
import type { RecordForm } from '../codec/record-forms.js'
import type { WirePlan } from '../codec/wire-plan.js'
import { planOfShape } from '../definitions/row-plan.js'
import type { ResultQuery } from '../source/query-results.js'
import type { ResultParts } from './result-registers.js'

/** Characters of a result. One that is as long takes some 30 ms to decode, and Prisma several times as long to make. */
const longest = 4_000_000
/** Queries that go to the database at once after one whose result could not be stored. */
const passes = 100
/** The maximum number of such queries that are remembered. */
const maxUnstorable = 1_000

/** A query that is being read. */
export interface ResultId extends Pick<ResultQuery, 'run' | 'isAnswer' | 'loaded'> {
  readonly digest: string
  readonly form?: RecordForm | undefined
  /** The load, of a query that has been sent. */
  loading?: Promise<StoredResult>
}

/** Loads the results of queries, and remembers those that cannot be stored. */
export class ResultLoader {
  readonly #parts: Pick<ResultParts, 'facts' | 'forms'>
  /** How many queries with a result that could not be stored are yet to go to the database at once, by digest. */
  readonly #unstorable = new Map<string, number>()

  constructor(parts: Pick<ResultParts, 'facts' | 'forms'>) {
    this.#parts = parts
  }

  /** Rejects with the error of the query. */
  load(id: ResultId, observer: ModelObserver): Promise<StoredResult> {
    return (id.loading = this.#load(id, observer))
  }

  async #load({ digest, form, loaded, run }: ResultId, observer: ModelObserver): Promise<StoredResult> {
    const value = await run()
    const { text, form: written } = writeResult(value, this.#parts.forms, form)
    const isStorable = text !== undefined && text.length <= longest
    if (!isStorable) this.#refuse(digest, observer)
    loaded?.(isStorable ? text.length : undefined)
    return { digest, value, form: written, text: isStorable ? text : undefined }
  }

  /** How its rows are written; undefined if not as records. A result that is read may have been written so by another process. */
  formOf({ rows }: ResultQuery): RecordForm | undefined {
    const { facts, forms } = this.#parts
    const planOf = (): WirePlan => {
      const { shape, isList } = rows!
      const row = planOfShape(shape, facts.Decimal as never)
      return isList ? { kind: 'array', items: row, nullable: false, undefinable: false } : row
    }
    return rows && forms.records.of(rows, planOf)
  }

  /** Whether the database answers a query at once, as its result could not be stored. */
  passes(digest: string): boolean {
    const left = this.#unstorable.get(digest)
    if (left === undefined) return false
    if (left > 1) this.#unstorable.set(digest, left - 1)
    else this.#unstorable.delete(digest)
    return true
  }

  #refuse(digest: string, observer: ModelObserver): void {
    observer.fills('refused', 1)
    if (this.#unstorable.size >= maxUnstorable) this.#unstorable.clear()
    this.#unstorable.set(digest, passes)
  }
}
