import type { Explanation } from './inspection/explanation.js'
import type { LookupKeys, NoLookups } from './policy/lookup-options.js'

/**
 * The read-through cache of one model: rows by id, by unique keys, and in lists. Rows that the store lacks are loaded from the source,
 * all misses of one tick together, and stored.
 *
 * Every caller gets a row of its own and may change it, unless the definition says `rows: 'shared'`. A store that is slow or
 * unavailable costs time, never an error: reads go to the source. Only the source can make a read fail.
 */
export interface ModelCache<Row, Id, Keys extends LookupKeys = NoLookups> {
  /**
   * Returns the row, or `null` if it does not exist.
   *
   * @throws InvalidIdError when the id has another type than in the schema
   * @throws LoadContractError when a `load` of the definition breaks its contract
   * @throws any error of the source
   */
  get(id: Id): Promise<Row | null>

  /**
   * Returns rows in the order of the ids, `null` for each that does not exist; an id may be listed twice. Rejects with the error of
   * the first id that cannot be loaded. The others are loaded and cached nevertheless: `getManySettled` returns them.
   */
  getMany(ids: readonly Id[]): Promise<(Row | null)[]>

  /** Like `getMany`, with the outcome of each id, as `Promise.allSettled` gives it. Never rejects. */
  getManySettled(ids: readonly Id[]): Promise<PromiseSettledResult<Row | null>[]>

  /**
   * Returns the row that has a unique key of the definition, or `null` if there is none.
   *
   * @param name of the key in `unique`
   * @throws InvalidIdError when the key has another type than in the schema
   * @throws any error of the source
   */
  getBy<Name extends keyof Keys['unique'] & string>(
    name: Name,
    key: Keys['unique'][Name],
  ): Promise<Row | null>

  /** Like `getBy` for several keys: the rows in their order, as `getMany` returns them. */
  getManyBy<Name extends keyof Keys['unique'] & string>(
    name: Name,
    keys: readonly Keys['unique'][Name][],
  ): Promise<(Row | null)[]>

  /**
   * Returns the rows of a list of the definition, in its order. Every caller gets an array of its own.
   *
   * @param name of the list in `lists`
   * @throws InvalidIdError when the key has another type than in the schema
   * @throws any error of the source
   */
  list<Name extends keyof Keys['lists'] & string>(name: Name, key: Keys['lists'][Name]): Promise<Row[]>

  /** Like `list` for several keys: one list for each, in their order, which is what a DataLoader needs. */
  listMany<Name extends keyof Keys['lists'] & string>(
    name: Name,
    keys: readonly Keys['lists'][Name][],
  ): Promise<Row[][]>

  /**
   * Stores rows that the application has just read from the source: outside of a transaction, at most `leaseMs` ago. Leaves out
   * rows that are stored already, or were written within `leaseMs`: what is there, or will be loaded, is at least as new. Resolves
   * without storing within a transaction of `extendPrisma`, and where the server may evict guards (see docs/consistency.md).
   *
   * @throws InvalidIdError
   * @throws ModelCacheError (`E_ENCODE`) when a row does not match the schema; then none is stored
   */
  prime(rows: readonly Row[]): Promise<void>

  /**
   * Invalidates rows, and negative entries, after the commit of a write that does not go through `extendPrisma`, also of one that
   * created rows. From then on this process does not read what was cached before, even if the store is unavailable: it retries until
   * the store has removed the rows. Within a transaction of `extendPrisma` the rows are fenced before its commit, as rows are that
   * Prisma writes.
   *
   * An id in another spelling stands for the stored one. Where only the database knows that one, as with `@db.Citext` and
   * `@db.Char`, all rows of the model are invalidated.
   *
   * @throws InvalidIdError
   */
  invalidate(ids: Id | readonly Id[]): Promise<void>

  /**
   * Invalidates what is cached for keys of a lookup, after the commit of a write that does not go through `extendPrisma` and that let
   * rows enter or move in a list, or gave a row this unique key. Otherwise the same as `invalidate`. Rows that leave need no
   * invalidation but that of the row.
   *
   * @throws InvalidIdError
   */
  invalidateBy<Name extends keyof (Keys['unique'] & Keys['lists']) & string>(
    name: Name,
    keys: (Keys['unique'] & Keys['lists'])[Name] | readonly (Keys['unique'] & Keys['lists'])[Name][],
  ): Promise<void>

  /** Invalidates all rows and lookups of the model, of all schema versions, in one step. */
  invalidateAll(): Promise<void>

  /**
   * Explains a row, layer by layer: whether a read would find it, how old it is, which writes guard it, and why it was last missed. For
   * people; it reads the store, and changes nothing.
   *
   * @throws InvalidIdError
   * @throws StoreError when the store does not answer
   */
  explain(id: Id): Promise<Explanation>
  /** Explains the entry of a lookup: `explain('ofItem', itemId)`. */
  explain<Name extends keyof (Keys['unique'] & Keys['lists']) & string>(
    name: Name,
    key: (Keys['unique'] & Keys['lists'])[Name],
  ): Promise<Explanation>
}
