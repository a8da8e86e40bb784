import { defineComparison } from '../../harness/comparison.ts'
import { higher } from '../../harness/figure.ts'
import { percent } from '../../harness/format.ts'
import { inPercent, table } from '../../harness/section.ts'
import type { Measured, SiteResult } from './measure.ts'
import { isFind, levels, shareOf } from './shares.ts'

interface CorpusRow {
  readonly name: string
  readonly sites: readonly SiteResult[]
}

export const coverage = defineComparison({
  name: 'coverage',
  question: 'Which part of the queries that applications ask do caches answer, with which definitions?',
  packages: ['@prisma/client', '@prisma/adapter-pg'],
  // Queries of each call site, with other values each.
  full: { repeats: 5 },
  quick: { repeats: 1 },
  goals: { suggestions: { least: 0.6 }, different: { most: 0 } },
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns: ({ lookups, sites }: Measured) => [
    table(
      'Answered queries',
      ['demo', 'shop', 'workspace', 'booking'].map((name) => ({
        name,
        sites: sites.filter(({ corpus }) => corpus === name),
      })),
      {
        '': 'name',
        'call sites': ({ sites: own }) => own.length,
        ...Object.fromEntries(
          levels.flatMap((level) => [
            [`finds, ${level}`, inPercent<CorpusRow>((row) => shareOf(row.sites.filter(isFind), level))],
            [`all reads, ${level}`, inPercent<CorpusRow>((row) => shareOf(row.sites, level))],
          ]),
        ),
      },
      {
        text: [
          'ids: one line a model. unique keys: all of them. suggestions: what `npx model-cache suggest` prints for these queries as well.',
          'Every query has the result of a plain client, once loaded and once from the store.',
        ],
      },
    ),
    table('Definitions with suggestions', lookups, {
      '': 'corpus',
      models: 'models',
      'unique keys': 'unique',
      lists: 'lists',
    }),
    table('Why the database answers, with suggestions', reasonsOf(sites), {
      '': 'reason',
      'part of all reads': inPercent(({ part }) => part, 1),
      'such as': 'example',
    }),
  ],
  conclusion: ({ summary }) =>
    `Of the finds of 300 call sites of a shop, a workspace tool and a booking system, written for this suite, caches answer ${percent(summary.ids)} ` +
    `with one line a model, ${percent(summary.unique)} with unique keys, and ${percent(summary.suggestions)} with what ` +
    `\`npx model-cache suggest\` prints; ${summary.different} of ${summary.queries.toLocaleString('en')} results differ from those of a plain client.`,
  headlines: ({ summary }) => ({
    'Finds of 300 call sites of a shop, a workspace tool and a booking system, answered from caches':
      `${percent(summary.suggestions)} with suggested lists, ${percent(summary.unique)} with unique keys alone; ` +
      `${summary.different} of ${summary.queries.toLocaleString('en')} results differ`,
  }),
  figures: ({ summary }) => ({
    'unique keys': higher(summary.unique, ''),
    suggestions: higher(summary.suggestions, ''),
  }),
})

/** The most frequent first, each with its first call site. */
function reasonsOf(sites: readonly SiteResult[]) {
  const others = sites.filter(({ reason }) => reason !== null)
  return [...Map.groupBy(others, ({ reason }) => reason!)]
    .map(([reason, some]) => ({
      reason,
      part: some.reduce((sum, { answered }) => sum + 1 - answered.suggestions, 0) / sites.length,
      example: some[0]!.query,
    }))
    .toSorted((one, other) => other.part - one.part)
}
