import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { inPercent, notes, table } from '../../harness/section.ts'
import { higher, lower } from '../../harness/figure.ts'

export const page = defineComparison({
  name: 'page',
  question:
    'What does a page of a GraphQL application cost with Prisma, with other caches, and with this library?',
  packages: [
    '@nestjs/core',
    '@nestjs/graphql',
    '@prisma/client',
    'autocannon',
    'bentocache',
    'cache-manager',
    'dataloader',
    'ioredis',
    'mercurius',
  ],
  full: { rounds: 4, warmUpRequests: 150, seconds: 4, steadySeconds: 5, steadyRequests: 60 },
  quick: { rounds: 1, warmUpRequests: 3, seconds: 0.2, steadySeconds: 0.2, steadyRequests: 3 },
  variants: ['variant', async () => (await import('./variants.ts')).allVariants],
  goals: {
    requestsVsPrisma: { least: 3 },
    readsVsPrisma: { least: 3 },
    requestsVsBestPeer: { least: 1.3 },
  },
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns({ database, server, lots, bids, bytes, connections, rounds, seconds, rates, variants }) {
    const plain = variants.find(({ name }) => name === 'Prisma')
    return [
      notes('What each variant does', Object.fromEntries(variants.map(({ name, note }) => [name, note]))),
      table(
        `One page of a GraphQL application under ${connections} connections`,
        variants,
        {
          variant: 'name',
          'requests/s': 'requestsPerSecond',
          '±': inPercent((variant) => variant.spread),
          gain: ({ requestsPerSecond }) => plain && requestsPerSecond / plain.requestsPerSecond,
          'CPU ms/request': 'cpuMs',
          'loop idle': inPercent(({ loopIdle }) => loopIdle),
          'SQL queries/request': 'queries',
          'Valkey commands/request': 'commands',
          'reads answered': ({ answered, reads }) => (reads > 0 ? `${answered} of ${reads}` : undefined),
        },
        {
          text: [
            `${lots} lots with all their fields, their ${bids} bids and the bidder of each: ${bytes} bytes of JSON over Nest, Mercurius with its compiler, and Fastify.`,
            `${database} and ${server} on the same machine as the application and autocannon, each in a process of its own.`,
            `Medians of ${rounds} × ${seconds} s, each variant in a new process after a warm-up. All return the same bytes; the caches have all rows.`,
            'Queries and commands are those of one request alone. CPU is of the application only.',
          ],
          chart: { y: 'requests/s', columns: ['requests/s'] },
        },
      ),
      table(
        `The same page at ${rates.below} and ${rates.above} requests/s`,
        variants,
        {
          variant: 'name',
          [`p50 ms at ${rates.below}/s`]: 'belowP50Ms',
          [`p99 ms at ${rates.below}/s`]: 'belowP99Ms',
          [`p50 ms at ${rates.above}/s`]: 'aboveP50Ms',
          [`p99 ms at ${rates.above}/s`]: 'aboveP99Ms',
        },
        {
          text: [
            'The first rate is below what the slowest variant can serve, the second one above. Latencies count from when each request was due.',
          ],
          chart: { y: 'ms', scale: 'log' },
        },
      ),
    ]
  },
  conclusion({ variants, summary }) {
    const rate = (name: string | undefined) => {
      const found = variants.find((variant) => variant.name === name)
      return found ? `${found.requestsPerSecond.toFixed(0)} requests/s` : 'nothing'
    }
    return (
      `With injected caches the page of an auction is served at ${rate('model-cache shared')}: ${summary.requestsVsPrisma} times as many as ` +
      `with Prisma alone (${rate('Prisma')}), and ${summary.requestsVsBestPeer} times as many as with ${summary.bestPeer}, the best peer ` +
      `(${rate(summary.bestPeer)}). With unchanged resolvers and \`reads\` it is ` +
      `${rate('model-cache reads')}. The application without any reads serves ${rate('floor')}.`
    )
  },
  headlines: ({ summary }) => ({
    'A GraphQL page of 107 lots': `${summary.requestsVsPrisma} times the requests/s of plain Prisma, ${summary.requestsVsBestPeer} times those of ${summary.bestPeer}`,
  }),
  figures: ({ variants, summary }) => ({
    ...figuresOf(variants, ({ name }) => name, {
      '': ['requestsPerSecond', 'requests/s', 'higher'],
      ', CPU per request': ['cpuMs', 'ms'],
    }),
    ...Object.fromEntries(
      Object.entries(summary).flatMap(([name, value]) =>
        typeof value === 'number' ? [[name, (name.startsWith('p99') ? lower : higher)(value, 'times')]] : [],
      ),
    ),
  }),
})
