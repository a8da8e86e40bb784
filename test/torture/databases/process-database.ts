import type { Follow } from '@model-cache/follow'
import type { PrismaClient } from '#prisma/client/client.js'
import type { UserVersion } from '../users.ts'
import type { Send } from '../watched-prisma.ts'

/** The database as processes reach it: writers outside Prisma, readers and followers. */
export interface ProcessDatabase {
  /** Opens a plain client. @param onQuery called with each statement; `send` for PostgreSQL alone */
  openPrisma(onQuery: (sql: string) => void, send?: Send): PrismaClient
  /** Opens a plain driver, with as many connections. */
  openWriter(connections: number): DatabaseWriter
  /** @param slot undefined for a temporary one; `primaryUrl` where the database is a standby */
  follow(slot: string | undefined, primaryUrl: string | undefined): Follow
}

export interface DatabaseWriter {
  /**
   * Writes rows in a transaction, after it has deleted them if it `replaces` them.
   *
   * @returns the time that COMMIT took, in milliseconds
   */
  commit(users: readonly UserVersion[], replaces: boolean): Promise<number>
  /** The version that the database has of a row. */
  versionOf(row: number): Promise<number | undefined>
}
