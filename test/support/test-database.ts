import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'

/** A fresh, empty database of a test, of any kind. */
export interface TestDatabase {
  readonly url: string
  /**
   * For `new PrismaClient({ adapter })`.
   *
   * @param connections at most so many. @default that of the driver
   */
  adapter(connections?: number): SqlDriverAdapterFactory
  /** Runs a script of several statements, outside of Prisma. */
  run(script: string): Promise<void>
  /** Runs one query outside of Prisma. */
  rows<Row>(sql: string): Promise<Row[]>
  /** Removes the database. Clients must be disconnected. */
  drop(): Promise<void>
}
