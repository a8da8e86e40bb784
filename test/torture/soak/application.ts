import { setTimeout as sleep } from 'node:timers/promises'
import { type Process, say, sum } from '../bench/harness.ts'
import { postgresqlLog } from '../databases/database-log.ts'
import { openPostgresql } from '../databases/database-server.ts'
import { openPool } from '../databases/open-pool.ts'
import type { Defect } from '../defects.ts'
import { start } from '../process.ts'
import { SoakedProcess } from './course.ts'
import { InspectorPage } from './inspector-page.ts'
import type { Pod, PodSettings } from './pod-process.ts'
import { randomOf, type Release } from './rows.ts'
import { insertRows, SqlWriter } from './sql-writer.ts'

/** The first two pods are there from the start; the third one is deployed, and the first one ends soon after. */
const DEPLOY_AT = 1 / 3
export const DEPLOYED_AT = 0.4
/** From where on the heap and the keys of what lasts to the end are measured. */
export const MEASURED_FROM = 0.5

const CATCH_UP_MS = 60_000
/** Until a message of the follower has reached all processes. */
const MESSAGE_MS = 300

interface RunningPod {
  readonly process: Process<Pod, { readonly url: string }>
  readonly page: InspectorPage
  readonly soaked: SoakedProcess
}

export interface ApplicationOptions {
  readonly valkeyUrl: string
  readonly minutes: number
  /** Of the stores of all pods, in a rehearsal. */
  readonly defect?: Defect
}

export type Application = Awaited<ReturnType<typeof openApplication>>

/** Pods of an application that is deployed meanwhile, over a database that is also written outside Prisma. */
export async function openApplication({ defect, minutes, valkeyUrl }: ApplicationOptions) {
  const database = await openPostgresql({ wal_level: 'logical' })
  const pool = openPool(database.url)
  const log = postgresqlLog(database)
  const writer = new SqlWriter(pool, randomOf('writer'))
  const soaked: SoakedProcess[] = []
  const pages: InspectorPage[] = []
  const works = new Map<SoakedProcess, Awaited<ReturnType<Pod['work']>>>()
  let pods: readonly RunningPod[] = []
  let step = 0
  let [compared, stale] = [0, 0]
  let firstStale: string | undefined

  async function startPod(release: Release, fromMinute: number, measuredFrom: number): Promise<void> {
    const number = soaked.length
    const settings: PodSettings = { number, release, databaseUrl: database.url, valkeyUrl, defect }
    const process = await start<Pod, { readonly url: string }>(
      import.meta.dirname,
      'pod-process.ts',
      settings,
    )
    const pod = {
      process,
      page: new InspectorPage(process.hello.url),
      soaked: new SoakedProcess(`pod ${number + 1}, ${release} schema`, fromMinute, measuredFrom),
    }
    soaked.push(pod.soaked)
    pages.push(pod.page)
    pods = [...pods, pod]
  }

  async function endPod({ page, process }: RunningPod): Promise<void> {
    await page.close()
    await process.call('leave')
    await process.stop()
  }

  /** Resolves when the follower has taken all that was written. */
  async function catchUp(): Promise<void> {
    const deadline = performance.now() + CATCH_UP_MS
    const end = await log.end()
    while (!(await log.hasTaken(end))) {
      if (performance.now() > deadline)
        throw new Error(`The follower has not taken the last commit within ${CATCH_UP_MS} ms.`)
      await sleep(50)
    }
    await sleep(MESSAGE_MS)
  }

  const application = {
    database: database.title,
    soaked,
    /** The schema changes while the application runs, as by a deployment. */
    async deploy(minute: number): Promise<void> {
      if (step === 0 && minute >= DEPLOY_AT * minutes) {
        step++
        say(`${minute.toFixed(1)} min: another pod starts, with another schema`)
        return startPod('next', minute, (minute + minutes) / 2)
      }
      const [first, ...others] = pods as [RunningPod, ...RunningPod[]]
      // A short run on a busy machine has too few samples of it by then.
      if (step === 1 && minute >= DEPLOYED_AT * minutes && first.soaked.isMeasured) {
        step++
        pods = others
        say(`${minute.toFixed(1)} min: ${first.soaked.name} ends`)
        await endPod(first)
      }
    },
    /** Reads and writes for a while. Resolves when all processes are at rest. */
    async work(forMs: number): Promise<void> {
      const working = pods.map(async (pod) => {
        works.set(pod.soaked, await pod.process.call('work', forMs))
      })
      await Promise.all([writer.work(forMs), ...working])
    },
    /** Takes what the processes hold at rest. */
    async look(minute: number): Promise<void> {
      await Promise.all(pods.map(async (pod) => pod.soaked.add(minute, await pod.process.call('look'))))
    },
    /** Compares all caches with the database, at rest. */
    async compare(): Promise<void> {
      await catchUp()
      for (const found of await Promise.all(pods.map(({ process }) => process.call('compare')))) {
        compared += found.compared
        stale += found.stale
        if (found.firstStale !== undefined) say(`Stale: ${found.firstStale}`)
        firstStale ??= found.firstStale
      }
    },
    progress() {
      const all = [...works.values(), ...pages, writer]
      const total = (name: 'reads' | 'writes' | 'queries' | 'audits' | 'staleAudits' | 'conflicts'): number =>
        sum(Array.from(works.values(), (work) => work[name]))
      const firstError = all.find((one) => one.firstError !== undefined)?.firstError
      return {
        pods: soaked.length,
        reads: total('reads'),
        writes: total('writes'),
        queries: total('queries'),
        audits: total('audits'),
        staleAudits: total('staleAudits'),
        statements: writer.statements,
        conflicts: writer.conflicts + total('conflicts'),
        inspections: sum(pages.map(({ answers }) => answers)),
        errors: sum(all.map(({ errors }) => errors)),
        ...(firstError !== undefined && { firstError }),
        compared,
        stale,
        ...(firstStale !== undefined && { firstStale }),
      }
    },
    async close(): Promise<void> {
      await Promise.all(pods.map(endPod))
      await pool.end()
      await database.close()
    },
  }
  try {
    await insertRows(pool)
    await startPod('current', 0, 0.2 * minutes)
    await startPod('current', 0, MEASURED_FROM * minutes)
  } catch (error) {
    await application.close()
    throw error
  }
  return application
}
