import type { PrismaClient } from '#prisma/client/client.js'
import type { Follow } from 'model-cache/follow'

/** The database as processes reach it: writers outside Prisma, readers and followers. */
export interface ProcessDatabase {
  /** Opens a plain client. @param onQuery called with each statement */
  openPrisma(onQuery: () => void): PrismaClient
  /** Opens a plain driver, with as many connections. */
  openWriter(connections: number): DatabaseWriter
  /**
   * @param slot undefined for a temporary one
   * @param primaryUrl undefined unless the database is a standby
   */
  follow(slot: string | undefined, primaryUrl: string | undefined): Follow
}

export interface DatabaseWriter {
  /**
   * Writes rows in a transaction, after it has deleted them if it `replaces` them.
   *
   * @param versions of the rows
   * @returns the time that COMMIT took, in milliseconds
   */
  commit(rows: readonly number[], versions: readonly number[], replaces: boolean): Promise<number>
  /** The version that the database has of a row. */
  versionOf(row: number): Promise<number | undefined>
}
