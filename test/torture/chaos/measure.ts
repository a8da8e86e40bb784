import pg from 'pg'
import { findValkeyServer } from '../../support/valkey-server.ts'
import type { Variant } from '../bench/harness.ts'
import { openPostgres } from '../bench/built.ts'
import type { TortureRun } from '../define-torture.ts'
import type { FaultKinds, FaultyServer } from '../servers/access.ts'
import { ClusterServer } from '../servers/cluster-server.ts'
import { SentinelServer } from '../servers/sentinel-server.ts'
import { SingleServer } from '../servers/single-server.ts'
import { type PhaseOptions, rehearseDefect, runPhase } from './phase.ts'

type Start = { start(faults?: FaultKinds): Promise<FaultyServer> }
const SERVERS = {
  single: SingleServer as Start,
  cluster: ClusterServer as Start,
  sentinel: SentinelServer as Start,
}

/** What a phase attacks. The strict phase always runs; `--only` chooses among the others. */
export interface PhasePlan extends Variant {
  readonly name: 'strict' | 'available' | 'restarts' | 'memory' | 'sentinel'
  /** Its part of the time. */
  readonly share: number
  readonly server: keyof typeof SERVERS
  /** Of the server. */
  readonly faults?: FaultKinds
  /** @default 'strict' */
  readonly mode?: 'strict' | 'available'
  /** @default false */
  readonly l1?: boolean
}

export interface Effort {
  readonly minutes: number
  readonly pods: number
  readonly rows: number
  readonly fundraisers: number
}

/** Short, so that many of them come and go. */
const leaseMs = 1_000
const fenceMs = 3_000

export type Phase = Awaited<ReturnType<typeof runPhase>>
export type Chaos = Awaited<ReturnType<typeof measure>>

export async function measure(run: TortureRun<Effort, PhasePlan>, plans: readonly PhasePlan[]) {
  const { chosen, effort, rehearse, use } = run
  const { minutes, ...counts } = effort
  const { name: server, version } = await findValkeyServer()
  const postgres = await use(openPostgres())
  const database = new pg.Pool({ connectionString: postgres.url, max: 4 })
  database.on('error', () => {})
  await use({ close: () => database.end() })
  const prisma = postgres.openPrisma()
  await use({ close: () => prisma.$disconnect() })
  const common = { ...counts, leaseMs, fenceMs, database, prisma, databaseUrl: postgres.url }
  const phases: Partial<Record<PhasePlan['name'], Phase>> = {}
  for (const plan of plans.filter((one) => one.name === 'strict' || chosen.includes(one))) {
    const { name, share, mode = 'strict', l1 = false } = plan
    const options: PhaseOptions = {
      ...common,
      name,
      mode,
      l1,
      seconds: (run.minutes ?? minutes) * 60 * share,
    }
    await rehearse(name, ['fence left out', 'stale entry', 'child left out'], (defect) =>
      rehearseDefect(defect, options),
    )
    phases[name] = await runPhase(options, await SERVERS[plan.server].start(plan.faults))
  }
  const { strict, ...others } = phases
  return {
    ...strict!,
    ...others,
    ...counts,
    server: `${server} ${version}`,
    database: postgres.name,
    fenceMs,
    leaseMs,
  }
}
