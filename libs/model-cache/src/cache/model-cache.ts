import type { Explanation } from './explanation.js'

/**
 * The cache of one model: rows by id, read through. What the store lacks is loaded from the source, all misses of one
 * tick together, and written back.
 *
 * Every caller gets a row of its own and may change it. A store that is slow or gone costs time, never an error: reads
 * go to the source. Only the source can make a read fail.
 */
export interface ModelCache<Row, Id> {
  /**
   * The row, or null where there is none.
   *
   * @throws InvalidIdError when the id has another type than the schema says
   * @throws LoadContractError when a `load` gave what it must not
   * @throws whatever the source throws
   */
  get(id: Id): Promise<Row | null>

  /**
   * Rows in the order of the ids, null where there is none; an id may be asked for twice. Rejects with the error of
   * the first id that cannot be loaded; the others are loaded and cached all the same. To get at them, use
   * `getManySettled`.
   */
  getMany(ids: readonly Id[]): Promise<(Row | null)[]>

  /** Like `getMany`, with each id's own outcome, as of `Promise.allSettled`. Never rejects. */
  getManySettled(ids: readonly Id[]): Promise<PromiseSettledResult<Row | null>[]>

  /**
   * Stores rows that were just read from the source, outside of a transaction, at most `leaseMs` ago. Rows that are stored already
   * or have been written within `leaseMs` are left out: what is there, or will be loaded, is at least as new. Within a transaction of
   * `extendPrisma`, and where the server may evict guards (see docs/consistency.md), it resolves and stores nothing.
   *
   * @throws InvalidIdError
   * @throws EncodeError when a row does not match the schema; then none is stored
   */
  prime(rows: readonly Row[]): Promise<void>

  /**
   * Forgets rows, and that there were none: for writes that do not go through `extendPrisma`, after their commit; also when a row
   * was created. From then on this process does not read what was cached before, even when the store cannot be
   * reached: it tries again until the rows are gone. Within a transaction of `extendPrisma` the rows are fenced
   * before its commit, and forgotten after it, as those are that Prisma writes. Ids have to be spelled as the database stores them.
   *
   * An id in another spelling stands for the one that is stored. Where only the database knows that one, as of `@db.Citext` and
   * `@db.Char`, all rows of the model are forgotten.
   *
   * @throws InvalidIdError
   */
  invalidate(ids: Id | readonly Id[]): Promise<void>

  /** Forgets all rows of the model, whatever their schema version, in one step. */
  invalidateAll(): Promise<void>

  /**
   * What is known of a row, layer by layer: whether a read would find it, how old it is, who writes it, and why it was missed
   * last. For people; it reads the store, and changes nothing.
   *
   * @throws InvalidIdError
   * @throws StoreError when the store does not answer
   */
  explain(id: Id): Promise<Explanation>
}
