import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import type { FeatureFlags, PrismaClient } from '#prisma/client/client.js'
import type { LotRow } from '../../rows.ts'

export type RaisedFlag = Pick<FeatureFlags, 'id' | 'revision'>

/** A transaction outside of Prisma. */
export interface FlagTransaction {
  /** Raises the revisions of flags, which it locks in the order of ids, so that two transactions never wait for each other. */
  raise(ids: readonly string[]): Promise<readonly RaisedFlag[]>
  /** @throws {@link UnknownEnd} if it may have been committed */
  commit(): Promise<void>
  /** Nothing happens if that fails. */
  rollback(): Promise<void>
  /** Gives the connection back. @param isBroken whether it may still be executing a statement */
  release(isBroken: boolean): void
}

export type DirectLot = Omit<LotRow, 'bidCount'>

/** The database as one pod reaches it. */
export interface PodDatabase {
  /** For Prisma. */
  readonly adapter: SqlDriverAdapterFactory
  readonly Client: typeof PrismaClient
  /** Whether it returns the rows that it writes, so that Prisma has `updateManyAndReturn`. */
  readonly returnsWritten: boolean
  /** Reads flags as the `load` of an application does. */
  loadFlags(ids: readonly string[]): Promise<FeatureFlags[]>
  begin(): Promise<FlagTransaction>
  /** Not through a wire. */
  readonly direct: {
    lots(): Promise<DirectLot[]>
    /** In a transaction of its own. */
    raise(ids: readonly string[]): Promise<readonly RaisedFlag[]>
  }
  close(): Promise<unknown>
}

/** A COMMIT that may have succeeded: only a reply of the server shows that it has not. */
export class UnknownEnd extends Error {
  override readonly name = 'UnknownEnd'
}

export const selectLots = 'SELECT id, "fundraiserId", lot, "sortOrder", status FROM "AuctionItem" ORDER BY id'
