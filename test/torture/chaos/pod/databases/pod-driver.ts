import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import type { PrismaClient } from '#prisma/client/client.js'

interface Connection {
  /** @param ids for `IDS` in the statement */
  rows<Row>(sql: string, ids?: readonly string[]): Promise<Row[]>
}

export interface Transaction extends Connection {
  /** @throws {@link UnknownEnd} if it may have been committed */
  commit(): Promise<void>
  /** Nothing happens if that fails. */
  rollback(): Promise<void>
  /** Gives the connection back. @param isBroken whether it may still be executing a statement */
  release(isBroken: boolean): void
}

export interface Pool extends Connection {
  begin(): Promise<Transaction>
}

/** How one kind of database is reached. */
export interface PodDriver {
  /** For Prisma. */
  readonly adapter: SqlDriverAdapterFactory
  readonly Client: typeof PrismaClient
  /** Whether the database returns the rows that it writes, so that Prisma has `updateManyAndReturn`. */
  readonly returnsWritten: boolean
  /** Whether rows can be locked. Otherwise a write locks all. */
  readonly locksRows: boolean
  /** The time, in SQL. */
  readonly now: string
  readonly pool: Pool
  /** Not through a wire. */
  readonly direct: Pool
  close(): Promise<unknown>
}

/** A COMMIT that may have succeeded: only a reply of the server shows that it has not. */
export class UnknownEnd extends Error {
  override readonly name = 'UnknownEnd'
}
