/** Fields of a row by name: at least the id fields of one cache of its model. */
export type WrittenRow = Readonly<Record<string, unknown>>

/** Why all rows of a model count as written. Fixed words, fit for the label of a metric. */
export type UnknownRowsReason = 'unbounded' | 'nested' | 'cascade' | 'unknown'

/**
 * What the database has said of the end of a write. `'known'`: it is committed, or nothing of it was or ever will be committed.
 * `'unknown'`: a connection was lost, or a timeout fired, before the database answered, so it may still commit.
 */
export type WriteEnd = 'known' | 'unknown'

/**
 * One write, or one transaction of several, from before its first statement until after its end. What is written is
 * affected first, fenced before it is committed, and ended when the end is over:
 * `touch, fence, COMMIT, end`, or `touch, ROLLBACK, end`.
 */
export interface WriteUnit {
  /**
   * Rows of the Prisma model (`'AuctionItem'`) that are written, created or deleted. Each holds at least the id fields of
   * one cache of the model ({@link WriteCoordinator.idFieldsOf}), and perhaps others. A row whose id changes is
   * affected under its old and under its new id. Rows that turn out not to be written do no harm.
   */
  markWritten(model: string, rows: readonly WrittenRow[]): void

  /**
   * Rows of the model are written that cannot be told. `reason` is a fixed word for a metric label
   * ({@link UnknownRowsReason}): `'unbounded'` more rows than the limit, `'nested'` a nested write without ids,
   * `'cascade'` a referential action of the database, `'unknown'` anything else.
   */
  markAllWritten(model: string, reason: string): void

  /**
   * Rows of the model are created whose ids are unknown: what is stored about absent rows is dropped, stored rows
   * stay. `reason` is a fixed word, as for {@link markAllWritten}.
   */
  markCreated(model: string, reason: UnknownRowsReason): void

  /** Something is written that concerns no known cache. {@link fence} finds out whether that is still so. */
  noteWrite(): void

  /** False while anything was affected that is not fenced yet. */
  readonly isFenced: boolean

  /**
   * The last step before COMMIT, for all that was affected and is not fenced yet. May be called several times, also
   * while an earlier call is under way. Rejects only when the write must not be committed.
   */
  fence(): Promise<void>

  /**
   * After the end. When that is unknown, the fences stand for another `fenceMs`. Called once, also when nothing was affected.
   * Never rejects.
   *
   * @param end @default 'known'
   */
  end(end?: WriteEnd): Promise<void>
}

/** WHO HEARS OF WRITES. The caches' side of {@link extendPrisma}. */
export interface WriteCoordinator {
  /**
   * The id fields of each cache of a Prisma model, `[['id'], ['fundraiserId', 'lot']]`; `[]` among them for a cache that depends on the
   * model, whichever row is written; empty when no cache is concerned.
   * Asked on every write, since caches may register after the client was extended.
   */
  idFieldsOf(model: string): readonly (readonly string[])[]

  /**
   * Resolves when it is known which caches there are; undefined when it is already. Awaited before a write is planned.
   * Rejects when writes must not be made without knowing.
   */
  prepare(): Promise<void> | undefined

  /** Begins a write or a transaction. */
  begin(): WriteUnit

  /**
   * Runs `work`, the callback of a transaction, so that cache reads within it (also in services it calls) bypass the
   * cache and read through `client`, the client of the transaction, and `cache.invalidate` joins `unit`.
   * Settles as `work` does. Reads that go on after that go past the transaction.
   */
  within<T>(unit: WriteUnit, client: object, work: () => Promise<T>): Promise<T>
}
