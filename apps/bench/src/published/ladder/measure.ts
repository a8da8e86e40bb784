import { join } from 'node:path'
import type { Run } from '../../harness/comparison.ts'
import { keepRate, saturate, warmUp } from '../../harness/http/load.ts'
import { during, requireSame, startServed, type Served } from '../../harness/http/served.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, medians } from '../../harness/rounds.ts'
import { openPostgres, openValkey } from '../../harness/servers.ts'
import { mean, spread } from '../../harness/statistics.ts'
import { LOTS_PER_REPORT, seedReports } from './reports.ts'
import { allSteps, type Step } from './steps.ts'

export interface Effort {
  readonly rounds: number
  readonly warmUpRequests: number
  readonly seconds: number
  readonly steadySeconds: number
  readonly reports: number
}

const CONNECTIONS = 50
/** Few enough for every step on a small machine. */
const STEADY_PER_SECOND = 40

export async function measure({ use, chosen, effort }: Run<Effort, Step>) {
  const { rounds, seconds, steadySeconds, warmUpRequests } = effort
  const [server, postgres] = await Promise.all([use(openValkey()), use(openPostgres())])
  const prisma = postgres.openPrisma()
  const { ids, bids } = await seedReports(prisma, effort.reports).finally(() => prisma.$disconnect())
  const paths = ids.map((id) => `/reports/${id}`)
  const env = { DATABASE_URL: postgres.url, VALKEY_URL: server.url }
  const start = ({ name }: Step) => startServed(join(import.meta.dirname, 'serve.ts'), { args: [name], env })
  say(`${postgres.name}, ${server.name}: ${chosen.length} steps, ${rounds} rounds`)
  const answers = await verify(chosen, start, paths)
  const load = { paths, connections: CONNECTIONS, warmUpRequests }
  // All connections, then requests at a steady rate.
  const samples = await inRounds(chosen, rounds, (step) =>
    during(start(step), async (served) => {
      await warmUp(served, load)
      const saturated = await saturate(served, load, seconds)
      const urls = paths.map((path) => served.url + path)
      const { cpuIdle, result } = await served.watch(() => keepRate(urls, STEADY_PER_SECOND, steadySeconds))
      return { ...saturated, steadyP50Ms: result.p50Ms, steadyP99Ms: result.p99Ms, steadyCpuIdle: cpuIdle }
    }),
  )
  return {
    database: postgres.name,
    server: server.name,
    reports: effort.reports,
    lotsPerReport: LOTS_PER_REPORT,
    bids,
    /** Mean size of a response. */
    bytes: Math.round(mean(answers.map((answer) => Buffer.byteLength(answer)))),
    connections: CONNECTIONS,
    rounds,
    seconds,
    steadyPerSecond: STEADY_PER_SECOND,
    steps: chosen.map((step) => {
      const taken = samples.get(step)!
      return {
        name: step.name,
        change: step.change,
        ...medians(taken),
        longestGcMs: Math.max(...taken.map(({ longestGcMs }) => longestGcMs)),
        loopMaxMs: Math.max(...taken.map(({ loopMaxMs }) => loopMaxMs)),
        spread: spread(taken.map(({ requestsPerSecond }) => requestsPerSecond)),
      }
    }),
  }
}

/** @returns the responses of the first step @throws when another step returns other bytes */
async function verify(
  chosen: readonly Step[],
  start: (step: Step) => Promise<Served>,
  paths: readonly string[],
): Promise<readonly string[]> {
  const expected: string[] = []
  for (const step of new Set([allSteps[0]!, ...chosen])) {
    await during(start(step), async (served) => {
      // Twice: a cache is empty the first time.
      for (const [index, path] of [...paths.entries(), ...paths.entries()]) {
        const answer = await served.get(path)
        const { lines } = JSON.parse(answer) as { lines: unknown[] }
        if (lines.length !== LOTS_PER_REPORT)
          throw new Error(`${step.name} returns ${lines.length} lots of ${LOTS_PER_REPORT}.`)
        requireSame(step.name, answer, (expected[index] ??= answer))
      }
    })
  }
  return expected
}
