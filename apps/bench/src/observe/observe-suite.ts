import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn } from '../measure/in-turn.ts'
import { median, spread } from '../measure/statistics.ts'
import { say } from '../progress.ts'
import { LOTS_PER_USER } from '../storm/lots.ts'
import { openServer } from '../storm/open-server.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { observeFigures } from './observe-figures.ts'
import { observeHeadline } from './observe-headline.ts'
import type {
  ObserveCase,
  ObserveMeasurements,
  RequestMeasurements,
  ServedAs,
} from './observe-measurements.ts'
import { presentObserve } from './present-observe.ts'
import { overview, page, type MeasuredRequest } from './requests.ts'
import { serveGraphql, type ServedGraphql } from './served-graphql.ts'

const MOST_OVERHEAD = 3

// V8 goes on to optimise for thousands of requests. Rounds are long, since each of the observed ones wakes the sleeping watch, and processes
// many: what V8 makes of each application is to some part luck.
const FULL = { processes: 10, rounds: 40, requests: 25, warmUps: 40, idleMs: 5_000 }
const QUICK = { processes: 1, rounds: 6, requests: 5, warmUps: 5, idleMs: 200 }
type Effort = typeof FULL

const SERVED: readonly ServedAs[] = ['observed', 'bare']
const REQUESTS: readonly MeasuredRequest[] = [page, overview]

/** One GraphQL request, with interceptor and metrics and without. */
export const observeSuite: Suite<ObserveMeasurements> = {
  packages: ['@nestjs/core', '@nestjs/graphql', 'mercurius', 'prom-client'],
  run: measure,
  present: presentObserve,
  figures: observeFigures,
  headline: observeHeadline,
  problems: ({ processes, summary: { overheadPercent } }) =>
    // A quick look, at one process, cannot tell.
    processes < FULL.processes || overheadPercent < MOST_OVERHEAD
      ? []
      : [`The overhead is ${overheadPercent} %, of ${MOST_OVERHEAD} allowed.`],
}

type Sample = Omit<ObserveCase, 'name'>
/** Of one process and one request. */
type Pair = Record<ServedAs, Sample>

async function measure({ quick }: RunOptions): Promise<ObserveMeasurements> {
  const effort = quick ? QUICK : FULL
  const server = await openServer()
  try {
    const pairs = new Map<MeasuredRequest, Pair[]>(REQUESTS.map((request) => [request, []]))
    for (let measured = 0; measured < effort.processes; measured++) {
      for (const [request, pair] of await measureProcess(server.url, inTurn(SERVED, measured), effort)) {
        pairs.get(request)!.push(pair)
        say(
          `Process ${measured + 1} of ${effort.processes}, ${request.name}: ${overheadOf(pair).percent.toFixed(1)} %`,
        )
      }
    }
    const standingMsPerSecond = await measureStanding(server.url, effort)
    const { processes, rounds, requests: requestsPerRound } = effort
    const requests = [...pairs].map(([{ name }, ofProcesses]) => summarise(name, ofProcesses))
    const { overheadPercent, overheadMicroseconds, spreadPercent } = requests[0]!
    return {
      server: server.name,
      lots: LOTS_PER_USER,
      processes,
      rounds,
      requestsPerRound,
      requests,
      standingMsPerSecond: Number(standingMsPerSecond.toFixed(3)),
      summary: { overheadPercent, overheadMicroseconds, spreadPercent },
    }
  } finally {
    await server.close()
  }
}

function overheadOf({ observed, bare }: Pair): { ms: number; percent: number } {
  const ms = observed.cpuMs - bare.cpuMs
  return { ms, percent: (ms / bare.cpuMs) * 100 }
}

function summarise(name: string, pairs: readonly Pair[]): RequestMeasurements {
  const overheads = pairs.map(overheadOf)
  const percent = overheads.map((overhead) => overhead.percent)
  return {
    name,
    overheadPercent: Number(median(percent).toFixed(2)),
    overheadMicroseconds: Math.round(median(overheads.map(({ ms }) => ms)) * 1_000),
    // The spread is relative to the median, which may be near zero.
    spreadPercent: Number((spread(percent.map((value) => 100 + value)) * 100).toFixed(2)),
    cases: SERVED.map((served) => ({
      name: served,
      cpuMs: median(pairs.map((pair) => pair[served].cpuMs)),
      wallMs: median(pairs.map((pair) => pair[served].wallMs)),
    })),
  }
}

/**
 * Both applications in one new process, asked in turns. What V8 makes of the code that they share differs between two processes by
 * more than what is measured; here it is the same for both. What observes all the time rests while the bare one is asked.
 * Who is asked first is left to chance: collections of garbage come at regular intervals, and in a regular order would always meet the
 * same one.
 */
async function measureProcess(
  url: string,
  order: readonly ServedAs[],
  { rounds, requests, warmUps }: Effort,
): Promise<Map<MeasuredRequest, Pair>> {
  const served = await serveGraphql(order, url)
  try {
    const pairs = new Map<MeasuredRequest, Pair>()
    for (const request of REQUESTS) await verify(served, request)
    for (const request of REQUESTS) {
      const samples: Record<ServedAs, Sample[]> = { observed: [], bare: [] }
      for (let round = -warmUps; round < rounds; round++) {
        for (const name of inTurn(SERVED, randomInt(2))) {
          const taken = await sample(served, name, request, requests)
          if (round >= 0) samples[name].push(taken)
        }
      }
      pairs.set(request, { observed: typical(samples.observed), bare: typical(samples.bare) })
    }
    return pairs
  } finally {
    await served.stop()
  }
}

/** Of an application that has answered a request, and is asked for nothing more. */
async function measureStanding(url: string, { idleMs }: Effort): Promise<number> {
  const perSecond: Record<ServedAs, number> = { observed: 0, bare: 0 }
  for (const name of SERVED) {
    const served = await serveGraphql([name], url)
    try {
      await served.query(name, page.query)
      await sleep(idleMs / 4)
      const cpuBefore = await served.cpuTime(name)
      await sleep(idleMs)
      perSecond[name] = ((await served.cpuTime(name)) - cpuBefore) / (idleMs / 1_000)
    } finally {
      await served.stop()
    }
  }
  return perSecond.observed - perSecond.bare
}

function typical(samples: readonly Sample[]): Sample {
  return {
    cpuMs: median(samples.map(({ cpuMs }) => cpuMs)),
    wallMs: median(samples.map(({ wallMs }) => wallMs)),
  }
}

/** @throws when the two do not answer the same, and all of it */
async function verify(served: ServedGraphql, { query }: MeasuredRequest): Promise<void> {
  const answers = await Promise.all(SERVED.map((name) => served.query(name, query)))
  const { data } = JSON.parse(answers[0]!) as { data?: { page?: unknown[] } }
  if (data?.page?.length === LOTS_PER_USER && new Set(answers).size === 1) return
  throw new Error(
    `The applications do not answer with the same ${LOTS_PER_USER} lots:\n${answers.join('\n').slice(0, 1_000)}`,
  )
}

/**
 * One request after the other. Those that are there at once share the ticks of the cache, and with them what is decoded; how many
 * do so differs, and by more processor time than is measured.
 */
async function sample(
  served: ServedGraphql,
  name: ServedAs,
  { query }: MeasuredRequest,
  requests: number,
): Promise<Sample> {
  const cpuBefore = await served.cpuTime(name)
  const startedAt = performance.now()
  for (let asked = 0; asked < requests; asked++) await served.query(name, query)
  const wallMs = (performance.now() - startedAt) / requests
  return { cpuMs: ((await served.cpuTime(name)) - cpuBefore) / requests, wallMs }
}
