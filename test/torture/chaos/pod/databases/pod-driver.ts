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

/** Begins a transaction of a server on a connection of its own. @param isReply whether an error is a reply of the server */
export async function beginOn(
  { release, rows }: Pick<Transaction, 'release' | 'rows'>,
  isReply: (error: unknown) => boolean,
): Promise<Transaction> {
  let isLost = false
  try {
    await rows('BEGIN')
  } catch (error) {
    release(true)
    throw error
  }
  return {
    rows,
    async commit() {
      try {
        await rows('COMMIT')
      } catch (error) {
        if (isReply(error)) throw error
        throw new UnknownEnd('', { cause: error })
      }
    },
    async rollback() {
      await rows('ROLLBACK').catch(() => (isLost = true))
    },
    release: (isBroken) => release(isBroken || isLost),
  }
}
