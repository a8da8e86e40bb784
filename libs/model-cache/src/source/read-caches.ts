import type { ComparedAnswers, QueryResults } from './query-results.js'

/** A row of a cache: its fields by name. */
export type CachedRow = Readonly<Record<string, unknown>>

/** A lookup of a cache, which finds rows by other fields than the id. */
export interface AnsweringLookup {
  readonly name: string
  readonly kind: 'unique' | 'list'
  /** The fields of its key. */
  readonly by: readonly string[]
  /** The relation at whose other side the rows with the fields of the key are; undefined if rows of this side have them. */
  readonly through: string | undefined
  /** The conditions that all its rows fulfil, as Prisma takes them. */
  readonly where: CachedRow
  /** As Prisma takes it, with all fields of the id, so that no two rows are equal. Empty for the order of the database. */
  readonly orderBy: readonly CachedRow[]
  /** The maximum number of rows of one list. */
  readonly limit: number | undefined
  /** The key in a row, or in an object of the key fields, as text. Undefined or null if only the database knows what it equals. */
  keyOf(values: CachedRow): string | null | undefined
  /**
   * Returns the rows of each key: of a unique key one at most, of a list in its order. Keys are objects of their fields. Other callers
   * have the same rows if the cache shares them.
   */
  findMany(keys: readonly CachedRow[]): Promise<readonly (readonly CachedRow[])[]>
}

/** One cache that can answer queries: its rows are scalar fields of one model, as the database has them. */
export interface AnsweringCache extends ComparedAnswers {
  /** The model in the schema: `'AuctionItem'`. */
  readonly model: string
  readonly idFields: readonly string[]
  /** The fields of its rows, in the order of their keys. */
  readonly fields: readonly string[]
  /**
   * The fields whose values are what the database has. JSON with named keys in the schema of the cache has neither the other keys nor
   * the order of the database.
   */
  readonly exactFields: readonly string[]
  readonly lookups: readonly AnsweringLookup[]
  /** Whether other callers have the same rows. */
  readonly sharesRows: boolean
  /** Whether rows that are read again soon are in the memory of this process, and need no copies. */
  readonly holdsRows: boolean
  /** Whether its rows come from the database of this client, and not from a replica, which lags behind. */
  isFrom(client: object): boolean
  /** Returns null if there is no such row. An id of several fields is an object. */
  get(id: unknown): Promise<CachedRow | null>
  /** As {@link get}, in the order of the ids. Rejects with the first error. */
  getMany(ids: readonly unknown[]): Promise<readonly (CachedRow | null)[]>
  /** Counts a query that was answered, or the reason why not. */
  countRead(outcome: string, count: number): void
}

/** READS. The caches that can answer the queries of an extended client; the side of `reads` that the caches implement. */
export interface ReadCaches {
  /** Grows with each cache that is added or removed. */
  readonly version: number
  all(): Iterable<AnsweringCache>
  /** Whether the caller runs in a transaction of an extended client. */
  readonly isInTransaction: boolean
  /** The results that are kept of queries; undefined if there are none. */
  readonly results: QueryResults | undefined
}
