import { defineComparison } from '../../harness/comparison.ts'
import { lower } from '../../harness/figure.ts'
import { formatNumber } from '../../harness/format.ts'
import { inPercent, notes, table } from '../../harness/section.ts'
import type { Measurement } from './measure.ts'

const variantsOf = async () => (await import('./variants.ts')).allVariants

export const results = defineComparison({
  name: 'results',
  question:
    'What do results of queries save that no rows answer, and which of them are stale, while their tables are written?',
  packages: ['@prisma/client', 'bentocache', 'cacheable', 'prisma-extension-redis'],
  full: { seconds: 30 },
  quick: { seconds: 1 },
  variants: ['variant', variantsOf],
  goals: { 'stale results of model-cache': { most: 0 } },
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns: ({ database, history, measured, readsPerSecond, seconds, server }) => [
    table(
      'Searches, aggregates and a history',
      measured,
      {
        '': 'name',
        'writes a second': 'writesPerSecond',
        'CPU ms a read': 'cpuMs',
        'SQL a read': 'sql',
        'stale answers': 'stale',
        'part of the reads': inPercent<Measurement>(({ reads, stale }) => stale / reads, 1),
      },
      {
        text: [
          `${database}, ${server}. One process sends ${readsPerSecond} reads a second for ${seconds} s: of ten reads, six are searches in names, ` +
            `three are aggregates, and one is a history of ${history.toLocaleString('en')} bids with their lots. A write changes a lot or a bid, in turn, ` +
            'that all results have. An answer is stale that does not show a write which had returned, with what the code does after it, before the read was sent.',
        ],
      },
    ),
    notes('Variants', {
      bentocache: 'getOrSet with the models as tags, deleteByTag after each write',
      cacheable: 'get, and set with the models as tags, invalidateTags after each write',
      'prisma-extension-redis':
        'auto with invalidateOnWrite: a write ends the results of queries of its model alone',
      'model-cache': '`reads.results` of both models. no code at reads and writes',
    }),
  ],
  conclusion({ measured, summary }) {
    const toPrisma = (when: 'without writes' | '10 writes a second'): string =>
      formatNumber(summary[`CPU of model-cache to that of Prisma, ${when}`])
    const stale = measured.filter(({ isPeer }) => isPeer).reduce((sum, each) => sum + each.stale, 0)
    return (
      `Of searches, aggregates and a history of 2,000 rows, results cost ${toPrisma('without writes')} times the ` +
      `processor time of Prisma without writes, and ${toPrisma('10 writes a second')} times at 10 writes a second; ` +
      `${summary['stale results of model-cache']} were stale, and ${stale} of the other caches.`
    )
  },
  figures: ({ measured }) =>
    Object.fromEntries(
      measured
        .filter(({ name }) => name === 'model-cache')
        .map(({ cpuMs, writesPerSecond }) => [
          `CPU of a read, ${writesPerSecond} writes/s`,
          lower(cpuMs, 'ms'),
        ]),
    ),
})
