import { join } from 'node:path'
import { DEMO_LOTS } from '#prisma/demo/demo-rows.js'
import { DEMO_FUNDRAISER_ID } from '#prisma/demo/fundraiser.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import type { Run } from '../../harness/comparison.ts'
import { lotSelection } from '../../harness/graphql/lot-type.ts'
import { keepRate, saturate, warmUp } from '../../harness/http/load.ts'
import { during, requireSame, startServed, type Served } from '../../harness/http/served.ts'
import { intervalsOf } from '../../harness/interval.ts'
import { say } from '../../harness/progress.ts'
import { inRounds, medians, rounded } from '../../harness/rounds.ts'
import { openPostgres, openValkey, usageOf, type BenchValkey } from '../../harness/servers.ts'
import { spread } from '../../harness/statistics.ts'
import type { Serving } from './serve.ts'
import { allVariants, type PageVariant } from './variants.ts'

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
type Effort = Record<'rounds' | 'warmUpRequests' | 'seconds' | 'steadySeconds' | 'steadyRequests', number>

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
  const slowest = Math.min(...Array.from(saturated.values(), (all) => medians(all).requestsPerSecond))
  const rates = { below: rounded(slowest * BELOW, 2), above: rounded(slowest * ABOVE, 2) }
  say(`Rates: ${rates.below} and ${rates.above} requests/s`)
  // Long enough for a number of requests, however slow the machine is.
  const keep = ({ url }: Server, rate: number) =>
    keepRate([url + PATH], rate, Math.max(effort.steadySeconds, effort.steadyRequests / rate))
  const steady = await inRounds(chosen, effort.rounds, (variant) =>
    inWarm(variant, async (served) => {
      const below = await keep(served, rates.below)
      const above = await keep(served, rates.above)
      return {
        belowP50Ms: below.p50Ms,
        belowP99Ms: below.p99Ms,
        aboveP50Ms: above.p50Ms,
        aboveP99Ms: above.p99Ms,
      }
    }),
  )
  const variants = chosen.map((variant) => {
    const rounds = saturated.get(variant)!
    const { requestsPerSecond, cpuMsPerRequest, loopIdle } = medians(rounds)
    return {
      name: variant.name,
      note: variant.note,
      isPeer: variant.isPeer === true,
      ...requests.get(variant)!,
      requestsPerSecond,
      cpuMs: cpuMsPerRequest,
      loopIdle,
      spread: spread(rounds.map((round) => round.requestsPerSecond)),
      ...medians(steady.get(variant)!),
    }
  })
  const summary = summarise(variants)
  const roundsOf = (name: string | undefined): readonly number[] | undefined =>
    [...saturated].find(([variant]) => variant.name === name)?.[1].map((round) => round.requestsPerSecond)
  const ratesOf = (one: string, other: string | undefined) => {
    const [ours, theirs] = [roundsOf(one), roundsOf(other)]
    return ours && theirs && ([ours, theirs] as const)
  }
  return {
    database: postgres.name,
    server: valkey.name,
    lots: DEMO_LOTS,
    bids: itemsOf(page).flatMap(({ bids }) => bids).length,
    bytes: Buffer.byteLength(page),
    connections: CONNECTIONS,
    ...effort,
    rates,
    variants,
    summary,
    intervals: intervalsOf({
      requestsVsPrisma: ratesOf('model-cache shared', 'Prisma'),
      requestsVsBestPeer: ratesOf('model-cache shared', summary.bestPeer),
      readsVsPrisma: ratesOf('model-cache reads', 'Prisma'),
    }),
  }
}

export type PageMeasurements = Awaited<ReturnType<typeof measure>>

/** Requests without another at the same time, for what each of them asks of the servers. */
const COUNTED = 5

type Counts = Awaited<ReturnType<typeof countsOf>>

/** SQL statements, reads of a client with `reads`, and commands of Valkey so far. */
const countsOf = async (served: Server, client: BenchValkey['client']) => ({
  ...(await usageOf([client], 'commands')),
  ...(await served.call('counts')),
})

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
        page ??= answer
        requireSame(variant.name, answer, page)
        const grown = (name: keyof Counts) => [name, after[name] - before[name]]
        counts.push(Object.fromEntries((Object.keys(after) as (keyof Counts)[]).map(grown)) as Counts)
      }
      // The first ones fill the cache.
      requests.set(variant, medians(counts.slice(2)))
    })
  }
  if (itemsOf(page!).length === DEMO_LOTS) return { page: page!, requests }
  throw new Error(`The page does not have ${DEMO_LOTS} lots:\n${page!.slice(0, 1_000)}`)
}

interface Answer {
  readonly data?: {
    readonly auctionPage: { readonly items: readonly { readonly bids: readonly unknown[] }[] }
  }
}

const itemsOf = (page: string) => (JSON.parse(page) as Answer).data?.auctionPage.items ?? []

interface Measured {
  readonly name: string
  readonly isPeer: boolean
  readonly requestsPerSecond: number
  readonly belowP99Ms: number
}

/** Ratios of ours to the others; each is missing when one of its variants is. */
function summarise(variants: readonly Measured[]) {
  const named = (name: string) => variants.find((variant) => variant.name === name)
  const [ours, reads, plain, floor] = ['model-cache shared', 'model-cache reads', 'Prisma', 'floor'].map(
    named,
  )
  const [bestPeer] = variants
    .filter(({ isPeer }) => isPeer)
    .toSorted((one, other) => other.requestsPerSecond - one.requestsPerSecond)
  const ratio = (
    one: Measured | undefined,
    other: Measured | undefined,
    figure: 'requestsPerSecond' | 'belowP99Ms' = 'requestsPerSecond',
  ) => one && other && rounded(one[figure] / other[figure], 3)
  return {
    bestPeer: bestPeer?.name,
    requestsVsPrisma: ratio(ours, plain),
    requestsVsBestPeer: ratio(ours, bestPeer),
    p99VsPrisma: ratio(ours, plain, 'belowP99Ms'),
    readsVsPrisma: ratio(reads, plain),
    /** The most that any cache could reach. */
    floorVsPrisma: ratio(floor, plain),
    floorVsBestPeer: ratio(floor, bestPeer),
  }
}
