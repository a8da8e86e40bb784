import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '../../harness/comparison.ts'
import { LOTS_PER_USER } from '../../harness/fixtures/lots.ts'
import { auctionItem } from '../../harness/fixtures/models.ts'
import { lotSelection } from '../../harness/graphql/lot-type.ts'
import { during } from '../../harness/http/served.ts'
import { startProcess } from '../../harness/process.ts'
import { intervalOf } from '../../harness/interval.ts'
import { say } from '../../harness/progress.ts'
import { inTurn, medians } from '../../harness/rounds.ts'
import { openValkey } from '../../harness/servers.ts'
import { median, spread } from '../../harness/statistics.ts'
import type { ServedAs, Serving } from './serve.ts'

type Effort = Record<'processes' | 'rounds' | 'requests' | 'warmUps' | 'idleMs', number>

const SERVED: readonly ServedAs[] = ['observed', 'bare']

const FIELDS = Object.keys(auctionItem.rows[0] as object)
/** A whole page of the auction, and the least that one requests, in which the fixed cost of a request weighs most. */
const REQUESTS = [
  { name: `all ${FIELDS.length} fields`, query: `{ page { ${lotSelection} similar { id name } } }` },
  { name: 'four fields', query: '{ page { id name description lot similar { id name } } }' },
]

type Sample = Awaited<ReturnType<typeof takeSample>>
/** Of one process and one request. */
type Pair = Record<ServedAs, Sample>

export async function measure({ use, effort }: Run<Effort>) {
  const { processes, rounds, requests: requestsPerRound } = effort
  const server = await use(openValkey())
  const measured: (readonly Pair[])[] = []
  for (let i = 0; i < processes; i++) {
    const pairs = await measureProcess(server.url, inTurn(SERVED, i), effort)
    measured.push(pairs)
    say(
      `Process ${i + 1} of ${processes}: ${pairs.map((pair) => `${overheadOf(pair).toFixed(1)} %`).join(', ')}`,
    )
  }
  const standing = await measureStanding(server.url, effort)
  const requests = REQUESTS.map(({ name }, i) =>
    summarise(
      name,
      measured.map((pairs) => pairs[i]!),
    ),
  )
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
    // By process.
    intervals: { overheadPercent: intervalOf(measured.map(([first]) => overheadOf(first!))) },
  }
}

/** In percent. */
const overheadOf = ({ observed, bare }: Pair): number => (observed.cpuMs / bare.cpuMs - 1) * 100

function summarise(name: string, pairs: readonly Pair[]) {
  const percent = pairs.map(overheadOf)
  const ms = pairs.map(({ observed, bare }) => observed.cpuMs - bare.cpuMs)
  return {
    name,
    overheadPercent: Number(median(percent).toFixed(2)),
    overheadMicroseconds: Math.round(median(ms) * 1_000),
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
  return during(serveGraphql(order, url), async (served) => {
    for (const { query } of REQUESTS) await verify(served, query)
    const pairs: Pair[] = []
    for (const { query } of REQUESTS) {
      const samples: Record<ServedAs, Sample[]> = { observed: [], bare: [] }
      for (let round = -effort.warmUps; round < effort.rounds; round++) {
        for (const name of inTurn(SERVED, randomInt(2))) {
          const taken = await takeSample(served, name, query, effort.requests)
          if (round >= 0) samples[name].push(taken)
        }
      }
      pairs.push({ observed: medians(samples.observed), bare: medians(samples.bare) })
    }
    return pairs
  })
}

/**
 * One request after the other. Concurrent requests share ticks of the cache, and how many do differs by more than what
 * is measured.
 */
async function takeSample(served: ServedGraphql, name: ServedAs, query: string, requests: number) {
  const cpuBefore = await served.switchTo(name)
  const startedAt = performance.now()
  for (let sent = 0; sent < requests; sent++) await served.query(name, query)
  const wallMs = (performance.now() - startedAt) / requests
  return { cpuMs: ((await served.switchTo(name)) - cpuBefore) / requests, wallMs }
}

/** Processor time per second that observing costs an application after its last request. */
async function measureStanding(url: string, { idleMs }: Effort): Promise<number> {
  const perSecond = (name: ServedAs): Promise<number> =>
    during(serveGraphql([name], url), async (served) => {
      await served.query(name, REQUESTS[0]!.query)
      await sleep(idleMs / 4)
      const cpuBefore = await served.switchTo(name)
      await sleep(idleMs)
      return ((await served.switchTo(name)) - cpuBefore) / (idleMs / 1_000)
    })
  return (await perSecond('observed')) - (await perSecond('bare'))
}

/** @throws when the two applications do not return the same, complete page */
async function verify(served: ServedGraphql, query: string): Promise<void> {
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
  return {
    async query(name: ServedAs, query: string): Promise<string> {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ query })
      const response = await fetch(`${served.hello[name]}/graphql`, { method: 'POST', headers, body })
      return response.text()
    },
    switchTo: (name: ServedAs): Promise<number> => served.call('switchTo', name),
    stop: () => served.stop(),
  }
}
