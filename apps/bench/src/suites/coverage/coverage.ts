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
  full: { repeats: 5, reads: 4_000 },
  quick: { repeats: 1, reads: 100 },
  goals: { suggestions: { least: 0.6 }, allWithResults: { least: 0.97 }, different: { most: 0 } },
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns: ({ lookups, mixes, sites }: Measured) => [
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
          'ids: one line a model. unique keys: all of them. suggestions: what `npx model-cache suggest` prints for these queries as well. results: those of all models beside it.',
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
    ...(['suggestions', 'results'] as const).map((level) =>
      table(`Why the database answers, with ${level}`, reasonsOf(sites, level), {
        '': 'reason',
        'part of all reads': inPercent(({ part }) => part, 1),
        'such as': 'example',
      }),
    ),
    table(
      'With one write for 20 reads',
      mixes,
      {
        '': 'corpus',
        'results end': 'results',
        reads: 'reads',
        writes: 'writes',
        'without SQL': inPercent(({ withoutSql }) => withoutSql, 1),
      },
      {
        text: [
          'All call sites at random, with the values of random rows, and a write to a row of a random model for 20 reads; results of all models, which end by model, or `by` the foreign keys of each.',
        ],
      },
    ),
  ],
  conclusion: ({ summary }) =>
    `Of the finds of 300 call sites of a shop, a workspace tool and a booking system, written for this suite, caches answer ${percent(summary.ids)} ` +
    `with one line a model, ${percent(summary.unique)} with unique keys, and ${percent(summary.suggestions)} with what ` +
    `\`npx model-cache suggest\` prints; with results of all models, ${percent(summary.allWithResults)} of all reads; ${summary.different} of ${summary.queries.toLocaleString('en')} results differ from those of a plain client.`,
  headlines: ({ summary }) => ({
    'Finds of 300 call sites of a shop, a workspace tool and a booking system, answered from caches':
      `${percent(summary.suggestions)} with suggested lists, ${percent(summary.unique)} with unique keys alone; ` +
      `${summary.different} of ${summary.queries.toLocaleString('en')} results differ`,
  }),
  figures: ({ summary }) => ({
    'unique keys': higher(summary.unique, ''),
    suggestions: higher(summary.suggestions, ''),
    'all reads, with results': higher(summary.allWithResults, ''),
  }),
})

/** The most frequent first, each with its first call site. */
function reasonsOf(sites: readonly SiteResult[], level: 'suggestions' | 'results') {
  const reasonOf = (site: SiteResult): string | null =>
    level === 'results' ? site.reasonWithResults : site.reason
  const others = sites.filter((site) => reasonOf(site) !== null)
  return [...Map.groupBy(others, (site) => reasonOf(site)!)]
    .map(([reason, some]) => ({
      reason,
      part: some.reduce((sum, { answered }) => sum + 1 - answered[level], 0) / sites.length,
      example: some[0]!.query,
    }))
    .toSorted((one, other) => other.part - one.part)
}
