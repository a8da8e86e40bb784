import { extendPrisma } from 'model-cache'
import { databaseNamed } from '../../support/databases.ts'
import { patientTransactions } from '../../support/patience.ts'
import type { TestDatabase } from '../../support/test-database.ts'
import { PrismaClient } from '../differential/derived/mysql/client.ts'
import { dialectNamed } from '../differential/dialects/dialects.ts'
import { RecordingCoordinator } from '../writes/recording-coordinator.ts'

/** A database of MySQL with the tables and rows of the differential tests, a plain client, and one whose writes are recorded. */
export interface MysqlFixture {
  readonly database: TestDatabase
  readonly plain: PrismaClient
  readonly prisma: PrismaClient
  readonly recorder: RecordingCoordinator
  /** Makes the tables what they were in the beginning. */
  readonly refill: () => Promise<void>
  readonly close: () => Promise<void>
}

export async function openMysqlFixture(name = 'mysql'): Promise<MysqlFixture> {
  const database = await databaseNamed(name).create()
  const dialect = dialectNamed(name)
  await database.run(dialect.tables())
  const clientOf = (): PrismaClient =>
    new PrismaClient({ adapter: database.adapter(5), transactionOptions: patientTransactions })
  const [plain, client] = [clientOf(), clientOf()]
  const recorder = new RecordingCoordinator()
  return {
    database,
    plain,
    recorder,
    prisma: extendPrisma(client, recorder),
    refill: async () => database.run(await dialect.refill()),
    async close() {
      await recorder.ended()
      await Promise.all([plain.$disconnect(), client.$disconnect()])
      await database.drop()
    },
  }
}
