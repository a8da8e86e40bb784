import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#prisma/demo/random.js'
import type { Defect } from '../defects.ts'
import { untilNoticed } from '../rehearsal.ts'
import { checkReads } from './check/check-reads.ts'
import { History } from './check/history.ts'
import { Fleet } from './fleet/fleet.ts'
import { createLots } from './lots/lot-table.ts'
import type { PhaseOptions } from './phase-options.ts'
import { hearingMsOf } from './phase-result.ts'
import { createRows } from './pod/revisions.ts'
import { SingleServer } from './servers/single-server.ts'

const LOOK_EVERY_MS = 500

/** Has two pods with a defect work without faults until the check of a phase notices it. */
export async function rehearseDefect(defect: Defect, options: PhaseOptions): Promise<number | undefined> {
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
    for (const pod of fleet.pods) pod.order({ do: 'work' })
    return await untilNoticed(async () => {
      await sleep(LOOK_EVERY_MS)
      const circumstances = { fenceMs, hearingMs: hearingMsOf(l1), losses: [], caughtUp: history.caughtUp }
      const { violations } = checkReads(history, circumstances)
      return violations.some(({ kind }) => kind !== 'backInTime')
    })
  } finally {
    await fleet.stop()
    await server.stop()
  }
}
