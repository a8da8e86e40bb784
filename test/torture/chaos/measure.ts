import { findValkeyServer } from '../../support/valkey-server.ts'
import type { Variant } from '../bench/harness.ts'
import type { TortureRun } from '../define-torture.ts'
import type { FaultKinds, FaultyServer } from '../servers/access.ts'
import { ClusterServer } from '../servers/cluster-server.ts'
import { SentinelServer } from '../servers/sentinel-server.ts'
import { SingleServer } from '../servers/single-server.ts'
import type { DatabaseName } from './databases/database-access.ts'
import { openChaosDatabase } from './databases/open-database.ts'
import { type PhaseOptions, rehearseDefect, runPhase } from './phase.ts'
import type { PodL1 } from './rows.ts'
import { writeCounts } from './pod/writer.ts'

type Start = { start(faults?: FaultKinds): Promise<FaultyServer> }
const SERVERS = {
  single: SingleServer as Start,
  cluster: ClusterServer as Start,
  sentinel: SentinelServer as Start,
}

/** What a phase attacks. The strict phase always runs; `--only` chooses among the others. */
export interface PhasePlan extends Variant {
  readonly name: 'strict' | 'available' | 'restarts' | 'memory' | 'hot' | 'sentinel' | 'extended' | 'plain'
  /** Its part of the time. */
  readonly share: number
  readonly server: keyof typeof SERVERS
  /** Of the server. */
  readonly faults?: FaultKinds
  /** @default 'strict' */
  readonly mode?: 'strict' | 'available'
  /** @default false */
  readonly l1?: PodL1
  /** Whether no pod has caches, and no client is extended. @default false */
  readonly isPlain?: boolean
  /** Whether conflicts of its writes are compared: only pods and the database fail, and no write pauses. @default false */
  readonly isCompared?: boolean
}

export interface Effort {
  readonly minutes: number
  readonly pods: number
  readonly rows: number
  readonly fundraisers: number
}

/** Short, so that many of them come and go. */
const leaseMs = 1_000

export type Phase = Awaited<ReturnType<typeof runPhase>>
export type Chaos = Awaited<ReturnType<typeof measure>>

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
  const common = { ...counts, leaseMs, fenceMs, database }
  const phases: Partial<Record<PhasePlan['name'], Phase>> = {}
  for (const plan of plans.filter((one) => one.name === 'strict' || chosen.includes(one))) {
    const { name, share, mode = 'strict', l1 = false, isPlain = false, isCompared = false } = plan
    const options: PhaseOptions = {
      ...common,
      name,
      mode,
      l1,
      isPlain,
      isCompared,
      seconds: (run.minutes ?? minutes) * 60 * share,
    }
    if (!isPlain)
      await rehearse(name, ['fence left out', 'stale entry', 'child left out'], (defect) =>
        rehearseDefect(defect, options),
      )
    phases[name] = await runPhase(options, await SERVERS[plan.server].start(plan.faults))
  }
  const { plain, strict, ...others } = phases
  return {
    ...strict!,
    ...others,
    ...counts,
    server: `${server} ${version}`,
    database: title,
    fenceMs,
    leaseMs,
    ...(plain && { plain }),
    ...(plain && phases.extended && compareConflicts(phases.extended, plain, conflict)),
  }
}

/** Writes by Prisma that fail because of others, with the library and without. */
function compareConflicts(extended: Phase, plain: Phase, conflict: string) {
  const conflicts = [
    { client: 'extended', ...conflictsOf(extended, conflict) },
    { client: 'plain', ...conflictsOf(plain, conflict) },
  ] as const
  const [ours, theirs] = conflicts.map(({ perWrite }) => perWrite)
  return { conflict, conflicts, summary: { conflictsBesidePlain: ours! / theirs! } }
}

function conflictsOf({ counts }: Phase, code: string) {
  const writes = counts[writeCounts.committed] ?? 0
  const failed = counts[writeCounts.failed(code)] ?? 0
  return { writes, failed, perWrite: failed / writes }
}
