import { join } from 'node:path'
import type { Run } from '../../harness/comparison.ts'
import { openCannon, type Cannon } from '../../harness/http/cannon.ts'
import { during } from '../../harness/http/during.ts'
import { keepRate, saturate, warmUp } from '../../harness/http/load.ts'
import { requireSame } from '../../harness/http/require-same.ts'
import { startServed, type Served } from '../../harness/http/served.ts'
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
  const [server, postgres] = await Promise.all([use(openValkey()), use(openPostgres())])
  const prisma = postgres.openPrisma()
  const { ids, bids } = await seedReports(prisma, effort.reports).finally(() => prisma.$disconnect())
  const paths = ids.map((id) => `/reports/${id}`)
  const env = { DATABASE_URL: postgres.url, VALKEY_URL: server.url }
  const start = ({ name }: Step) => startServed(join(import.meta.dirname, 'serve.ts'), { args: [name], env })
  say(`${postgres.name}, ${server.name}: ${chosen.length} steps, ${effort.rounds} rounds`)
  const answers = await verify(chosen, start, paths)
  const cannon = await use(openCannon())
  const rounds = await inRounds(chosen, effort.rounds, (step) =>
    during(start(step), (served) => runRound(served, cannon, paths, effort)),
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
    rounds: effort.rounds,
    seconds: effort.seconds,
    steadyPerSecond: STEADY_PER_SECOND,
    steps: chosen.map((step) => ({
      name: step.name,
      change: step.change,
      ...summarise(rounds.get(step)!),
    })),
  }
}

type Round = Awaited<ReturnType<typeof runRound>>

/** Loads a step with all connections, then with requests at a steady rate. */
async function runRound(
  served: Served,
  cannon: Cannon,
  paths: readonly string[],
  { warmUpRequests, seconds, steadySeconds }: Effort,
) {
  const load = { paths, connections: CONNECTIONS, warmUpRequests }
  await warmUp(served, cannon, load)
  const saturated = await saturate(served, cannon, load, seconds)
  const urls = paths.map((path) => served.url + path)
  const { cpuIdle, result } = await served.watch(() => keepRate(urls, STEADY_PER_SECOND, steadySeconds))
  return { ...saturated, steadyP50Ms: result.p50Ms, steadyP99Ms: result.p99Ms, steadyCpuIdle: cpuIdle }
}

/** Medians of the rounds, and the longest of all rounds for `longestGcMs` and `loopMaxMs`. */
function summarise(rounds: readonly Round[]) {
  return {
    ...medians(rounds),
    longestGcMs: Math.max(...rounds.map(({ longestGcMs }) => longestGcMs)),
    loopMaxMs: Math.max(...rounds.map(({ loopMaxMs }) => loopMaxMs)),
    spread: spread(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
  }
}

/** @returns the responses of the first step @throws when another step returns other bytes */
async function verify(
  chosen: readonly Step[],
  start: (step: Step) => Promise<Served>,
  paths: readonly string[],
): Promise<readonly string[]> {
  let expected: readonly string[] | undefined
  for (const step of new Set([allSteps[0]!, ...chosen])) {
    await during(start(step), async (served) => {
      // Twice: a cache is empty the first time.
      for (const _ of ['first', 'again']) {
        const answers: string[] = []
        for (const path of paths) answers.push(await served.get(path))
        verifyAnswers(step.name, answers, expected ?? answers)
        expected ??= answers
      }
    })
  }
  return expected!
}

function verifyAnswers(name: string, answers: readonly string[], expected: readonly string[]): void {
  for (const [index, answer] of answers.entries()) {
    const { lines } = JSON.parse(answer) as { lines: unknown[] }
    if (lines.length !== LOTS_PER_REPORT)
      throw new Error(`${name} returns ${lines.length} lots of ${LOTS_PER_REPORT}.`)
    requireSame(name, answer, expected[index]!)
  }
}
