import type { RowShape } from './row-shape.js'

/** A query whose result may be kept, until one of its models is written. */
export interface ResultQuery {
  /** Equal for queries with the same result. */
  readonly text: string
  /** The model that it is a query of. */
  readonly model: string
  /** All models that it reads. */
  readonly models: ReadonlySet<string>
  /** The models of which the query reads only rows with certain values, with these values. @default none */
  readonly scopes?: ReadonlyMap<string, readonly Scope[]> | undefined
  /** What the rows look like that are its result: the same object for all queries of one shape. @default not known */
  readonly rows?: ResultRows | undefined
  /** For how long the result is kept, instead of what is kept for its models. */
  readonly options?:
    (ResultOptions & { readonly mayBeStale?: boolean; readonly tags?: readonly string[] }) | undefined
  /** Sends it to the database. */
  run(this: void): Promise<unknown>
  /** Whether an error of {@link run} is what the database answers, and no failure. @default each is a failure */
  isAnswer?(this: void, error: unknown): boolean
  /** Hears of each result that is loaded: how many characters are stored, or undefined if it is not. */
  loaded?(this: void, length: number | undefined): void
}

/** Rows that a query returns, or one row, or null. */
export interface ResultRows {
  readonly shape: RowShape
  readonly isList: boolean
}

/** The rows of a model that have a value in a field. */
export interface Scope {
  readonly field: string
  readonly value: unknown
}

/** QUERY -> RESULT. The results of queries; the side of `reads.results` that the caches implement. */
export interface QueryResults {
  /** Whether they are those of the database of a client. */
  isFrom(client: object): boolean
  /**
   * Returns the result of a query, as the database gave it after the last write to a model that it reads; undefined if no results of these
   * models are kept, or results end with their process. Rejects with the error of the query.
   */
  answer(query: ResultQuery): Promise<unknown> | undefined
  /**
   * Says what is stored of a query, with none of the effects of a read; undefined if no results of its models are kept.
   *
   * @throws StoreError
   */
  explain(query: ResultQuery): Promise<KeptResult> | undefined
  /** Counts and logs what the comparisons of shadow mode find of a query; undefined if no results of its models are kept. */
  comparedOf(query: ResultQuery): ComparedAnswers | undefined
  /** Ends all results that read one of these models, in all processes, as a write to it does. @default all results */
  invalidate(models?: readonly string[]): Promise<void>
  /** Ends all results with one of these tags. */
  invalidateTags(tags: readonly string[]): Promise<void>
}

/** A cache, or the results of queries of a model, as shadow mode compares them with the database. */
export interface ComparedAnswers {
  readonly name: string
  /** Counts a comparison. */
  countShadow(outcome: string): void
  warn(message: string): void
}

/** What is stored of a query. Times are milliseconds. */
export interface KeptResult {
  readonly ttlMs: number
  readonly staleForMs: number
  /** Whether a read would use what is stored, or why not. */
  readonly stored:
    | {
        readonly isHit: true
        readonly ageMs: number
        readonly expiresInMs: number
        /** Bytes. */
        readonly length: number
      }
    | { readonly isHit: false; readonly reason: string }
  /** Whether this process may store the result: no write to one of its models is running, and all writers know of it. */
  readonly mayFill: boolean
}

/** For how long results that read a model are kept at most. Durations as of a definition. */
export interface ResultOptions {
  readonly ttl: number | string
  /** @default not at all */
  readonly staleFor?: number | string
}

/** How results of queries that read a model are kept. */
export interface ModelResultOptions extends ResultOptions {
  /**
   * `true`: all queries of the model look for a result first. `false`: never those that rows answer. By default, those do that rows do not
   * answer, and those that would read several entries, as long as three of four of the same shape find a result.
   */
  readonly prefer?: boolean
  /**
   * The field, or the fields, by whose values results end apart: of a query that reads only the orders of one `userId`, when an order of this
   * user is written. Such a field holds one text, number or date in each row, and the database compares it exactly.
   *
   * @default each write to the model ends all results that read it
   */
  readonly by?: string | readonly string[]
  /** Compresses results of queries of this model; see `compress` of a cache. @default no compression */
  readonly compress?: { readonly above: number | string }
  /**
   * Keeps results in the memory of this process too, of queries all of whose models say so, as `l1` of a cache does with rows: for `ttl`,
   * which is `'1s'` by default, and `maxEntries` (1,000) and `maxBytes` (64 MiB) of queries of this model. Callers get copies.
   *
   * @default results are read from the store
   */
  readonly l1?: { readonly ttl?: number | string; readonly maxEntries?: number; readonly maxBytes?: number }
  /**
   * `'required'`: while nobody follows the database's log, the database answers queries that read the model. Needs `follow` in forRoot.
   *
   * @default results are served meanwhile, unless a cache of the model has `follow: 'required'`
   */
  readonly follow?: 'required'
}
