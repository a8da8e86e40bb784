import type { Operation } from '../../harness/codecs/candidate.ts'
import { defineComparison } from '../../harness/comparison.ts'
import { percent } from '../../harness/format.ts'
import { rounded } from '../../harness/rounds.ts'
import { grid, notes, table, type Section } from '../../harness/section.ts'
import { geometricMean, median } from '../../harness/statistics.ts'
import { higher, lower } from '../../harness/figure.ts'
import { modelsIn } from './models-in.ts'

/** What charts show. */
const READERS = ['default', 'json', 'JSON.parse', 'v1']
const WRITERS = ['default', 'json', 'JSON.stringify', 'fast-json-stringify', 'v1']

const FOLLOWED = ['readVsParse', 'decodeVsParse', 'decodeVsV1', 'encodeVsStringifier', 'encodeVsV1']

/** Median and worst model. */
function times(
  summary: Readonly<Record<string, { readonly median: number; readonly min: number }>>,
  name: string,
): string {
  const { median, min } = summary[name]!
  return `${median.toFixed(1)} times (worst model: ${min.toFixed(1)})`
}

export const codec = defineComparison({
  name: 'codec',
  question: 'How long does one typed row take into and out of its stored form, beside JSON and others?',
  isSteady: true,
  packages: ['@prisma/client', 'arktype', 'devalue', 'fast-json-stringify', 'msgpackr', 'superjson'],
  full: { warmUpMs: 120, rounds: 31, batchMs: 8 },
  quick: { warmUpMs: 30, rounds: 7, batchMs: 1.5 },
  variants: ['fixture', async () => (await import('./measure.ts')).measured],
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns({ fixtures, summary, notes: byCandidate }) {
    const gridOf = (
      title: string,
      kind: Operation | 'bytes',
      y: string,
      drawn: readonly string[],
      text?: readonly string[],
    ): Section =>
      grid(
        `${title}, ${y}`,
        fixtures.map(({ name }) => name),
        [...new Set(fixtures.flatMap((fixture) => Object.keys(fixture[kind])))],
        (fixture, candidate) => fixtures.find(({ name }) => name === fixture)![kind][candidate],
        { ...(text && { text }), chart: { y, scale: 'log', columns: drawn } },
      )
    const smallest = fixtures.filter(({ isSmall }) => isSmall)
    const spreads = fixtures.flatMap(({ spread }) => Object.values(spread).flatMap((by) => Object.values(by)))
    return [
      gridOf('Read received bytes', 'read', 'ns per row', READERS, [
        'Medians of interleaved rounds, in processor time. Half of the rounds lie within ' +
          `± ${percent(median(spreads), 1)} typically, ± ${percent(Math.max(...spreads), 1)} at worst.`,
      ]),
      gridOf('Decode received text', 'decode', 'ns per row', READERS),
      gridOf('Encode to bytes', 'encode', 'ns per row', WRITERS),
      gridOf('Stored size', 'bytes', 'bytes per row', ['default', 'JSON.parse', 'msgpackr']),
      table(
        'Speed-up of the default codec over the models',
        Object.entries(summary).map(([name, ratio]) => ({ name, ...ratio })),
        { '': 'name', median: 'median', min: 'min' },
        { text: ['How many times as fast it is: above 1 it is faster.'] },
      ),
      table(
        'Speed-up over the smallest rows',
        smallest.map(({ name, read, encode }) => ({
          name,
          read: rounded(read['JSON.parse']! / read['default']!),
          encode: rounded(encode['JSON.stringify']! / encode['default']!),
        })),
        { '': 'name', 'read, beside JSON.parse': 'read', 'encode, beside JSON.stringify': 'encode' },
        { text: ['Rows of a few values, which are no models, and do not count above.'] },
      ),
      notes('Notes', byCandidate),
    ]
  },
  conclusion: ({ fixtures, summary }) =>
    `Over ${modelsIn(fixtures).length} models the default codec reads rows ${times(summary, 'readVsParse')} as fast as JSON.parse, ` +
    `which restores no dates and decimals, and encodes ${times(summary, 'encodeVsStringify')} as fast as JSON.stringify.`,
  headlines: ({ summary }) => ({
    'Read a typed row': `${times(summary, 'readVsParse')} as fast as JSON.parse`,
    'Encode a typed row': `${times(summary, 'encodeVsStringify')} as fast as JSON.stringify`,
  }),
  figures({ fixtures: all, summary }) {
    const fixtures = modelsIn(all)
    const overall = (kind: Operation | 'bytes', candidate: string): number =>
      geometricMean(fixtures.map((fixture) => fixture[kind][candidate]!))
    return {
      read: lower(overall('read', 'default'), 'ns per row'),
      decode: lower(overall('decode', 'default'), 'ns per row'),
      encode: lower(overall('encode', 'default'), 'ns per row'),
      size: lower(overall('bytes', 'default'), 'bytes per row'),
      'json: decode': lower(overall('decode', 'json'), 'ns per row'),
      'json: encode': lower(overall('encode', 'json'), 'ns per row'),
      ...Object.fromEntries(FOLLOWED.map((name) => [name, higher(summary[name]!.median, 'times as fast')])),
    }
  },
})
