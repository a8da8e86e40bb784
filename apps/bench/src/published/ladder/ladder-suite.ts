import { join } from 'node:path'
import { choose } from '../../harness/choose.ts'
import { openCannon, type Cannon } from '../../harness/http/cannon.ts'
import type { Shot } from '../../harness/http/fire.ts'
import { requireSame } from '../../harness/http/require-same.ts'
import { startServed, type Served } from '../../harness/http/served.ts'
import { steadyLatencies } from '../../harness/http/steady-latencies.ts'
import { say } from '../../harness/progress.ts'
import { besidePublished } from '../../harness/published.ts'
import { inRounds, medians } from '../../harness/rounds.ts'
import { inPercent, table } from '../../harness/section.ts'
import { openPostgres, openValkey } from '../../harness/servers.ts'
import { mean, quantile, spread } from '../../harness/statistics.ts'
import { defineSuite, higher, lower, type RunOptions } from '../../harness/suite.ts'
import { LOTS_PER_REPORT, REPORTS, seedReports } from './reports.ts'
import { allSteps, type Step } from './steps.ts'

const FULL = { rounds: 3, warmUpRequests: 1_000, seconds: 4, steadySeconds: 3, reports: REPORTS }
const QUICK = { rounds: 1, warmUpRequests: 50, seconds: 0.25, steadySeconds: 0.25, reports: 5 }
type Effort = typeof FULL

const CONNECTIONS = 50
/** Few enough for every step on a small machine. */
const STEADY_PER_SECOND = 40

async function measure({ quick, only }: RunOptions) {
  const chosen = choose('step', allSteps, only)
  const effort = quick ? QUICK : FULL
  const [server, postgres] = await Promise.all([openValkey(), openPostgres()])
  const prisma = postgres.openPrisma()
  try {
    const { ids, bids } = await seedReports(prisma, effort.reports)
    await prisma.$disconnect()
    const paths = ids.map((id) => `/reports/${id}`)
    const env = { DATABASE_URL: postgres.url, VALKEY_URL: server.url }
    const start = ({ name }: Step) =>
      startServed(join(import.meta.dirname, 'serve.ts'), { args: [name], env })
    say(`${postgres.name}, ${server.name}: ${chosen.length} steps, ${effort.rounds} rounds`)
    const answers = await verify(chosen, start, paths)
    const cannon = await openCannon()
    const rounds = await inRounds(chosen, effort.rounds, async (step) => {
      const served = await start(step)
      return runRound(served, cannon, paths, effort).finally(() => served.stop())
    }).finally(() => cannon.stop())
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
  } finally {
    await prisma.$disconnect()
    await Promise.all([server.close(), postgres.close()])
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
  const urls = paths.map((path) => served.url + path)
  const shot: Shot = { url: served.url, paths, connections: CONNECTIONS, until: { seconds } }
  await cannon.fire({ ...shot, until: { requests: warmUpRequests } })
  const { result, cpuIdle, watched } = await served.watch(() => cannon.fire(shot))
  const steady = await served.watch(() => steadyLatencies(urls, STEADY_PER_SECOND, steadySeconds))
  return {
    /** Every connection sends the next request as soon as it has its response. */
    requestsPerSecond: result.requestsPerSecond,
    averageMs: result.averageMs,
    p99Ms: result.p99Ms,
    longestGcMs: watched.longestGcMs,
    /** Idle part of all processors, from 0 to 1, and of the server's event loop. */
    cpuIdle,
    loopIdle: watched.loopIdle,
    loopMaxMs: watched.loopMaxMs,
    cpuMsPerRequest: watched.cpuMs / result.requests,
    steadyP50Ms: quantile(steady.result, 0.5),
    steadyP99Ms: quantile(steady.result, 0.99),
    steadyCpuIdle: steady.cpuIdle,
  }
}

/** Medians of the rounds, and the longest of all rounds for `longestGcMs` and `loopMaxMs`. */
export function summarise(rounds: readonly Round[]) {
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
    const served = await start(step)
    try {
      // Twice: a cache is empty the first time.
      for (const _ of ['first', 'again']) {
        const answers: string[] = []
        for (const path of paths) answers.push(await served.get(path))
        verifyAnswers(step.name, answers, expected ?? answers)
        expected ??= answers
      }
    } finally {
      await served.stop()
    }
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

const ARTICLE = {
  title: 'Node.js Performance at the Limit, Temitope Ajao',
  url: 'https://dev.to/temitopeajao/nodejs-performance-at-the-limit-profiling-fixing-and-proving-it-with-real-numbers-4866',
  unread:
    'Retold at https://www.codcompass.com/en/kb/node-js-performance-at-the-limit-profiling-fixing-and-proving-it-with-real-numbers-559598. ' +
    'Only the beginnings of both pages could be read; their table of requests/s, latencies, GC pauses and CPU idle after each fix could not.',
}

export const ladderSuite = defineSuite({
  packages: ['autocannon', 'fast-json-stringify', 'ioredis', 'pg'],
  measure,
  sections({ steps, database, server, reports, lotsPerReport, bids, bytes, ...measured }) {
    const { connections, rounds, seconds, steadyPerSecond } = measured
    const first = steps.find(({ name }) => name === 'naive')
    const p99 = first && `${first.p99Ms.toFixed(0)} ms`
    return [
      { title: 'What each step changes', text: steps.map(({ name, change }) => `${name}: ${change}.`) },
      table(
        `One HTTP service, step by step, under ${connections} connections`,
        steps,
        {
          step: 'name',
          'requests/s': 'requestsPerSecond',
          '±': inPercent((step) => step.spread),
          gain: (step) => step.requestsPerSecond / steps[0]!.requestsPerSecond,
          'average ms': 'averageMs',
          'p99 ms': 'p99Ms',
          'GC max ms': 'longestGcMs',
          'CPU idle': inPercent((step) => step.cpuIdle),
          'loop idle': inPercent((step) => step.loopIdle),
          'loop max ms': 'loopMaxMs',
          'CPU ms/request': 'cpuMsPerRequest',
        },
        {
          text: [
            `A report of ${lotsPerReport} lots and their bids, ${bytes} bytes of JSON, over node:http; ${reports} reports, ${bids} bids.`,
            `${database} and ${server} on the same machine as the service and autocannon, which has a process of its own.`,
            `Medians of ${rounds} × ${seconds} s, each step in a new process after a warm-up; GC and loop: the longest of all. All steps return the same bytes; the cache has all rows.`,
            'Each connection sends its next request when it has a response, and latencies count from the sending: without a rate no request is ever due, so nothing corrects them for coordinated omission.',
            'CPU idle is of the whole machine, loop idle of the service. With few processors the database limits requests/s from the second step on; CPU ms/request shows what the service saves.',
          ],
          chart: { y: 'requests/s', columns: ['requests/s'] },
        },
      ),
      table(
        `The same steps at ${steadyPerSecond} requests/s`,
        steps,
        {
          step: 'name',
          'p50 ms': 'steadyP50Ms',
          'p99 ms': 'steadyP99Ms',
          'CPU idle': inPercent((step) => step.steadyCpuIdle),
        },
        {
          text: [
            'Sent at a steady rate, whatever the service does; latencies count from when each request was due. autocannon 9.0 corrects a rate as if requests of a connection were 1 ms apart, so the suite sends this load itself.',
          ],
          chart: { y: 'ms', scale: 'log', columns: ['p50 ms', 'p99 ms'] },
        },
      ),
      besidePublished(ARTICLE, 'before anything is changed', [
        {
          name: 'method',
          theirs: 'autocannon, 50 connections, 10 s',
          ours: `${connections} connections, ${rounds} × ${seconds} s`,
          difference: 'the same load; ours runs each step in several new processes',
        },
        {
          name: 'p99',
          theirs: '2.3 s; 2.4 s as retold',
          ours: p99,
          difference: 'their data is not published; ours is 21 short queries on a local database',
        },
        {
          name: 'requests/s, as retold',
          theirs: 'below 50',
          ours: first?.requestsPerSecond,
          difference: 'no network between our service and its database',
        },
      ]),
    ]
  },
  conclusion({ steps }) {
    const [first, last] = [steps[0]!, steps.at(-1)!]
    const gain = (last.requestsPerSecond / first.requestsPerSecond).toFixed(1)
    return (
      `“${last.name}” serves ${last.requestsPerSecond.toFixed(0)} requests/s, ${gain} times as many as “${first.name}”, with ` +
      `${last.cpuMsPerRequest.toFixed(2)} instead of ${first.cpuMsPerRequest.toFixed(2)} ms of processor time per request.`
    )
  },
  figures({ steps }) {
    const last = steps.at(-1)!
    return {
      ...Object.fromEntries(steps.map((step) => [step.name, higher(step.requestsPerSecond, 'requests/s')])),
      [`${last.name}, p99`]: lower(last.p99Ms, 'ms'),
      [`${last.name}, CPU per request`]: lower(last.cpuMsPerRequest, 'ms'),
      [`${last.name}, p99 at a steady rate`]: lower(last.steadyP99Ms, 'ms'),
    }
  },
})
