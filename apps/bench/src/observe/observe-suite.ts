import { inTurn } from '../measure/in-turn.ts'
import { median, quantile, spread } from '../measure/statistics.ts'
import { say } from '../progress.ts'
import { LOTS_PER_USER } from '../storm/lots.ts'
import { openServer } from '../storm/open-server.ts'
import type { RunOptions, Suite } from '../suite.ts'
import type { ObserveCase, ObserveMeasurements, ServedAs } from './observe-measurements.ts'
import { serveGraphql, type ServedGraphql } from './served-graphql.ts'
import { observeFigures } from './observe-figures.ts'
import { observeHeadline } from './observe-headline.ts'
import { presentObserve } from './present-observe.ts'

const QUERY = '{ page { id name description lot similar { id name } } }'
const MOST_OVERHEAD = 3

// V8 goes on to optimise for thousands of requests: after fewer of them, pairs differ by more than what is measured.
const FULL = { pairs: 10, rounds: 15, requests: 40, warmUps: 150 }
const QUICK = { pairs: 1, rounds: 3, requests: 20, warmUps: 5 }
type Effort = typeof FULL

const CASES: readonly ServedAs[] = ['observed', 'bare']

/** One GraphQL request, with interceptor and metrics and without. */
export const observeSuite: Suite<ObserveMeasurements> = {
  packages: ['@nestjs/core', '@nestjs/graphql', 'mercurius', 'prom-client'],
  run: measure,
  present: presentObserve,
  figures: observeFigures,
  headline: observeHeadline,
  problems: ({ pairs, summary: { overheadPercent } }) =>
    // A quick look, at one pair, cannot tell.
    pairs < FULL.pairs || overheadPercent < MOST_OVERHEAD
      ? []
      : [`The overhead is ${overheadPercent} %, of ${MOST_OVERHEAD} allowed.`],
}

type Sample = Omit<ObserveCase, 'name'>
type Pair = Record<ServedAs, Sample>

async function measure({ quick }: RunOptions): Promise<ObserveMeasurements> {
  const effort = quick ? QUICK : FULL
  const server = await openServer()
  try {
    const pairs: Pair[] = []
    // What V8 makes of the same code differs between two processes by more than what is measured, so there are several.
    while (pairs.length < effort.pairs) {
      pairs.push(await measurePair(server.url, inTurn(CASES, pairs.length), effort))
      say(`Pair ${pairs.length} of ${effort.pairs}: ${((ratioOf(pairs.at(-1)!) - 1) * 100).toFixed(1)} %`)
    }
    const ratios = pairs.map(ratioOf)
    const { rounds, requests } = effort
    return {
      server: server.name,
      lots: LOTS_PER_USER,
      pairs: pairs.length,
      rounds,
      requestsPerRound: requests,
      cases: CASES.map((name) => ({
        name,
        cpuMs: median(pairs.map((pair) => pair[name].cpuMs)),
        wallMs: median(pairs.map((pair) => pair[name].wallMs)),
      })),
      summary: {
        overheadPercent: Number(((median(ratios) - 1) * 100).toFixed(2)),
        overheadMicroseconds: Math.round(
          median(pairs.map(({ observed, bare }) => (observed.cpuMs - bare.cpuMs) * 1_000)),
        ),
        spreadPercent: Number((spread(ratios) * 100).toFixed(2)),
      },
    }
  } finally {
    await server.close()
  }
}

const ratioOf = ({ observed, bare }: Pair): number => observed.cpuMs / bare.cpuMs

/** Two new processes, started in this order, whose rounds take turns. */
async function measurePair(
  url: string,
  names: readonly ServedAs[],
  { rounds, requests, warmUps }: Effort,
): Promise<Pair> {
  const servers: ServedGraphql[] = []
  try {
    for (const name of names) servers.push(await serveGraphql(name, url))
    await verify(servers)
    const samples: Record<ServedAs, Sample[]> = { observed: [], bare: [] }
    for (let round = -warmUps; round < rounds; round++) {
      for (const served of inTurn(servers, Math.abs(round))) {
        const taken = await sample(served, requests)
        if (round >= 0) samples[served.name].push(taken)
      }
    }
    return { observed: typical(samples.observed), bare: typical(samples.bare) }
  } finally {
    await Promise.all(servers.map((served) => served.stop()))
  }
}

/** The lower quartile: other programs on the machine only ever add. */
function typical(samples: readonly Sample[]): Sample {
  const of = (figure: keyof Sample): number =>
    quantile(
      samples.map((taken) => taken[figure]),
      0.25,
    )
  return { cpuMs: of('cpuMs'), wallMs: of('wallMs') }
}

/** @throws when the two do not answer the same, and all of it */
async function verify(servers: readonly ServedGraphql[]): Promise<void> {
  const answers = await Promise.all(servers.map((served) => served.query(QUERY)))
  const { data } = JSON.parse(answers[0]!) as { data?: { page?: unknown[] } }
  if (data?.page?.length === LOTS_PER_USER && new Set(answers).size === 1) return
  throw new Error(
    `The servers do not answer with the same ${LOTS_PER_USER} lots:\n${answers.join('\n').slice(0, 1_000)}`,
  )
}

/**
 * One request after the other. Those that are there at once share the ticks of the cache, and with them what is decoded; how many
 * do so differs from process to process, and by more processor time than is measured.
 */
async function sample(served: ServedGraphql, requests: number): Promise<Sample> {
  const cpuBefore = await served.cpuTime()
  const startedAt = performance.now()
  for (let asked = 0; asked < requests; asked++) await served.query(QUERY)
  const wallMs = (performance.now() - startedAt) / requests
  return { cpuMs: ((await served.cpuTime()) - cpuBefore) / requests, wallMs }
}
