import type { Explanation } from './inspection/explanation.js'
import type { LookupKeys, NoLookups } from './policy/lookup-options.js'

/**
 * The read-through cache of one model: reads rows by id, by unique keys, and in lists. It loads rows that the store lacks from
 * the source, all misses of one tick together, and stores them.
 *
 * Every caller gets a row of its own and may change it, unless the definition says `rows: 'shared'`. A slow or unavailable store
 * costs time and never an error: reads go to the source. Only the source can make a read fail.
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
   * Returns rows in the order of the ids, `null` for each that does not exist; an id may be listed twice. Rejects with the error
   * of the first id that cannot be loaded. The others are loaded and stored nevertheless: `getManySettled` returns them.
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
   * Stores rows that you have just read from the source: outside of a transaction, at most `leaseMs` ago. Leaves out rows that
   * are stored already, and rows that somebody wrote within `leaseMs`: what is stored, or the next load, is at least as new.
   * You may change the rows after the call, before it resolves: it stores them as they were.
   * Stores nothing within a transaction of `extendPrisma`, or where the server may evict guards (see docs/consistency.md).
   *
   * @throws InvalidIdError
   * @throws ModelCacheError (`E_ENCODE`) when a row does not match the schema; then none is stored
   */
  prime(rows: readonly Row[]): Promise<void>

  /**
   * Invalidates rows and negative entries. Call it after the commit of a write outside Prisma, and after one that created rows.
   * From then on this process does not read what was cached before; if the store is unavailable, it retries until the store has
   * removed the rows. Within a transaction of `extendPrisma`, the rows are fenced before its commit, like rows that Prisma
   * writes.
   *
   * An id in another spelling stands for the stored one. If only the database knows the stored spelling, as with `@db.Citext` and
   * `@db.Char`, the call invalidates all rows of the model.
   *
   * @throws InvalidIdError
   */
  invalidate(ids: Id | readonly Id[]): Promise<void>

  /**
   * Invalidates the entries of keys of a lookup. Call it after the commit of a write outside Prisma that made rows join or move
   * in a list, or gave a row this unique key. Otherwise the same as `invalidate`. For a row that leaves a list, `invalidate` of
   * the row is enough.
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
   * Explains a row to people, layer by layer: whether a read would find it, how old it is, which writes guard it, and why it was
   * last missed. Reads the store, and changes nothing.
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
