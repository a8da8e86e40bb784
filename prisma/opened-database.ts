import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import type { PrismaClient } from './client/client.js'
import type { SqlSession } from './migrate.js'

/** An open database of any kind, for Prisma clients, migrations, health checks and shutdown. */
export interface Database {
  readonly kind: 'postgres' | 'mysql' | 'sqlite' | 'embedded'
  /** For logs, without credentials. */
  readonly description: string
  /** For `new Client({ adapter })`. */
  readonly adapter: SqlDriverAdapterFactory
  /** The generated client of this kind of database. All have the same models. */
  readonly Client: typeof PrismaClient
  /** Runs the work on one dedicated connection. */
  withSession<Result>(work: (session: SqlSession) => Promise<Result>): Promise<Result>
  /** Throws if the database is unreachable. */
  ping(): Promise<void>
  close(): Promise<void>
}
