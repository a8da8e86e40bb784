import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { LOTS_PER_USER } from '../../harness/fixtures/lots.ts'
import { auctionItem } from '../../harness/fixtures/models.ts'
import { lotSelection } from '../../harness/graphql/lot-type.ts'
import { startProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { inTurn, medians } from '../../harness/rounds.ts'
import { table } from '../../harness/section.ts'
import { openValkey } from '../../harness/servers.ts'
import { median, spread } from '../../harness/statistics.ts'
import { defineSuite, lower, type RunOptions } from '../../harness/suite.ts'
import type { ServedAs } from './graphql-app.ts'
import type { Serving } from './serve.ts'

/** Percent of the processor time of a request. */
const MOST_OVERHEAD = 3

// V8 optimises for thousands of requests. Long rounds, since each observed one wakes the sleeping watch; many
// processes, since what V8 makes of an application is partly luck.
const FULL = { processes: 10, rounds: 40, requests: 25, warmUps: 40, idleMs: 5_000 }
const QUICK = { processes: 1, rounds: 3, requests: 3, warmUps: 1, idleMs: 200 }
type Effort = typeof FULL

const SERVED: readonly ServedAs[] = ['observed', 'bare']

const FIELDS = Object.keys(auctionItem.rows[0] as object)
/** A whole page of the auction, and the least that one requests, in which the fixed cost of a request weighs most. */
const REQUESTS = [
  { name: `all ${FIELDS.length} fields`, query: `{ page { ${lotSelection} similar { id name } } }` },
  { name: 'four fields', query: '{ page { id name description lot similar { id name } } }' },
]
type MeasuredRequest = (typeof REQUESTS)[number]

interface Sample {
  readonly cpuMs: number
  readonly wallMs: number
}
/** Of one process and one request. */
type Pair = Record<ServedAs, Sample>

async function measure({ quick }: RunOptions) {
  const effort = quick ? QUICK : FULL
  const server = await openValkey()
  try {
    const pairs = new Map<MeasuredRequest, Pair[]>(REQUESTS.map((request) => [request, []]))
    for (let measured = 0; measured < effort.processes; measured++) {
      for (const [request, pair] of await measureProcess(server.url, inTurn(SERVED, measured), effort)) {
        pairs.get(request)!.push(pair)
        const percent = overheadOf(pair).percent.toFixed(1)
        say(`Process ${measured + 1} of ${effort.processes}, ${request.name}: ${percent} %`)
      }
    }
    const standing = await measureStanding(server.url, effort)
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
      /** Processor time per second of an observed application without requests. */
      standingMsPerSecond: Number(standing.toFixed(3)),
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

function summarise(name: string, pairs: readonly Pair[]) {
  const overheads = pairs.map(overheadOf)
  const percent = overheads.map((overhead) => overhead.percent)
  return {
    name,
    overheadPercent: Number(median(percent).toFixed(2)),
    overheadMicroseconds: Math.round(median(overheads.map(({ ms }) => ms)) * 1_000),
    // Of values around 100: the spread is relative to the median, which may be near zero.
    spreadPercent: Number((spread(percent.map((value) => 100 + value)) * 100).toFixed(2)),
    cases: SERVED.map((served) => ({ name: served, ...medians(pairs.map((pair) => pair[served])) })),
  }
}

/**
 * Measures both applications in one new process, in turn. What V8 makes of their shared code differs between two
 * processes by more than the overhead. The order is random: collections come at regular intervals, and in a regular
 * order would always hit the same application.
 */
async function measureProcess(url: string, order: readonly ServedAs[], effort: Effort) {
  const served = await serveGraphql(order, url)
  try {
    const pairs = new Map<MeasuredRequest, Pair>()
    for (const request of REQUESTS) await verify(served, request)
    for (const request of REQUESTS) {
      const samples: Record<ServedAs, Sample[]> = { observed: [], bare: [] }
      for (let round = -effort.warmUps; round < effort.rounds; round++) {
        for (const name of inTurn(SERVED, randomInt(2))) {
          const taken = await takeSample(served, name, request, effort.requests)
          if (round >= 0) samples[name].push(taken)
        }
      }
      pairs.set(request, { observed: medians(samples.observed), bare: medians(samples.bare) })
    }
    return pairs
  } finally {
    await served.stop()
  }
}

/**
 * One request after the other. Concurrent requests share ticks of the cache, and how many do differs by more than what
 * is measured.
 */
async function takeSample(
  served: ServedGraphql,
  name: ServedAs,
  { query }: MeasuredRequest,
  requests: number,
): Promise<Sample> {
  const cpuBefore = await served.switchTo(name)
  const startedAt = performance.now()
  for (let sent = 0; sent < requests; sent++) await served.query(name, query)
  const wallMs = (performance.now() - startedAt) / requests
  return { cpuMs: ((await served.switchTo(name)) - cpuBefore) / requests, wallMs }
}

/** Processor time per second that observing costs an application after its last request. */
async function measureStanding(url: string, { idleMs }: Effort): Promise<number> {
  const perSecond: Record<ServedAs, number> = { observed: 0, bare: 0 }
  for (const name of SERVED) {
    const served = await serveGraphql([name], url)
    try {
      await served.query(name, REQUESTS[0]!.query)
      await sleep(idleMs / 4)
      const cpuBefore = await served.switchTo(name)
      await sleep(idleMs)
      perSecond[name] = ((await served.switchTo(name)) - cpuBefore) / (idleMs / 1_000)
    } finally {
      await served.stop()
    }
  }
  return perSecond.observed - perSecond.bare
}

/** @throws when the two applications do not return the same, complete page */
async function verify(served: ServedGraphql, { query }: MeasuredRequest): Promise<void> {
  const answers = await Promise.all(SERVED.map((name) => served.query(name, query)))
  const { data } = JSON.parse(answers[0]!) as { data?: { page?: unknown[] } }
  if (data?.page?.length === LOTS_PER_USER && new Set(answers).size === 1) return
  const shown = answers.join('\n').slice(0, 1_000)
  throw new Error(`The applications do not return the same ${LOTS_PER_USER} lots:\n${shown}`)
}

type ServedGraphql = Awaited<ReturnType<typeof serveGraphql>>

/** Applications in a process of their own, created in this order. */
async function serveGraphql(applications: readonly ServedAs[], url: string) {
  const served = await startProcess<Serving, Record<ServedAs, string>>(
    join(import.meta.dirname, 'serve.ts'),
    { args: [applications.join()], env: { VALKEY_URL: url, NODE_ENV: 'production' }, flags: [] },
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    async query(name: ServedAs, query: string): Promise<string> {
      const body = JSON.stringify({ query })
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      const sent = httpRequest(`${served.hello[name]}/graphql`, { method: 'POST', agent, headers })
      sent.end(body)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return text(response)
    },
    switchTo: (name: ServedAs): Promise<number> => served.call('switchTo', name),
    async stop(): Promise<void> {
      agent.destroy()
      await served.stop()
    },
  }
}

export const observeSuite = defineSuite({
  packages: ['@nestjs/core', '@nestjs/graphql', 'mercurius', 'prom-client'],
  measure,
  sections: ({ server, lots, processes, rounds, requestsPerRound, requests, standingMsPerSecond }) => [
    table(
      'One GraphQL request, observed and bare',
      requests,
      {
        request: 'name',
        'CPU ms, bare': ({ cases }) => cases.find(({ name }) => name === 'bare')!.cpuMs,
        'CPU ms, observed': ({ cases }) => cases.find(({ name }) => name === 'observed')!.cpuMs,
        'wall ms, bare': ({ cases }) => cases.find(({ name }) => name === 'bare')!.wallMs,
        'wall ms, observed': ({ cases }) => cases.find(({ name }) => name === 'observed')!.wallMs,
        'overhead µs': 'overheadMicroseconds',
        'overhead %': 'overheadPercent',
        '± %': 'spreadPercent',
      },
      {
        text: [
          `${server}. A page of ${lots} lots, each with another lot as a field, over HTTP, one request after the other: with interceptor and metrics, and with neither.`,
          `Two applications in one process, in turn; sampler, watch and metrics rest while the bare one is measured. Medians of ${processes} processes of ${rounds} rounds of ${requestsPerRound} requests.`,
          `Without requests, observing takes ${standingMsPerSecond} ms of processor time per second (sampler and watch).`,
        ],
        chart: {
          y: 'ms per request',
          columns: ['CPU ms, bare', 'CPU ms, observed', 'wall ms, bare', 'wall ms, observed'],
        },
      },
    ),
  ],
  conclusion: ({ requests }) =>
    `Interceptor and metrics take ${requests.map(({ name, overheadPercent }) => `${overheadPercent} % of a request for ${name}`).join(', ')}.`,
  headlines: ({ lots, summary: { overheadPercent, overheadMicroseconds } }) => ({
    [`Interceptor and metrics, per GraphQL request for ${lots} rows`]: `${overheadPercent} % of its CPU (${overheadMicroseconds} µs)`,
  }),
  // The overhead as a ratio: a difference near zero has no change in percent.
  figures: ({ requests }) =>
    Object.fromEntries(
      requests.flatMap(({ name: request, overheadPercent, cases }) => [
        [`${request}: overhead`, lower(1 + overheadPercent / 100, 'times as much CPU')],
        ...cases.flatMap(({ name, cpuMs, wallMs }) => [
          [`${request}, ${name}: CPU`, lower(cpuMs, 'ms')],
          [`${request}, ${name}: wall`, lower(wallMs, 'ms')],
        ]),
      ]),
    ),
  // A quick run of one process cannot tell.
  problems: ({ processes, summary: { overheadPercent } }) =>
    processes < FULL.processes || overheadPercent < MOST_OVERHEAD
      ? []
      : [`The overhead is ${overheadPercent} %, of ${MOST_OVERHEAD} allowed.`],
})
