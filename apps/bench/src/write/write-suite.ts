import { PrismaPg } from '@prisma/adapter-pg'
import { Redis } from 'ioredis'
import pg from 'pg'
import { PrismaClient } from '#prisma/client/client.js'
import { startPostgres } from '../../../../test/support/postgres-server.ts'
import { describeValkey, startValkey } from '../../../../test/support/valkey-server.ts'
import { migrate } from '../measure/migrate.ts'
import { say } from '../progress.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { openRows } from './measured-rows.ts'
import { missTasks } from './miss-tasks.ts'
import { scriptTasks } from './script-tasks.ts'
import { writeFigures } from './write-figures.ts'
import { presentWrite, ratiosOf } from './present-write.ts'
import { summarise } from './summarise.ts'
import { takeCosts } from './take-costs.ts'
import type { WriteMeasurements } from './write-measurements.ts'
import { writeTasks } from './write-tasks.ts'

const FULL = { rounds: 31, warmUps: 10 }
const QUICK = { rounds: 3, warmUps: 1 }

/** What consistency costs: fences beside writes without, leases beside misses without, scripts beside single commands. */
export const writeSuite: Suite<WriteMeasurements> = {
  packages: ['@prisma/client', 'ioredis', 'pg'],
  run: measure,
  present: presentWrite,
  figures: writeFigures,
  headline: ({ summary }) => ratiosOf(summary),
}

async function measure({ quick }: RunOptions): Promise<WriteMeasurements> {
  const effort = quick ? QUICK : FULL
  const [server, postgres] = await Promise.all([startValkey(), startPostgres()])
  await migrate(postgres.url)
  const pool = new pg.Pool({ connectionString: postgres.url, max: 4 })
  // Both are ended before the server is.
  const openPrisma = (): PrismaClient =>
    new PrismaClient({ adapter: new PrismaPg({ connectionString: postgres.url, max: 4 }) })
  const prisma = openPrisma()
  // A client of its own: from then on all that go through it are fenced.
  const fencing = openPrisma()
  const redis = new Redis(server.port, server.host)
  try {
    const rows = await openRows(prisma, redis, server.url)
    const [text = ''] = await rows.stored()
    const tasks = [...writeTasks(rows, fencing, pool), ...missTasks(rows), ...scriptTasks(rows, text)]
    const name = await describeValkey(server.url)
    say(`${name}: ${tasks.length} tasks, ${effort.rounds} rounds`)
    const cases = await takeCosts(tasks, redis, effort)
    await rows.close()
    return {
      server: name,
      database: `PostgreSQL ${postgres.version}`,
      rounds: effort.rounds,
      bytesPerRow: Buffer.byteLength(text),
      cases,
      summary: summarise(cases),
    }
  } finally {
    redis.disconnect()
    await Promise.all([prisma.$disconnect(), fencing.$disconnect(), pool.end()])
    await Promise.all([server.stop(), postgres.stop()])
  }
}
