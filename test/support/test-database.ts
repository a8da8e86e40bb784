import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'

/** A fresh, empty database of a test, of any kind. */
export interface TestDatabase {
  readonly url: string
  /**
   * For `new PrismaClient({ adapter })`.
   *
   * @param connections at most so many. @default that of the driver
   * @param role of PostgreSQL, which the connections take. @default that of the test
   */
  adapter(connections?: number, role?: string): SqlDriverAdapterFactory
  /** Runs a script of several statements, outside of Prisma. */
  run(script: string): Promise<void>
  /** Runs one query outside of Prisma. */
  rows<Row>(sql: string): Promise<Row[]>
  /** Runs several queries outside of Prisma, and returns the rows of each. Nothing that the database has is lost in JavaScript. */
  rowsOfAll(queries: readonly string[]): Promise<object[][]>
  /** Ends the connections of all others, whatever they run. Of a file, there are none. */
  breakConnections(): Promise<void>
  /** Removes the database. Clients must be disconnected. */
  drop(): Promise<void>
}
