import { extendPrisma, type ExtendPrismaOptions } from 'model-cache'
import pg from 'pg'
import { PrismaClient } from '#prisma/client/client.js'
import { type Database, openDatabase } from '#prisma/database.js'
import { createDemoDatabase } from '../../support/demo-database.js'
import { patientTransactions } from '../../support/patience.js'
import { RecordingCoordinator } from './recording-coordinator.js'

/** A seeded database with an extended client, a plain one, and a separate connection. */
export interface WritesFixture {
  readonly url: string
  readonly plain: PrismaClient
  readonly prisma: PrismaClient
  readonly recorder: RecordingCoordinator
  /** A new client of the same database, without extensions. */
  readonly openClient: () => PrismaClient
  /** The SQL of the extended client since the last call, without the statements that begin and end transactions. */
  readonly statements: () => string[]
  /** One value, read over the separate connection. */
  readonly value: (sql: string, parameters?: unknown[]) => Promise<unknown>
  readonly close: () => Promise<void>
}

export async function openWritesFixture(options?: ExtendPrismaOptions): Promise<WritesFixture> {
  const { url, drop } = await createDemoDatabase()
  const database: Database = await openDatabase({ url })
  const client = new PrismaClient({
    adapter: database.adapter,
    log: [{ emit: 'event', level: 'query' }],
    transactionOptions: patientTransactions,
  })
  const opened: PrismaClient[] = []
  const openClient = (): PrismaClient => {
    const other = new PrismaClient({ adapter: database.adapter, transactionOptions: patientTransactions })
    opened.push(other)
    return other
  }
  const plain = openClient()
  const queries: string[] = []
  client.$on('query', ({ query }) => queries.push(query))
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  const recorder = new RecordingCoordinator()
  return {
    url,
    plain,
    openClient,
    prisma: extendPrisma(client as PrismaClient, recorder, options),
    recorder,
    statements: () => queries.splice(0).filter((query) => !/^(BEGIN|COMMIT|ROLLBACK)/.test(query)),
    value: async (sql, parameters) => Object.values((await other.query(sql, parameters)).rows[0] ?? {})[0],
    close: async () => {
      await recorder.ended()
      await other.end()
      for (const each of [client, ...opened]) await each.$disconnect()
      await database.close()
      await drop()
    },
  }
}
