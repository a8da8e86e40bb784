import { join } from 'node:path'
import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { percent } from '../../harness/format.ts'
import { callProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import { besidePublished, parsingStorm } from '../../harness/published.ts'
import { rounded } from '../../harness/rounds.ts'
import { grid, notes } from '../../harness/section.ts'
import { median } from '../../harness/statistics.ts'
import type { Walking } from './walkers-process.ts'

const PROCESS = join(import.meta.dirname, 'walkers-process.ts')

/** The ceiling, four walks that the publication compares, and three formats of this library. */
const CEILING = 'JSON.parse'
const NOTES: Readonly<Record<string, string>> = {
  [CEILING]: 'the ceiling: restores nothing',
  'trie, parseISO': 'one function walks a trie of the declared places; dates by date-fns',
  'trie, Date': 'the same walk; dates by new Date(text)',
  'compiled, parseISO': 'the walk as generated straight-line code; dates by date-fns',
  'compiled, Date': 'the same code; dates by new Date(text)',
  'json-trie': 'this library with a hand-written reviver: the trie, and every row checked',
  'json-compiled': 'this library’s json format: compiled, and every row checked',
  record: 'this library’s default codec: no JSON where a row can be a record, and every row checked',
}
const READERS = Object.keys(NOTES)

type Fixtures = Awaited<ReturnType<Walking['measure']>>

const medianOf = (fixtures: Fixtures, reader: string): number =>
  median(fixtures.map(({ timings }) => timings[reader]!.ns / timings[CEILING]!.ns))

export const walkers = defineComparison({
  name: 'walkers',
  question:
    'What does it cost to restore dates and decimals, by walk and date parser, beside the parse alone?',
  packages: ['@prisma/client', 'arktype', 'date-fns'],
  full: { warmUpMs: 120, rounds: 25, batchMs: 8 },
  quick: { warmUpMs: 20, rounds: 5, batchMs: 1.5 },
  // Without the fixture that not every machine has.
  variants: [
    'fixture',
    async () =>
      (await import('../../harness/fixtures/models.ts')).allFixtures.filter(
        ({ name }) => name !== 'GalaLots',
      ),
  ],
  async workload({ quick, only, chosen, effort }) {
    const fixtures: Fixtures = []
    // One process per fixture, or one for all in a quick run.
    for (const some of quick ? [chosen] : chosen.map((one) => [one])) {
      const names = some.map(({ name }) => name)
      say(`Measuring ${names.join(', ')} …`)
      const meetsAll = !quick || only.length === 0
      const argument = { fixtures: names, meetsAll, effort }
      fixtures.push(...(await callProcess<Walking, 'measure'>(PROCESS, 'measure', argument)))
    }
    return { fixtures }
  },
  columns({ fixtures }) {
    const names = fixtures.map(({ fixture }) => fixture)
    const of = (name: string) => fixtures.find(({ fixture }) => fixture === name)
    const spreads = fixtures.flatMap(({ timings }) => Object.values(timings).map(({ spread }) => spread))
    return [
      grid(
        'Nanoseconds of processor time per row',
        names,
        ['bytes', 'dates', ...READERS],
        (name, column) => {
          const { bytes, dates, timings } = of(name)!
          if (column === 'bytes') return bytes
          return column === 'dates' ? dates : Math.round(timings[column]!.ns)
        },
        {
          text: [
            'All read plain JSON, except for the record, and restore every row. Readers of a fixture are interleaved in one process.',
            `Half of the rounds lie within ± ${percent(median(spreads), 1)} typically, ± ${percent(Math.max(...spreads), 1)} at worst.`,
          ],
        },
      ),
      notes('Readers', NOTES),
      grid(
        'As a multiple of the parse alone',
        [...names, 'median'],
        READERS,
        (name, reader) => {
          const timings = of(name)?.timings
          return timings ? timings[reader]!.ns / timings[CEILING]!.ns : medianOf(fixtures, reader)
        },
        { chart: { y: 'times JSON.parse alone' } },
      ),
      besidePublished(
        parsingStorm,
        'as a multiple of the parse alone, median of ten fixtures',
        READERS.slice(0, 5).map((name) => ({
          name,
          theirs: undefined,
          ours: medianOf(fixtures, name),
          difference: 'our walks, written for this table, and our fixtures',
        })),
      ),
    ]
  },
  conclusion({ fixtures }) {
    const costs = ['record', 'compiled, Date', 'trie, parseISO'].map(
      (reader) => `${reader} ${medianOf(fixtures, reader).toFixed(2)}`,
    )
    return `Reading a row with its dates and decimals, as a multiple of a bare JSON.parse: ${costs.join('; ')}.`
  },
  figures: ({ fixtures }) =>
    figuresOf(
      READERS.filter((name) => name !== CEILING),
      (name) => name,
      { ', times the parse alone': [(name) => rounded(medianOf(fixtures, name), 4), '×'] },
    ),
})
