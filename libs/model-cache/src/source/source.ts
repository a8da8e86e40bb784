import type { SchemaFacts } from './schema-facts.js'

/** A query for rows, as Prisma takes it. */
export interface RowQuery {
  readonly where: object
  readonly orderBy: readonly object[]
  readonly take?: number | undefined
}

/** ID -> ROW. Where rows come from if the store does not have them. */
export interface Source<Row, Id> {
  /** The maximum number of ids per call. @default 5_000 */
  readonly maxIds?: number | undefined

  /**
   * Whether {@link load} takes one id per call, because each id is a query of its own. The calls of a tick run at once; each has a deadline
   * of its own, and its row is delivered and stored as soon as it ends. @default all ids of a tick share a call
   */
  readonly isEachAlone?: boolean | undefined

  /** What the schema behind the rows says. Leave it out if there is none. */
  readonly facts?: SchemaFacts | undefined

  /**
   * Loads rows by id, in one round trip if possible. Rows come in any order; ids without a row are left out.
   * Rejects if the rows cannot be loaded, for all ids of the call.
   *
   * @param client the client of a transaction to load through, so that the load sees the transaction's own writes
   */
  load(ids: readonly Id[], client?: object): Promise<readonly Row[]>

  /**
   * Finds rows by a condition, in one round trip, for the lookups of a cache. Leave it out if the source only knows ids.
   *
   * @param client as for {@link load}
   */
  find?(query: RowQuery, client?: object): Promise<readonly Row[]>

  /**
   * Whether a transaction belongs to the database that rows are loaded from, by the transaction's client. Reads within
   * other transactions are served like reads outside of transactions. @default all transactions do
   */
  isOwnTransaction?(client: object): boolean

  /**
   * Whether an id is spelled as the database stores it, so that its row cannot be created under another spelling. Writes name ids
   * as they are stored, so only such ids get a negative entry. Leave it out if this is unknown.
   */
  readonly isCanonical?: ((id: Id) => boolean) | undefined

  /**
   * Spells an id as the database stores it, which is how writes name its row. Returns undefined if only the database can. Leave it out
   * if ids have one spelling.
   */
  readonly canonicalOf?: ((id: Id) => Id | undefined) | undefined

  /**
   * A client of the primary, where rows are loaded from a standby of it. {@link load} and {@link find} get it as `client` for rows that the
   * standby may not have as this region has written them; these are not stored. @default the standby has what there is
   */
  readonly primary?: object | undefined

  /** Whether rows are loaded from replicas, which lag behind what was written. @default no */
  isFromReplicas?(): boolean

  /**
   * Begins to watch a load. Returns a check whether everything that was read since is committed; what may not be is not stored. Leave it
   * out if loads read nothing else.
   */
  readonly watchLoad?: (() => () => boolean) | undefined

  /** Whether one id among several may have caused a failed load, so that loading them in halves can help. */
  mayBlameOneId(error: unknown): boolean

  /**
   * Whether a failed load is the answer of the database that it has no such row. No stale row is served in its place, and what is stored ends.
   * Leave it out if no load fails so.
   */
  isAnswer?(error: unknown, id: Id): boolean
}
