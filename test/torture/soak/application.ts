import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openPostgres } from '../bench/built.ts'
import { type Process, say, startProcess, sum } from '../bench/harness.ts'
import type { Defect } from '../defects.ts'
import { currentLsn, isConfirmed } from '../slots.ts'
import { SoakedProcess } from './course.ts'
import { InspectorPage } from './inspector-page.ts'
import type { Pod } from './pod-process.ts'
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

type Work = Awaited<ReturnType<Pod['work']>>

/** Pods of an application that is deployed meanwhile, over a database that is also written outside Prisma. */
export class Application {
  readonly database: string
  readonly soaked: SoakedProcess[] = []
  readonly #postgres: Awaited<ReturnType<typeof openPostgres>>
  readonly #pool: pg.Pool
  readonly #writer: SqlWriter
  readonly #options: {
    readonly valkeyUrl: string
    readonly minutes: number
    readonly defect: Defect | undefined
  }
  readonly #pages: InspectorPage[] = []
  readonly #works = new Map<string, Work>()
  #pods: readonly RunningPod[] = []
  #step = 0
  compared = 0
  stale = 0
  firstStale: string | undefined

  private constructor(
    postgres: Awaited<ReturnType<typeof openPostgres>>,
    options: { readonly valkeyUrl: string; readonly minutes: number; readonly defect: Defect | undefined },
  ) {
    this.#postgres = postgres
    this.#options = options
    this.database = postgres.name
    this.#pool = new pg.Pool({ connectionString: postgres.url, max: 2 })
    this.#pool.on('error', () => {})
    this.#writer = new SqlWriter(this.#pool, randomOf('writer'))
  }

  /** @param defect of the stores of all pods, in a rehearsal */
  static async open(valkeyUrl: string, minutes: number, defect?: Defect): Promise<Application> {
    const postgres = await openPostgres({
      wal_level: 'logical',
      max_wal_senders: '10',
      max_replication_slots: '10',
    })
    const application = new Application(postgres, { valkeyUrl, minutes, defect })
    try {
      await insertRows(application.#pool)
      await application.#start('current', 0, 0.2 * minutes)
      await application.#start('current', 0, MEASURED_FROM * minutes)
    } catch (error) {
      await application.close()
      throw error
    }
    return application
  }

  /** The schema changes while the application runs, as by a deployment. */
  async deploy(minute: number): Promise<void> {
    if (this.#step === 0 && minute >= DEPLOY_AT * this.#options.minutes) {
      this.#step++
      say(`${minute.toFixed(1)} min: another pod starts, with another schema`)
      await this.#start('next', minute, (minute + this.#options.minutes) / 2)
      return
    }
    const [first, ...others] = this.#pods as [RunningPod, ...RunningPod[]]
    // A short run on a busy machine has too few samples of it by then.
    if (this.#step === 1 && minute >= DEPLOYED_AT * this.#options.minutes && first.soaked.isMeasured) {
      this.#step++
      this.#pods = others
      say(`${minute.toFixed(1)} min: ${first.soaked.name} ends`)
      await this.#end(first)
    }
  }

  /** Reads and writes for a while. Resolves when all processes are at rest. */
  async work(forMs: number): Promise<void> {
    const pods = this.#pods.map(async ({ process, soaked }) => {
      this.#works.set(soaked.name, await process.call('work', forMs))
    })
    await Promise.all([this.#writer.work(forMs), ...pods])
  }

  /** Takes what the processes hold at rest. */
  async look(minute: number): Promise<void> {
    await Promise.all(
      this.#pods.map(async ({ process, soaked }) => soaked.add(minute, await process.call('look'))),
    )
  }

  /** Compares all caches with the database, at rest. */
  async compare(): Promise<void> {
    await this.#catchUp()
    const all = await Promise.all(this.#pods.map(({ process }) => process.call('compare')))
    this.compared += sum(all.map(({ compared }) => compared))
    this.stale += sum(all.map(({ stale }) => stale))
    for (const { firstStale } of all) if (firstStale !== undefined) say(`Stale: ${firstStale}`)
    this.firstStale ??= all.find(({ firstStale }) => firstStale !== undefined)?.firstStale
  }

  progress() {
    const works = [...this.#works.values()]
    const all = [...works, ...this.#pages, this.#writer]
    const total = (name: 'reads' | 'writes' | 'queries' | 'audits' | 'staleAudits' | 'errors'): number =>
      sum(works.map((work) => work[name]))
    const firstError = all.find((one) => one.firstError !== undefined)?.firstError
    return {
      pods: this.soaked.length,
      reads: total('reads'),
      writes: total('writes'),
      queries: total('queries'),
      audits: total('audits'),
      staleAudits: total('staleAudits'),
      statements: this.#writer.statements,
      conflicts: this.#writer.conflicts + sum(works.map(({ conflicts }) => conflicts)),
      inspections: sum(this.#pages.map(({ answers }) => answers)),
      errors: sum(all.map(({ errors }) => errors)),
      ...(firstError !== undefined && { firstError }),
      compared: this.compared,
      stale: this.stale,
      ...(this.firstStale !== undefined && { firstStale: this.firstStale }),
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#pods.map((pod) => this.#end(pod)))
    await this.#pool.end()
    await this.#postgres.close()
  }

  async #start(release: Release, fromMinute: number, measuredFrom: number): Promise<void> {
    const number = this.soaked.length
    const { defect, valkeyUrl } = this.#options
    const process = await startProcess<Pod, { readonly url: string }>(
      join(import.meta.dirname, 'pod-process.ts'),
      {
        args: [String(number), release, ...(defect ? [defect] : [])],
        env: { DATABASE_URL: this.#postgres.url, VALKEY_URL: valkeyUrl },
      },
    )
    const soaked = new SoakedProcess(`pod ${number + 1}, ${release} schema`, fromMinute, measuredFrom)
    const page = new InspectorPage(process.hello.url)
    this.soaked.push(soaked)
    this.#pages.push(page)
    this.#pods = [...this.#pods, { process, page, soaked }]
  }

  async #end({ page, process }: RunningPod): Promise<void> {
    await page.close()
    await process.call('leave')
    await process.stop()
  }

  /** Resolves when the follower has taken all that was written. */
  async #catchUp(): Promise<void> {
    const start = performance.now()
    const lsn = await currentLsn(this.#pool)
    while (!(await isConfirmed(this.#pool, lsn))) {
      if (performance.now() - start > CATCH_UP_MS)
        throw new Error(`The follower has not taken the last commit within ${CATCH_UP_MS} ms.`)
      await sleep(50)
    }
    await sleep(MESSAGE_MS)
  }
}
