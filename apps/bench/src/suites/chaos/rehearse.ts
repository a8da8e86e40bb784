import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#prisma/demo/random.js'
import { say } from '../../harness/progress.ts'
import { checkReads } from './check/check-reads.ts'
import { History } from './check/history.ts'
import { Fleet } from './fleet/fleet.ts'
import { createLots } from './lots/lot-table.ts'
import type { PhaseOptions } from './phase-options.ts'
import { hearingMsOf } from './phase-result.ts'
import { type Defect, defects } from './pod/defects.ts'
import { machineTime } from './pod/protocol.ts'
import { createRows } from './pod/revisions.ts'
import { SingleServer } from './servers/single-server.ts'

/** A defect that was switched on, and whether its stale reads were noticed. */
export interface Rehearsal {
  readonly defect: Defect
  /** Seconds of work until then; undefined if they were not noticed. */
  readonly noticedAfter: number | undefined
}

/** Two pods with a defect work without faults until the check of a phase notices it, or for this long. */
const DEADLINE_MS = 30_000
const LOOK_EVERY_MS = 500

/** Shows that a phase notices what it is there to notice, before it runs. */
export async function rehearse(options: PhaseOptions): Promise<readonly Rehearsal[]> {
  const rehearsals: Rehearsal[] = []
  for (const defect of defects) {
    const noticedAfter = await noticed(defect, options)
    rehearsals.push({ defect, noticedAfter })
    const when = noticedAfter === undefined ? 'NOT noticed' : `noticed after ${noticedAfter.toFixed(1)} s`
    say(`${options.name}: ${defect}, ${when}`)
  }
  return rehearsals
}

async function noticed(defect: Defect, options: PhaseOptions): Promise<number | undefined> {
  const { name, mode, l1, rows, fundraisers, leaseMs, fenceMs, database, databaseUrl, prisma } = options
  await database.query('TRUNCATE "FeatureFlags"')
  await createRows(database, rows)
  await createLots(database, prisma, fundraisers)
  // What is noticed does not depend on the kind of server.
  const server = await SingleServer.start()
  const history = new History()
  const fleet = new Fleet({
    settings: {
      directUrl: databaseUrl,
      rows,
      fundraisers,
      l1,
      defect,
      consistency: { mode, leaseMs, fenceMs, leaseWaitMs: 100 },
    },
    openWires: () => server.openWires(),
    random: createRandom(`rehearsal ${name}`),
    onWork: (pod, report) => history.add(pod, report),
  })
  try {
    await Promise.all((['first', 'first'] as const).map((kind) => fleet.start(kind)))
    const from = machineTime()
    for (const pod of fleet.pods) pod.order({ do: 'work' })
    while (machineTime() - from < DEADLINE_MS) {
      await sleep(LOOK_EVERY_MS)
      const circumstances = { fenceMs, hearingMs: hearingMsOf(l1), losses: [], caughtUp: history.caughtUp }
      const { violations } = checkReads(history, circumstances)
      if (violations.some(({ kind }) => kind !== 'backInTime')) return (machineTime() - from) / 1_000
    }
    return undefined
  } finally {
    await fleet.stop()
    await server.stop()
  }
}
