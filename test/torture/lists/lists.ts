import {
  choose,
  comparedWith,
  defineSuite,
  type Figures,
  inPercent,
  inRounds,
  lower,
  medians,
  notes,
  openPostgres,
  openValkey,
  rounded,
  type RunOptions,
  say,
  spread,
  table,
} from '../bench.ts'
import { rehearse, textOfRehearsals, unnoticedIn, untilNoticed } from '../rehearsal.ts'
import { seedAuction } from './auction.ts'
import { describePage, HIGHEST, USERS } from './page.ts'
import { runRound, STATES, type Effort, type State, type WaveResult } from './run-round.ts'
import { measureStaleness, type StalenessEffort } from './measure-staleness.ts'
import { allVariants, DATA_LOADER, OURS, STORE_ONLY } from './variants.ts'
import { openInclude } from './variants/prisma.ts'

const FULL = { rounds: 4, waves: 3, warmUpMs: 2_000, kills: 8, spellMs: 1_200 }
const QUICK = { rounds: 1, waves: 1, warmUpMs: 0, kills: 1, spellMs: 150 }

/** The first spell of a rehearsal; each one is longer than the one before. */
const REHEARSED_MS = 500

/** What the ratios of a full run have to reach. */
const MOST_VS_DATA_LOADER = 0.5
const LEAST_VS_BEST_PEER = 1.5
/** A process that receives no messages uses its memory no longer than this. */
const LONGEST_IN_MEMORY_MS = 2_000

async function measure({ quick, only }: RunOptions) {
  const chosen = choose('variant', allVariants, only)
  const { rounds, ...effort }: Effort & StalenessEffort & { readonly rounds: number } = quick ? QUICK : FULL
  const [valkey, postgres] = await Promise.all([openValkey(), openPostgres()])
  const prisma = postgres.openPrisma()
  try {
    await seedAuction(prisma)
    const page = await openInclude(prisma).page()
    const expected = describePage(page)
    say(`${postgres.name}, ${valkey.name}: ${chosen.length} variants, ${rounds} rounds`)
    const waves = await inRounds(chosen, rounds, (variant, round) =>
      runRound(variant, postgres.url, valkey, effort, round === 0 ? expected : undefined),
    )
    const variants = chosen.map((variant) => resultOf(variant, waves.get(variant)!.flat()))
    const servers = { databaseUrl: postgres.url, prisma, valkey }
    const storeOnly = allVariants.find(({ name }) => name === STORE_ONLY)!
    const rehearsals = await rehearse('staleness', ['fence left out', 'stale entry'], (defect) => {
      let spellMs = REHEARSED_MS
      return untilNoticed(async () => {
        const { staleReads } = await measureStaleness(storeOnly, servers, { kills: 0, spellMs }, defect)
        // A busy machine reads and writes little in the first one.
        spellMs *= 4
        return staleReads > 0
      })
    })
    const staleness = []
    for (const variant of chosen) {
      say(`Staleness: ${variant.name} …`)
      staleness.push(await measureStaleness(variant, servers, effort))
    }
    return {
      database: postgres.name,
      server: valkey.name,
      users: USERS,
      lots: page.length,
      highest: HIGHEST,
      bids: page.reduce((all, { bids }) => all + bids.length, 0),
      bytes: Buffer.byteLength(JSON.stringify(page)),
      rounds,
      ...effort,
      variants,
      staleness,
      rehearsals,
      summary: summarise(variants, staleness),
      notes: Object.fromEntries(chosen.map(({ name, note }) => [name, note])),
    }
  } finally {
    await prisma.$disconnect()
    await Promise.all([valkey.close(), postgres.close()])
  }
}

/** One variant: medians of all its waves, by state. */
export function resultOf(
  { name, isPeer = false }: { readonly name: string; readonly isPeer?: boolean },
  waves: readonly WaveResult[],
) {
  const of = (state: State) => {
    const ofState = waves.filter((wave) => wave.state === state)
    return { ...medians(ofState), cpuSpread: spread(ofState.map(({ cpuMs }) => cpuMs)) }
  }
  return { name, isPeer, hit: of('hit'), turn: of('turn'), miss: of('miss'), half: of('half') }
}

type Measured = {
  readonly name: string
  readonly isPeer: boolean
} & Readonly<Record<State, { readonly cpuMs: number }>>
interface Stale {
  readonly name: string
  readonly staleReads: number
  readonly longestMs: number
}

/** Ratios of processor time per page, and stale reads; what needs a variant that was not measured is missing. */
export function summarise(variants: readonly Measured[], staleness: readonly Stale[]) {
  const ours = variants.find(({ name }) => name === OURS)
  const dataLoader = variants.find(({ name }) => name === DATA_LOADER)
  const peers = variants.filter(({ isPeer }) => isPeer)
  const ratio = (one: number | undefined, other: number | undefined) =>
    one !== undefined && other !== undefined ? rounded(one / other, 3) : undefined
  const beside = (state: State) => {
    const [best] = peers.toSorted((one, other) => one[state].cpuMs - other[state].cpuMs)
    return {
      bestPeer: best?.name,
      /** Ours as a part of DataLoader, and the best peer as a multiple of ours. */
      cpuVsDataLoader: ratio(ours?.[state].cpuMs, dataLoader?.[state].cpuMs),
      bestPeerCpuVsUs: ratio(best?.[state].cpuMs, ours?.[state].cpuMs),
    }
  }
  const staleIn = (name: string) => staleness.find((one) => one.name === name)
  const staleOf = (names: readonly string[]) =>
    Object.fromEntries(
      staleness.filter(({ name }) => names.includes(name)).map((one) => [one.name, one.staleReads]),
    )
  return {
    // Users who arrive apart: at once, a library that hands all of them the same arrays does the work of one.
    ...beside('turn'),
    hit: beside('hit'),
    miss: beside('miss'),
    half: beside('half'),
    staleReads: staleIn(STORE_ONLY)?.staleReads,
    /** In memory until the message of a write arrives. */
    memoryStaleReads: staleIn(OURS)?.staleReads,
    memoryStaleMs: staleIn(OURS)?.longestMs,
    peersStaleReads: staleOf(peers.map(({ name }) => name)),
  }
}

type Summary = ReturnType<typeof summarise>

/** Why a run fails. @param isFull a quick run is too noisy for its ratios */
export function problemsOf(summary: Summary, isFull: boolean): string[] {
  const { staleReads = 0, memoryStaleMs = 0, cpuVsDataLoader = 0, bestPeerCpuVsUs = Infinity } = summary
  return [
    ...(staleReads > 0 ? [`${staleReads} stale reads of ${STORE_ONLY}`] : []),
    ...(memoryStaleMs > LONGEST_IN_MEMORY_MS ? [`a stale read from memory after ${memoryStaleMs} ms`] : []),
    ...(isFull && cpuVsDataLoader > MOST_VS_DATA_LOADER
      ? [`cpuVsDataLoader is ${cpuVsDataLoader}, of at most ${MOST_VS_DATA_LOADER}.`]
      : []),
    ...(isFull && bestPeerCpuVsUs < LEAST_VS_BEST_PEER
      ? [`bestPeerCpuVsUs is ${bestPeerCpuVsUs}, of at least ${LEAST_VS_BEST_PEER}.`]
      : []),
  ]
}

const TITLES = {
  hit: 'All stored, all users at once',
  turn: 'All stored, one user after another',
  miss: 'None stored, all users at once',
  half: 'Half of the lists ended, all users at once',
}

export const listsSuite = defineSuite({
  packages: [
    '@keyv/redis',
    '@prisma/client',
    'async-cache-dedupe',
    'bentocache',
    'cache-manager',
    'dataloader',
    'ioredis',
    'keyv',
  ],
  measure,
  sections({ database, server, users, lots, highest, bids, bytes, rounds, waves, kills, ...measured }) {
    return [
      {
        title: 'The page',
        text: [
          `${database} and ${server}. Each of ${users} users reads ${lots} lots, the ${highest} highest bids of each and the names of their bidders: ${bids} bids, ${bytes} bytes of JSON.`,
          `Medians of ${rounds} interleaved rounds of ${waves} waves, each variant in a new process after a warm-up. All return the same rows.`,
          'CPU is of the reading process, for one page; queries, commands and the longest block are of all users together. Commands include those that scripts run in the store.',
        ],
      },
      ...STATES.map((state) =>
        table(
          TITLES[state],
          measured.variants,
          {
            variant: 'name',
            'CPU ms/page': (variant) => variant[state].cpuMs,
            '±': inPercent((variant) => variant[state].cpuSpread),
            'longest block ms': (variant) => variant[state].loopMaxMs,
            'store commands': (variant) => variant[state].commands,
            'SQL queries': (variant) => variant[state].queries,
          },
          { chart: { y: 'ms', scale: 'log', columns: ['CPU ms/page', 'longest block ms'] } },
        ),
      ),
      table(
        'Reads while another process places bids and renames bidders',
        measured.staleness,
        {
          variant: 'name',
          'lists read': 'reads',
          writes: 'writes',
          stale: 'staleReads',
          'after a statement': ({ byKind }) => byKind.statement,
          'after a transaction': ({ byKind }) => byKind.transaction,
          'after a killed writer': ({ byKind }) => byKind.killed,
          'after a rename': ({ byKind }) => byKind.rename,
          'longest ms': 'longestMs',
        },
        {
          text: [
            'A read is stale if it omits one of the highest bids, or the name of a bidder, whose write had returned before the read began.',
            `Writers end the lists and names right after COMMIT, as each library documents it. ${kills} of them are killed between COMMIT and that.`,
            'A part of the answers of the database reach the reader late, so that writes commit while it loads.',
            `Before it, with the store only, defects that were noticed: ${textOfRehearsals(measured.rehearsals)}.`,
            'A memory layer (ours and that of bentocache) hears of a write by a message, which may arrive after the write has returned.',
          ],
        },
      ),
      notes('What each variant does', measured.notes),
    ]
  },
  conclusion({ variants, staleness, summary }) {
    const cpu = (name: string | undefined) => variants.find((one) => one.name === name)?.turn.cpuMs.toFixed(2)
    const reads = staleness.find(({ name }) => name === STORE_ONLY)?.reads.toLocaleString('en')
    const stale = Object.entries(summary.peersStaleReads).map(([name, count]) => `${name} ${count}`)
    return (
      `With all lists stored, and users who arrive apart, a page takes ${cpu(OURS)} ms of processor time: ` +
      `${comparedWith(summary.cpuVsDataLoader!, '', 'Prisma with DataLoader')} (${cpu(DATA_LOADER)} ms). The best peer, ${summary.bestPeer}, takes ${summary.bestPeerCpuVsUs} times as much. ` +
      `Where all users arrive in one tick, the best peer (${summary.hit.bestPeer}) takes ${comparedWith(summary.hit.bestPeerCpuVsUs!, '', 'we do')}, ` +
      `on misses (${summary.miss.bestPeer}) ${comparedWith(summary.miss.bestPeerCpuVsUs!, '', 'we do')}. ` +
      `While another process places bids, ${summary.staleReads} of ${reads} reads from the store are stale; ` +
      `with memory ${summary.memoryStaleReads}, for at most ${summary.memoryStaleMs?.toFixed(1)} ms, until the message of the write arrives; of the peers: ${stale.join(', ')}.`
    )
  },
  headlines: ({ summary }) => ({
    'A page of 107 lists with ten rows each': `${comparedWith(summary.cpuVsDataLoader!, 'CPU', 'Prisma with DataLoader')}; ${summary.bestPeer}, the best peer, takes ${summary.bestPeerCpuVsUs} times as much; ${summary.staleReads} stale reads from the store`,
  }),
  figures({ variants, staleness }) {
    const times = variants.flatMap((variant) =>
      STATES.map((state) => [`${variant.name}, ${state}: CPU`, lower(variant[state].cpuMs, 'ms per page')]),
    )
    const stale = staleness.map((one) => [`${one.name}: stale reads`, lower(one.staleReads, 'reads')])
    return Object.fromEntries([...times, ...stale]) as Figures
  },
  problems: ({ rehearsals, rounds, summary }) => [
    ...problemsOf(summary, rounds >= FULL.rounds),
    ...unnoticedIn('staleness', rehearsals),
  ],
})
