import { findValkeyServer } from '../../support/valkey-server.ts'
import { intervalOfRates } from '../bench/harness.ts'
import type { TortureRun } from '../define-torture.ts'
import type { FaultKinds, FaultyServer } from '../servers/access.ts'
import { ClusterServer } from '../servers/cluster-server.ts'
import { SentinelServer } from '../servers/sentinel-server.ts'
import { SingleServer } from '../servers/single-server.ts'
import type { DatabaseName } from './databases/chaos-database.ts'
import { openChaosDatabase } from './databases/open-database.ts'
import { LEASE_MS, type PhasePlan, rehearseDefect, runPhase } from './phase.ts'
import { writeCounts } from './pod/writer.ts'

type Start = { start(faults?: FaultKinds): Promise<FaultyServer> }
const SERVERS: Readonly<Record<PhasePlan['server'], Start>> = {
  single: SingleServer,
  cluster: ClusterServer,
  sentinel: SentinelServer,
}

export interface Effort {
  readonly minutes: number
  readonly pods: number
  readonly rows: number
  readonly fundraisers: number
}

export type Phase = Awaited<ReturnType<typeof runPhase>>
export type Chaos = Awaited<ReturnType<typeof measure>>

const defects = ['fence left out', 'stale entry', 'child left out'] as const

export async function measure(
  run: TortureRun<Effort, PhasePlan>,
  plans: readonly PhasePlan[],
  databaseName: DatabaseName,
) {
  const { chosen, effort, rehearse, use } = run
  const { minutes, ...counts } = effort
  const { name: server, version } = await findValkeyServer()
  const database = await use(openChaosDatabase(databaseName))
  const { conflict, fenceMs, title } = database
  const phases: Partial<Record<PhasePlan['name'], Phase>> = {}
  for (const plan of plans.filter((one) => one.name === 'strict' || chosen.includes(one))) {
    const setting = { ...counts, plan, database }
    if (!plan.isPlain)
      await rehearse(
        plan.name,
        [...defects, ...(plan.atRest ? (['key never learned'] as const) : [])],
        (defect) => rehearseDefect(defect, setting),
      )
    const seconds = (run.minutes ?? minutes) * 60 * plan.share
    phases[plan.name] = await runPhase(setting, seconds, await SERVERS[plan.server].start(plan.faults))
  }
  const { plain, strict, ...others } = phases
  return {
    ...strict!,
    ...others,
    ...counts,
    server: `${server} ${version}`,
    database: title,
    fenceMs,
    leaseMs: LEASE_MS,
    ...(plain && { plain }),
    ...(plain && phases.extended && compareConflicts(phases.extended, plain, conflict)),
  }
}

/** Writes by Prisma that fail because of others, with the library and without. */
function compareConflicts(extended: Phase, plain: Phase, conflict: string) {
  const conflictsOf = (client: string, { counts }: Phase) => {
    const writes = counts[writeCounts.committed] ?? 0
    const failed = counts[writeCounts.failed(conflict)] ?? 0
    return { client, writes, failed, perWrite: failed / writes }
  }
  const [ours, theirs] = [conflictsOf('extended', extended), conflictsOf('plain', plain)]
  return {
    conflict,
    conflicts: [ours, theirs],
    summary: { conflictsBesidePlain: ours.perWrite / theirs.perWrite },
    intervals: {
      conflictsBesidePlain: intervalOfRates(
        { times: ours.failed, of: ours.writes },
        { times: theirs.failed, of: theirs.writes },
      ),
    },
  }
}
