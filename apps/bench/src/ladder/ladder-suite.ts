import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '#prisma/client/client.js'
import { startPostgres } from '../../../../test/support/postgres-server.ts'
import { openCannon } from '../http/cannon.ts'
import { inTurn } from '../measure/in-turn.ts'
import { migrate } from '../measure/migrate.ts'
import { mean } from '../measure/statistics.ts'
import { say } from '../progress.ts'
import { openServer } from '../storm/open-server.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import type { LadderMeasurements, StepFigures } from './ladder-measurements.ts'
import { figuresOf, presentLadder } from './present-ladder.ts'
import { LOTS_PER_REPORT, REPORTS, seedReports } from './reports.ts'
import { CONNECTIONS, runRound, startStep, STEADY_PER_SECOND, type Effort } from './run-round.ts'
import { allSteps } from './steps/all-steps.ts'
import type { Step, StepEnvironment } from './steps/step.ts'
import { summarise } from './summarise.ts'
import { answersOf } from './verify-steps.ts'

const FULL: Effort = { rounds: 3, warmUpRequests: 1_000, seconds: 4, steadySeconds: 3 }
const QUICK: Effort = { rounds: 1, warmUpRequests: 50, seconds: 0.5, steadySeconds: 0.5 }

/** One HTTP service, taken from a naive one to this library step by step. */
export const ladderSuite: Suite<LadderMeasurements> = {
  packages: ['autocannon', 'fast-json-stringify', 'ioredis', 'pg'],
  run: measure,
  present: presentLadder,
  figures: figuresOf,
}

async function measure({ quick, only }: RunOptions): Promise<LadderMeasurements> {
  const chosen = chooseSteps(only)
  const effort = quick ? QUICK : FULL
  const [server, postgres] = await Promise.all([openServer(), startPostgres()])
  try {
    await migrate(postgres.url)
    const { ids, bids } = await seed(postgres.url)
    const paths = ids.map((id) => `/reports/${id}`)
    const environment = { databaseUrl: postgres.url, valkeyUrl: server.url }
    say(`PostgreSQL ${postgres.version}, ${server.name}: ${chosen.length} steps, ${effort.rounds} rounds`)
    const { rounds, bytes } = await measureRounds(chosen, environment, paths, effort)
    return {
      database: `PostgreSQL ${postgres.version}`,
      server: server.name,
      reports: REPORTS,
      lotsPerReport: LOTS_PER_REPORT,
      bids,
      bytes,
      connections: CONNECTIONS,
      rounds: effort.rounds,
      seconds: effort.seconds,
      steadyPerSecond: STEADY_PER_SECOND,
      steps: chosen.map(({ name, change }) => ({ name, change, ...summarise(rounds.get(name)!) })),
    }
  } finally {
    await Promise.all([server.close(), postgres.stop()])
  }
}

async function seed(url: string) {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) })
  try {
    return await seedReports(prisma)
  } finally {
    await prisma.$disconnect()
  }
}

async function measureRounds(
  chosen: readonly Step[],
  environment: StepEnvironment,
  paths: readonly string[],
  effort: Effort,
) {
  const rounds = new Map(chosen.map(({ name }) => [name, [] as StepFigures[]]))
  const expected = await verifyAll(chosen, environment, paths)
  const cannon = await openCannon()
  try {
    for (let round = 0; round < effort.rounds; round++) {
      for (const { name } of inTurn(chosen, round)) {
        const served = await startStep(name, environment)
        const figures = await runRound(served, cannon, paths, effort).finally(() => served.stop())
        rounds.get(name)!.push(figures)
        say(
          `Round ${round + 1} of ${effort.rounds}: ${name}, ${figures.requestsPerSecond.toFixed(0)} requests/s`,
        )
      }
    }
  } finally {
    await cannon.stop()
  }
  return { rounds, bytes: Math.round(mean(expected.map((answer) => Buffer.byteLength(answer)))) }
}

/** Before any is timed; the first step, which is always among them, says what the others have to answer. */
async function verifyAll(
  chosen: readonly Step[],
  environment: StepEnvironment,
  paths: readonly string[],
): Promise<readonly string[]> {
  let expected: readonly string[] | undefined
  for (const { name } of new Set([allSteps[0]!, ...chosen])) {
    const served = await startStep(name, environment)
    // Twice: a cache is asked while it has nothing, and then for what it has.
    for (const _ of ['first', 'again']) {
      expected = await answersOf(name, served, paths, LOTS_PER_REPORT, expected).catch(async (error) => {
        await served.stop()
        throw error
      })
    }
    await served.stop()
  }
  return expected!
}

/** @throws when a name is not that of a step */
function chooseSteps(only: readonly string[]): readonly Step[] {
  if (only.length === 0) return allSteps
  return only.map((name) => {
    const found = allSteps.find((step) => step.name === name)
    if (found) return found
    throw new Error(`There is no step "${name}", only ${allSteps.map((step) => step.name).join(', ')}.`)
  })
}
