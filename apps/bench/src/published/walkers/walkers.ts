import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { percent } from '../../harness/format.ts'
import type { Timing } from '../../harness/interleave.ts'
import { say } from '../../harness/progress.ts'
import { besidePublished, parsingStorm } from '../../harness/published.ts'
import { rounded } from '../../harness/rounds.ts'
import { grid, notes } from '../../harness/section.ts'
import { mean, median } from '../../harness/statistics.ts'

/** The ceiling, four walks that the publication compares, and the two formats of this library. */
const CEILING = 'JSON.parse'
const NOTES: Readonly<Record<string, string>> = {
  [CEILING]: 'the ceiling: restores nothing',
  'trie, parseISO': 'one function walks a trie of the declared places; dates by date-fns',
  'trie, Date': 'the same walk; dates by new Date(text)',
  'compiled, parseISO': 'the walk as generated straight-line code; dates by date-fns',
  'compiled, Date': 'the same code; dates by new Date(text)',
  json: 'this library’s json format: every row checked',
  record: 'this library’s default codec: no JSON where a row can be a record, and every row checked',
}
const READERS = Object.keys(NOTES)

interface Result {
  readonly fixture: string
  /** Means of a row: bytes of JSON, and dates. */
  readonly bytes: number
  readonly dates: number
  readonly timings: Readonly<Record<string, Timing>>
}

const medianOf = (fixtures: readonly Result[], reader: string): number =>
  median(fixtures.map(({ timings }) => timings[reader]!.ns / timings[CEILING]!.ns))

export const walkers = defineComparison({
  name: 'walkers',
  question:
    'What does it cost to restore dates and decimals, by walk and date parser, beside the parse alone?',
  packages: ['@prisma/client', 'arktype', 'date-fns'],
  full: { warmUpMs: 120, rounds: 25, batchMs: 8 },
  quick: { warmUpMs: 20, rounds: 5, batchMs: 1.5 },
  variants: ['fixture', async () => (await import('./readers.ts')).measured],
  async workload({ quick, only, chosen, effort }) {
    const { countDates, measured, readersOf } = await import('./readers.ts')
    const { interleave } = await import('../../harness/interleave.ts')
    // All models before one is timed, as in an application: shared code has then met the shapes of all of them.
    const met = quick && only.length > 0 ? chosen : measured
    const readers = new Map(met.map((fixture) => [fixture, readersOf(fixture)]))
    const fixtures = chosen.map((fixture): Result => {
      say(`Measuring ${fixture.name} …`)
      const tasks = readers.get(fixture)!
      return {
        fixture: fixture.name,
        bytes: Math.round(mean(tasks[0]!.inputs.map((text) => Buffer.byteLength(text as string)))),
        dates: countDates(fixture.rows) / fixture.rows.length,
        timings: interleave(tasks, effort),
      }
    })
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
