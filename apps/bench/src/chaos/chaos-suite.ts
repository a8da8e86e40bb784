import pg from 'pg'
import { findValkeyServer } from '../../../../test/support/valkey-server.ts'
import { startPostgres } from '../../../../test/support/postgres-server.ts'
import { migrate } from '../measure/migrate.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import type { ChaosMeasurements, PhaseMeasurements } from './chaos-measurements.ts'
import { problemsOf } from './problems-of.ts'
import { runPhase } from './run-phase.ts'
import { chaosFigures } from './chaos-figures.ts'
import { chaosHeadline } from './chaos-headline.ts'
import { presentChaos } from './present-chaos.ts'

const FULL = { minutes: 4.5, rows: 400, pods: 4 }
const QUICK = { minutes: 0.4, rows: 100, pods: 2 }
/** How much of the time each phase gets. */
const SHARES = { strict: 0.76, available: 0.12, memory: 0.12 }
type Phase = keyof typeof SHARES

/** Short, so that many of them come and go. */
const leaseMs = 1_000
const fenceMs = 3_000

/** Whether anybody ever reads an old row, of several processes that write while all goes wrong that can. */
export const chaosSuite: Suite<ChaosMeasurements> = {
  packages: ['@prisma/client', 'ioredis', 'pg'],
  run: measure,
  present: presentChaos,
  figures: chaosFigures,
  headline: chaosHeadline,
  problems: ({ problems }) => problems,
}

async function measure({ quick, minutes }: RunOptions): Promise<ChaosMeasurements> {
  const { rows, pods, ...effort } = quick ? QUICK : FULL
  const seconds = (minutes ?? effort.minutes) * 60
  const { name, version } = await findValkeyServer()
  const postgres = await startPostgres()
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 })
  database.on('error', () => {})
  try {
    await migrate(postgres.url)
    const common = { pods, rows, leaseMs, fenceMs, databaseUrl: postgres.url, database }
    const run = (name: Phase, mode: 'strict' | 'available', l1: boolean): Promise<PhaseMeasurements> =>
      runPhase({ ...common, name, mode, l1, seconds: seconds * SHARES[name] })
    const strict = await run('strict', 'strict', false)
    const available = await run('available', 'available', false)
    const memory = await run('memory', 'strict', true)
    return {
      ...strict,
      server: `${name} ${version}`,
      database: `PostgreSQL ${postgres.version}`,
      pods,
      rows,
      fenceMs,
      leaseMs,
      available,
      memory,
      problems: [
        ...problemsOf('strict', strict),
        ...problemsOf('available', available),
        ...problemsOf('memory', memory),
      ],
    }
  } finally {
    await database.end()
    await postgres.stop()
  }
}
