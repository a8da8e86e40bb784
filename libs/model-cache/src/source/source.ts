/** ID -> ROW. Where rows come from when the store does not have them. */
export interface Source<Row, Id> {
  /** The most ids of one call. @default 5_000 */
  readonly maxIds?: number | undefined

  /**
   * Loads rows by id, in one round trip where it can. Rows come in any order; an id without a row is left out.
   * Rejects when the rows cannot be loaded, for all ids of the call.
   *
   * @param client to load through instead of its own: that of a transaction, which sees what it has written
   */
  load(ids: readonly Id[], client?: object): Promise<readonly Row[]>

  /**
   * Whether a transaction is one of the database that rows are loaded from, by the client of the transaction. Reads within
   * other transactions are answered as those outside of any. @default all are
   */
  isOwnTransaction?(client: object): boolean

  /**
   * Whether an id is spelled as the database stores it, so that a row of it would be created under no other spelling. Only then is
   * it remembered that there is none: a write names ids as they are stored. Left out where it is not known.
   */
  readonly isCanonical?: ((id: Id) => boolean) | undefined

  /**
   * The id as the database stores it, by which writes name its row; undefined where only the database knows. Left out where ids are
   * taken as they are.
   */
  readonly canonicalOf?: ((id: Id) => Id | undefined) | undefined

  /** Whether a failed load may be the fault of one id among several, so that loading them apart can help. */
  mayBlameOneId(error: unknown): boolean
}
