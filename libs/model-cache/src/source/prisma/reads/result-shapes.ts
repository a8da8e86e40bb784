import { type CountedShape, type Mutable, ShapeCounts } from './shape-counts.js'

/** Queries of one shape that results answered, or were loaded as results. */
export interface ResultCounts extends Readonly<CountedShape> {
  /** All models that they read. */
  readonly models: readonly string[]
  /** Queries that were sent to the database, as there was no result. */
  readonly loads: number
  /** Queries that looked for no result, as too few of their shape find one. They do not count as answered. */
  readonly left: number
  /** Loads whose results were not stored: they were too large, or had a value that cannot be read again. */
  readonly refused: number
  /** Characters of the last result that was stored; null before. */
  readonly length: number | null
  /** Milliseconds since the last load; null before. */
  readonly loadedAgoMs: number | null
}

export interface CountedResults extends Mutable<Omit<ResultCounts, 'loadedAgoMs'>> {
  /** The time of the last load by `performance.now()`. */
  loadedAtMs: number
}

/** A query that a result may answer. */
interface ResultOf {
  readonly model: string
  readonly action: string
  /** Undefined for raw queries. */
  readonly args?: object | undefined
  readonly models: ReadonlySet<string>
}

/** Counts the queries that results answer, by their shapes. */
export class ResultShapes extends ShapeCounts<CountedResults> {
  protected override merge(into: CountedResults, dropped: CountedResults): void {
    super.merge(into, dropped)
    into.models = [...new Set([...into.models, ...dropped.models])]
    into.loads += dropped.loads
    into.left += dropped.left
    into.refused += dropped.refused
    if (dropped.loadedAtMs < into.loadedAtMs) return
    into.loadedAtMs = dropped.loadedAtMs
    into.length = dropped.length
  }

  /** Returns what counts the queries of its shape. */
  of({ action, args, model, models }: ResultOf): CountedResults {
    const none = { count: 0, loads: 0, left: 0, refused: 0, length: null, loadedAtMs: -Infinity }
    return this.countedOf(`${model} ${action}`, { model, action, models: [...models], ...none }, args)
  }

  /** The most frequent ones first. */
  all(): readonly ResultCounts[] {
    const now = performance.now()
    return this.allCounted().map(({ loadedAtMs, ...shape }) => ({
      ...shape,
      loadedAgoMs: loadedAtMs > 0 ? Math.round(now - loadedAtMs) : null,
    }))
  }
}

/** Notes that the result of a query was loaded. @param length of what is stored, in characters; undefined if nothing is */
export function noteLoaded(counted: CountedResults, length: number | undefined): void {
  counted.loads++
  counted.loadedAtMs = performance.now()
  if (length === undefined) counted.refused++
  else counted.length = length
}
