import { inTurn } from '../measure/in-turn.ts'
import { median, spread } from '../measure/statistics.ts'
import { say } from '../progress.ts'
import { LOTS_PER_USER } from '../storm/lots.ts'
import { openServer } from '../storm/open-server.ts'
import type { RunOptions, Suite } from '../suite.ts'
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

// V8 goes on to optimise for thousands of requests.
const FULL = { processes: 6, rounds: 50, requests: 20, warmUps: 100 }
const QUICK = { processes: 1, rounds: 3, requests: 10, warmUps: 5 }
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
    for (let process = 0; process < effort.processes; process++) {
      for (const [request, pair] of await measureProcess(server.url, SERVED[process % 2]!, effort)) {
        pairs.get(request)!.push(pair)
        say(
          `Process ${process + 1} of ${effort.processes}, ${request.name}: ${overheadOf(pair).toFixed(1)} %`,
        )
      }
    }
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
      summary: { overheadPercent, overheadMicroseconds, spreadPercent },
    }
  } finally {
    await server.close()
  }
}

const addedMs = ({ observed, bare }: Pair): number => observed.cpuMs - bare.cpuMs
const overheadOf = (pair: Pair): number => (addedMs(pair) / pair.bare.cpuMs) * 100

function summarise(name: string, pairs: readonly Pair[]): RequestMeasurements {
  const percent = pairs.map(overheadOf)
  return {
    name,
    overheadPercent: Number(median(percent).toFixed(2)),
    overheadMicroseconds: Math.round(median(pairs.map(addedMs)) * 1_000),
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
 * more than what is measured; here it is the same for both.
 */
async function measureProcess(
  url: string,
  first: ServedAs,
  { rounds, requests, warmUps }: Effort,
): Promise<Map<MeasuredRequest, Pair>> {
  const served = await serveGraphql(first, url)
  try {
    const pairs = new Map<MeasuredRequest, Pair>()
    for (const request of REQUESTS) await verify(served, request)
    for (const request of REQUESTS) {
      const samples: Record<ServedAs, Sample[]> = { observed: [], bare: [] }
      for (let round = -warmUps; round < rounds; round++) {
        for (const name of inTurn(SERVED, Math.abs(round))) {
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
  const cpuBefore = await served.turnTo(name)
  const startedAt = performance.now()
  for (let asked = 0; asked < requests; asked++) await served.query(name, query)
  const wallMs = (performance.now() - startedAt) / requests
  return { cpuMs: ((await served.turnTo(name)) - cpuBefore) / requests, wallMs }
}
