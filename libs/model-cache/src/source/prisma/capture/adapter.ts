/** What driver adapters and Prisma say to each other, as far as it concerns writes: `@prisma/driver-adapter-utils`. */

export interface SqlQuery {
  readonly sql: string
  readonly args: readonly unknown[]
  readonly argTypes: readonly unknown[]
}

export interface SqlResultSet {
  columnNames: string[]
  columnTypes: number[]
  rows: unknown[][]
  /** For MySQL: the number that the server generated for the first row of an INSERT. */
  lastInsertId?: string | undefined
}

export interface Queryable {
  queryRaw(query: SqlQuery): Promise<SqlResultSet>
  /** Returns the number of rows. */
  executeRaw(query: SqlQuery): Promise<number>
}

export interface Transaction extends Queryable {
  /** Whether `commit` and `rollback` send the statement; otherwise they only return the connection. */
  readonly options: { readonly usePhantomQuery: boolean }
  commit(): Promise<void>
  rollback(): Promise<void>
  createSavepoint?(name: string): Promise<void>
  rollbackToSavepoint?(name: string): Promise<void>
  releaseSavepoint?(name: string): Promise<void>
}

/** Whether what is sent belongs to a transaction. */
export function isTransaction(queryable: Queryable): queryable is Transaction {
  return 'rollback' in queryable
}

export interface Adapter extends Queryable {
  /** For example `@prisma/adapter-pg`. */
  readonly adapterName?: string
  startTransaction(level?: string): Promise<Transaction>
  /** What Prisma asks of the database. */
  getConnectionInfo?(): { readonly supportsRelationJoins?: boolean }
  /** What it is made of: of `@prisma/adapter-pg`, the pool. */
  underlyingDriver?(): object
  dispose(): Promise<void>
}

export interface AdapterFactory {
  readonly adapterName?: string
  readonly options?: { readonly schema?: string }
  connect(): Promise<Adapter>
}

/** Sends a statement as it is, for whoever wants its rows, or how many there are: either kind of result goes back as it came. */
export function sendTo(queryable: Queryable, query: SqlQuery, wantsRows: boolean): Promise<never> {
  const sent: Promise<unknown> = wantsRows ? queryable.queryRaw(query) : queryable.executeRaw(query)
  return sent as Promise<never>
}

/** A statement without parameters. */
export function plainQuery(sql: string): SqlQuery {
  return { sql, args: [], argTypes: [] }
}
