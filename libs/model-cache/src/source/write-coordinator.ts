import type { Database } from './database.js'
import type { ReadCaches } from './read-caches.js'
import type { WriterSchema } from './tables.js'

/** Fields of a row by name: at least the id fields of one cache of its model. */
export type WrittenRow = Readonly<Record<string, unknown>>

/** Why all rows of a model count as written. A fixed set of values, suitable as a metric label. */
export type UnknownRowsReason = 'unbounded' | 'cascade' | 'raw' | 'unknown'

/**
 * What the database has confirmed about the end of a write. `'known'`: it is committed, or none of it ever will be.
 * `'unknown'`: a lost connection or a timeout came before the answer, so the database may still commit it.
 */
export type WriteEnd = 'known' | 'unknown'

/**
 * One write, or one transaction of several writes, from before its first statement until after its end. The order is
 * `markWritten, fence, COMMIT, end` or `markWritten, ROLLBACK, end`.
 */
export interface WriteUnit {
  /**
   * Reports rows of a model (`'AuctionItem'`) that are written, created or deleted. Each row holds at least the id fields of
   * one cache of the model ({@link WriteCoordinator.idFieldsOf}). Report a row whose id changes under both ids.
   * Rows that are not written after all do no harm.
   */
  markWritten(model: string, rows: readonly WrittenRow[]): void

  /**
   * Reports that unknown rows of the model are written. `reason` becomes a metric label, usually a
   * `UnknownRowsReason`: `'unbounded'` more rows than the limit, `'raw'` SQL that cannot be read,
   * `'cascade'` a referential action of the database, `'unknown'` anything else.
   */
  markAllWritten(model: string, reason: string): void

  /**
   * Reports that rows with unknown ids are created. The caches drop the model's negative entries and keep its rows.
   * `reason` is the same as for {@link markAllWritten}.
   */
  markCreated(model: string, reason: UnknownRowsReason): void

  /**
   * Reports rows that may enter lookups of the model, or move in them. Each row holds the key fields of these lookups
   * ({@link WriteCoordinator.lookupsOf}) with their values after the write. Where a row lacks one, all entries of the cache count as
   * written, and its negative entries, but none of its rows.
   *
   * Rows do not show which entries they have in lookups through a relation. Where such a lookup watches one of the changed fields, all
   * entries of its cache count as written; report rows that are connected with {@link markJoinedThrough}.
   *
   * @param changed the fields that may have changed, which tell the lookups. @default all lookups: the rows are created
   */
  markJoined(model: string, rows: readonly WrittenRow[], changed?: ReadonlySet<string>): void

  /**
   * Reports entries of lookups through an implicit many-to-many relation of the model, which rows enter or leave.
   *
   * @param relation the relation field of the model
   * @param rows rows at the other side, with their primary keys. Where a row lacks it, all entries of the cache count as written, and
   *   its negative entries, but none of its rows.
   */
  markJoinedThrough(model: string, relation: string, rows: readonly WrittenRow[]): void

  /**
   * Reports a write that affects no known cache. {@link fence} checks whether that is still so.
   *
   * @param model whose rows it writes, or the name of the table, for people; undefined if that is not known
   */
  noteWrite(model?: string): void

  /** False while anything that was reported is not fenced yet. */
  readonly isFenced: boolean

  /**
   * The last step before COMMIT: fences everything that was reported and is not fenced yet. Several calls are allowed, even
   * while another one is running. Rejects only if the write must not be committed.
   */
  fence(): Promise<void>

  /**
   * The step after COMMIT or ROLLBACK. If the end is unknown, the fences stand for another `fenceMs`. Call it once, even if nothing
   * was reported. When the call returns, this process holds none of the rows that were reported. The promise resolves when their
   * fences have been released, and never rejects; the caller of the write need not wait for that, as reads of fenced rows go to
   * the database.
   *
   * @param end @default 'known'
   */
  end(end?: WriteEnd): Promise<void>
}

/** A lookup by which caches find rows of a model, as far as writes concern it. */
export interface WatchedLookup {
  /**
   * The fields that tell which entry a row belongs to; undefined if that is unknown, or the model lacks one. Those of another row with
   * {@link through}.
   */
  readonly key: readonly string[] | undefined
  /**
   * The fields of the row whose change may let it enter or move, those of the key among them, and the columns of which the model has no
   * field; undefined if any may.
   */
  readonly fields: readonly string[] | undefined
  /** The implicit many-to-many relation of the model by which rows belong to it; the key is that of the row at its other side. */
  readonly through: string | undefined
}

/** WRITE CAPTURE. Receives the writes of an extended client; the side of `extendPrisma` that the caches implement. */
export interface WriteCoordinator {
  /** The caches that can answer queries; undefined if there are none. */
  readonly reads?: ReadCaches | undefined

  /**
   * Returns the coordinator for the writes of one client, whose models and fields may have other names than those of caches: both are
   * compared by table and column. A coordinator without this method takes names for equal.
   */
  forSchema?(schema: WriterSchema): WriteCoordinator

  /**
   * The id fields of each cache of a model, `[['id'], ['fundraiserId', 'lot']]`. An empty list among them stands for a cache that
   * depends on the model. Returns `[]` if no cache is affected. Called for every write, because caches may register at any time.
   */
  idFieldsOf(model: string): readonly (readonly string[])[]

  /** The lookups of all caches of a model: what is known of its rows is known for these. Called for every write. */
  lookupsOf(model: string): readonly WatchedLookup[]
  /**
   * Resolves once the existing caches are known; undefined if they already are. Await it before planning a write.
   * Rejects if writes must not run without this knowledge.
   */
  prepare(): Promise<void> | undefined

  /** Called when a client is extended, with its database. */
  extended?(database: Database): void

  /** Begins a write or a transaction. */
  begin(): WriteUnit

  /**
   * Runs `work`, the callback of a transaction. Cache reads within it, also in services that it calls, bypass the
   * cache and go through `client`, the client of the transaction; `cache.invalidate` joins `unit`.
   * Resolves or rejects as `work` does. Reads that continue after that no longer use the transaction.
   */
  within<T>(unit: WriteUnit, client: object, work: () => Promise<T>): Promise<T>
}
