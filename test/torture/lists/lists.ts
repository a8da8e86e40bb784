import { comparedWith, type Figures, inPercent, lower, notes, table } from '../bench/harness.ts'
import { defineTorture } from '../define-torture.ts'
import { STATES } from './page.ts'
import { DATA_LOADER, OURS, STORE_ONLY } from './variant.ts'

const TITLES = {
  hit: 'All stored, all users at once',
  turn: 'All stored, one user after another',
  miss: 'None stored, all users at once',
  half: 'Half of the lists ended, all users at once',
}

export const lists = defineTorture({
  name: 'lists',
  question: 'What do pages with lists cost, and which reads miss a new row, beside Prisma and other caches?',
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
  full: { rounds: 4, waves: 3, warmUpMs: 2_000, kills: 8, spellMs: 1_200 },
  quick: { rounds: 1, waves: 1, warmUpMs: 0, kills: 1, spellMs: 150 },
  variants: ['variant', async () => (await import('./variants.ts')).allVariants],
  workload: async (run) => (await import('./measure.ts')).measure(run),
  never: ({ summary: { staleReads = 0 } }) => ({ [`stale reads of ${STORE_ONLY}`]: staleReads }),
  goals: { cpuVsDataLoader: { most: 0.5 }, bestPeerCpuVsUs: { least: 1.5 } },
  // A process that receives no messages uses its memory no longer.
  problems: ({ summary: { memoryStaleMs = 0 } }) =>
    memoryStaleMs > 2_000 ? [`a stale read from memory after ${memoryStaleMs} ms`] : [],
  columns: ({ database, server, users, lots, highest, bids, bytes, rounds, waves, kills, ...measured }) => [
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
          'A memory layer (ours and that of bentocache) hears of a write by a message, which may arrive after the write has returned.',
        ],
      },
    ),
    notes('What each variant does', measured.notes),
  ],
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
    'A page of 107 lists with ten rows each': `${comparedWith(summary.cpuVsDataLoader!, 'CPU', 'Prisma with DataLoader')}, ${summary.bestPeerCpuVsUs} times less than ${summary.bestPeer}, the best peer; ${summary.staleReads} stale reads from the store`,
  }),
  figures({ variants, staleness }) {
    const times = variants.flatMap((variant) =>
      STATES.map((state) => [`${variant.name}, ${state}: CPU`, lower(variant[state].cpuMs, 'ms per page')]),
    )
    const stale = staleness.map((one) => [`${one.name}: stale reads`, lower(one.staleReads, 'reads')])
    return Object.fromEntries([...times, ...stale]) as Figures
  },
})
