import { join } from 'node:path'
import { DEMO_LOTS } from '#prisma/demo/demo-rows.js'
import { DEMO_FUNDRAISER_ID } from '#prisma/demo/fundraiser.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import type { Run } from '../../harness/comparison.ts'
import { lotSelection } from '../../harness/graphql/lot-type.ts'
import { keepRate, saturate, warmUp } from '../../harness/http/load.ts'
import { during, requireSame, startServed, type Served } from '../../harness/http/served.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, medians, rounded } from '../../harness/rounds.ts'
import { openPostgres, openValkey, usageOf, type BenchValkey } from '../../harness/servers.ts'
import { median, spread } from '../../harness/statistics.ts'
import { allVariants } from './all-variants.ts'
import { OURS, PLAIN, type PageVariant } from './page-rows.ts'
import type { Serving } from './serve.ts'

export interface Effort {
  readonly rounds: number
  readonly warmUpRequests: number
  readonly seconds: number
  readonly steadySeconds: number
  readonly steadyRequests: number
}

/** Enough to keep server and database busy. */
const CONNECTIONS = 10
/** The rates as parts of what the slowest variant serves at most. */
const BELOW = 0.6
const ABOVE = 1.5

const QUERY = `{ auctionPage(fundraiserId: "${DEMO_FUNDRAISER_ID}") {
  fundraiser { id name tagline charityName currency locale startsAt endsAt goalAmount raisedAmount }
  items { ${lotSelection} bids { id amount placedAt bidder { id displayName } } }
} }`
const PATH = `/graphql?query=${encodeURIComponent(QUERY.replaceAll(/\s+/g, ' '))}`

type Server = Served<Serving>

export async function measure({ use, chosen, effort }: Run<Effort, PageVariant>) {
  const [valkey, postgres] = await Promise.all([use(openValkey()), use(openPostgres())])
  const prisma = postgres.openPrisma()
  await seedDemo(prisma).finally(() => prisma.$disconnect())
  const env = { DATABASE_URL: postgres.url, VALKEY_URL: valkey.url }
  const start = ({ name }: PageVariant): Promise<Server> =>
    startServed<Serving>(join(import.meta.dirname, 'serve.ts'), { args: [name], env })
  say(`${postgres.name}, ${valkey.name}: ${chosen.length} variants, ${effort.rounds} rounds`)
  const { page, requests } = await verify(chosen, start, valkey)
  const load = { paths: [PATH], connections: CONNECTIONS, warmUpRequests: effort.warmUpRequests }
  const inWarm = <T>(variant: PageVariant, work: (served: Server) => Promise<T>): Promise<T> =>
    during(start(variant), async (served) => {
      await warmUp(served, load)
      return work(served)
    })
  const saturated = await inRounds(chosen, effort.rounds, (variant) =>
    inWarm(variant, (served) => saturate(served, load, effort.seconds)),
  )
  const rates = ratesOf([...saturated.values()])
  say(`Rates: ${rates.below} and ${rates.above} requests/s`)
  const steady = await inRounds(chosen, effort.rounds, (variant) =>
    inWarm(variant, (served) => keepRates(served, rates, effort)),
  )
  const saturatedBy = (variant: PageVariant) => {
    const { requestsPerSecond, cpuMsPerRequest, loopIdle } = medians(saturated.get(variant)!)
    return { requestsPerSecond, cpuMs: cpuMsPerRequest, loopIdle }
  }
  const variants = chosen.map((variant) => ({
    name: variant.name,
    note: variant.note,
    isPeer: variant.isPeer === true,
    ...requests.get(variant)!,
    ...saturatedBy(variant),
    spread: spread(saturated.get(variant)!.map(({ requestsPerSecond }) => requestsPerSecond)),
    ...medians(steady.get(variant)!),
  }))
  return {
    database: postgres.name,
    server: valkey.name,
    lots: DEMO_LOTS,
    bids: countBids(page),
    bytes: Buffer.byteLength(page),
    connections: CONNECTIONS,
    ...effort,
    rates,
    variants,
    summary: summarise(variants),
  }
}

interface Rates {
  /** Requests per second that every variant can serve. */
  readonly below: number
  /** More than the slowest one can. */
  readonly above: number
}

function ratesOf(variants: readonly (readonly { readonly requestsPerSecond: number }[])[]): Rates {
  const slowest = Math.min(
    ...variants.map((rounds) => median(rounds.map(({ requestsPerSecond }) => requestsPerSecond))),
  )
  return { below: rounded(slowest * BELOW, 2), above: rounded(slowest * ABOVE, 2) }
}

async function keepRates(served: Server, rates: Rates, { steadySeconds, steadyRequests }: Effort) {
  // Long enough for a number of requests, however slow the machine is.
  const keep = (rate: number) =>
    keepRate([served.url + PATH], rate, Math.max(steadySeconds, steadyRequests / rate))
  const below = await keep(rates.below)
  const above = await keep(rates.above)
  return {
    belowP50Ms: below.p50Ms,
    belowP99Ms: below.p99Ms,
    aboveP50Ms: above.p50Ms,
    aboveP99Ms: above.p99Ms,
  }
}

/** What one request asks for. */
interface Counts {
  /** SQL statements. */
  readonly queries: number
  /** Of Valkey. */
  readonly commands: number
  /** Reads of a client with `reads`, and those of them that caches answered; 0 of other clients. */
  readonly reads: number
  readonly answered: number
}

/** Requests without another at the same time, for what each of them asks of the servers. */
const COUNTED = 5

/** @throws when a variant does not return the page of the first one, from the database, from its cache, or from memory */
async function verify(
  chosen: readonly PageVariant[],
  start: (variant: PageVariant) => Promise<Server>,
  { client }: BenchValkey,
) {
  let page: string | undefined
  const requests = new Map<PageVariant, Counts>()
  for (const variant of new Set([allVariants[0]!, ...chosen])) {
    await during(start(variant), async (served) => {
      const counts: Counts[] = []
      for (let sent = 0; sent < COUNTED + 2; sent++) {
        const before = await countsOf(served, client)
        const answer = await served.get(PATH)
        const after = await countsOf(served, client)
        page ??= complete(answer)
        requireSame(variant.name, answer, page)
        const grown = (name: keyof Counts): number => after[name] - before[name]
        counts.push({
          queries: grown('queries'),
          commands: grown('commands'),
          answered: grown('answered'),
          reads: grown('reads'),
        })
      }
      // The first ones fill the cache.
      requests.set(variant, medians(counts.slice(2)))
    })
  }
  return { page: page!, requests }
}

async function countsOf(served: Server, client: BenchValkey['client']): Promise<Counts> {
  const { commands } = await usageOf([client], 'commands')
  return { commands, ...(await served.call('counts')) }
}

interface Answer {
  readonly data?: {
    readonly auctionPage: { readonly items: readonly { readonly bids: readonly unknown[] }[] } | null
  }
}

function complete(answer: string): string {
  const { data } = JSON.parse(answer) as Answer
  if (data?.auctionPage?.items.length === DEMO_LOTS) return answer
  throw new Error(`${PLAIN} does not return ${DEMO_LOTS} lots:\n${answer.slice(0, 1_000)}`)
}

function countBids(page: string): number {
  const { data } = JSON.parse(page) as Answer
  return data!.auctionPage!.items.reduce((all, { bids }) => all + bids.length, 0)
}

interface Measured {
  readonly name: string
  readonly isPeer: boolean
  readonly requestsPerSecond: number
  readonly belowP99Ms: number
}

/** Ratios of ours to the others; each is missing when one of its variants is. */
export function summarise(variants: readonly Measured[]) {
  const named = (name: string) => variants.find((variant) => variant.name === name)
  const [ours, reads, plain, floor] = [OURS.injected, OURS.reads, PLAIN, 'floor'].map(named)
  const [bestPeer] = variants
    .filter(({ isPeer }) => isPeer)
    .toSorted((one, other) => other.requestsPerSecond - one.requestsPerSecond)
  const ratio = (one: number | undefined, other: number | undefined) =>
    one !== undefined && other !== undefined ? rounded(one / other, 3) : undefined
  return {
    bestPeer: bestPeer?.name,
    requestsVsPrisma: ratio(ours?.requestsPerSecond, plain?.requestsPerSecond),
    requestsVsBestPeer: ratio(ours?.requestsPerSecond, bestPeer?.requestsPerSecond),
    p99VsPrisma: ratio(ours?.belowP99Ms, plain?.belowP99Ms),
    readsVsPrisma: ratio(reads?.requestsPerSecond, plain?.requestsPerSecond),
    /** The most that any cache could reach. */
    floorVsPrisma: ratio(floor?.requestsPerSecond, plain?.requestsPerSecond),
    floorVsBestPeer: ratio(floor?.requestsPerSecond, bestPeer?.requestsPerSecond),
  }
}
