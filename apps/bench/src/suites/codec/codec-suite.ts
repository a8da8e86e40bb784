import { choose } from '../../harness/choose.ts'
import type { Operation } from '../../harness/codecs/candidate.ts'
import { verify, type Verified } from '../../harness/codecs/verify.ts'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { allFixtures } from '../../harness/fixtures/models.ts'
import { percent } from '../../harness/format.ts'
import { interleave, type Effort, type Task, type Timing } from '../../harness/interleave.ts'
import { say } from '../../harness/progress.ts'
import { rounded } from '../../harness/rounds.ts'
import { grid, notes, table, type Section } from '../../harness/section.ts'
import { geometricMean, median } from '../../harness/statistics.ts'
import { defineSuite, higher, lower, type RunOptions } from '../../harness/suite.ts'
import { candidatesFor, VALUES } from './candidates.ts'

const FULL: Effort = { warmUpMs: 120, rounds: 31, batchMs: 8 }
const QUICK: Effort = { warmUpMs: 30, rounds: 7, batchMs: 1.5 }

/** Fields of `summary`: how many times as fast the default codec is as another candidate. */
const COMPARISONS: readonly [name: string, operation: Operation, against: string][] = [
  ['readVsParse', 'read', 'JSON.parse'],
  ['readVsV1', 'read', 'v1'],
  ['decodeVsParse', 'decode', 'JSON.parse'],
  ['decodeVsV1', 'decode', 'v1'],
  ['decodeVsTrie', 'decode', 'json-trie'],
  ['decodeVsValues', 'decode', VALUES],
  ['encodeVsStringifier', 'encode', 'fast-json-stringify'],
  ['encodeVsV1', 'encode', 'v1'],
  ['decodeVsUncheckedTrie', 'decode', 'json-trie-unchecked'],
  ['encodeVsUncheckedStringifier', 'encode', 'fast-json-stringify-unchecked'],
  ['encodeVsStringify', 'encode', 'JSON.stringify'],
]
const FOLLOWED = ['readVsParse', 'decodeVsParse', 'decodeVsV1', 'encodeVsStringifier', 'encodeVsV1']

/** By candidate. */
type ByCandidate = Readonly<Record<string, number>>

interface FixtureResult {
  readonly name: string
  /** Format of the default codec. */
  readonly format: string
  readonly rows: number
  /** Mean length of a stored row. */
  readonly bytes: ByCandidate
  /** Nanoseconds of processor time per row. */
  readonly read: ByCandidate
  readonly decode: ByCandidate
  readonly encode: ByCandidate
  readonly spread: Readonly<Record<Operation, ByCandidate>>
}

async function measure({ quick, only }: RunOptions) {
  const chosen = choose('fixture', allFixtures, only)
  say('Checking that every candidate restores every row …')
  // All models before one is timed, as in an application: shared code has then met the shapes of all of them.
  const met = quick && only.length > 0 ? chosen : allFixtures
  const contests = met.map((fixture) => ({
    fixture,
    verified: candidatesFor(fixture).map((candidate) => verify(fixture, candidate)),
  }))
  const fixtures = contests
    .filter(({ fixture }) => chosen.includes(fixture))
    .map(({ fixture, verified }) => {
      say(`Measuring ${fixture.name} …`)
      return measureFixture(fixture, verified, quick ? QUICK : FULL)
    })
  const candidates = contests[0]!.verified.map(({ candidate }) => candidate)
  return {
    fixtures,
    summary: summarise(fixtures),
    notes: Object.fromEntries(candidates.flatMap(({ name, note }) => (note ? [[name, note]] : []))),
  }
}

function measureFixture(fixture: Fixture, verified: readonly Verified[], effort: Effort): FixtureResult {
  const tasksOf = (operation: Operation): Task[] =>
    verified
      .filter(({ candidate }) => candidate.timed.includes(operation))
      .map(({ tasks }) => tasks[operation])
  const [read, decode, encode] = (['read', 'decode', 'encode'] as const).map((operation) =>
    Object.entries(interleave(tasksOf(operation), effort)),
  ) as [Timings, Timings, Timings]
  const nsOf = (timings: Timings): ByCandidate =>
    Object.fromEntries(timings.map(([name, { ns }]) => [name, Math.round(ns)]))
  const spreadOf = (timings: Timings): ByCandidate =>
    Object.fromEntries(timings.map(([name, { spread }]) => [name, Number(spread.toFixed(3))]))
  return {
    name: fixture.name,
    format: fixture.compile().format,
    rows: fixture.rows.length,
    bytes: Object.fromEntries(verified.map(({ candidate, bytes }) => [candidate.name, bytes])),
    read: nsOf(read),
    decode: nsOf(decode),
    encode: nsOf(encode),
    spread: { read: spreadOf(read), decode: spreadOf(decode), encode: spreadOf(encode) },
  }
}

type Timings = [name: string, timing: Timing][]

/** Speed-ups of the default codec over the fixtures: above 1 it is faster. */
export function summarise(
  fixtures: readonly Pick<FixtureResult, Operation>[],
): Record<string, { readonly median: number; readonly min: number }> {
  return Object.fromEntries(
    COMPARISONS.map(([name, operation, against]) => {
      const ratios = fixtures.map((fixture) => fixture[operation][against]! / fixture[operation]['default']!)
      return [name, { median: rounded(median(ratios), 4), min: rounded(Math.min(...ratios), 4) }]
    }),
  )
}

/** Median and worst model. */
function times(summary: ReturnType<typeof summarise>, name: string): string {
  const { median, min } = summary[name]!
  return `${median.toFixed(1)} times (worst model: ${min.toFixed(1)})`
}

export const codecSuite = defineSuite({
  packages: ['@prisma/client', 'arktype', 'devalue', 'fast-json-stringify', 'msgpackr', 'superjson'],
  measure,
  sections({ fixtures, summary, notes: byCandidate }) {
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
    const spreads = fixtures.flatMap(({ spread }) => Object.values(spread).flatMap((by) => Object.values(by)))
    return [
      gridOf(
        'Read received bytes',
        'read',
        'ns per row',
        ['default', 'json-compiled', 'JSON.parse', 'v1'],
        [
          'Medians of interleaved rounds, in processor time. Half of the rounds lie within ' +
            `± ${percent(median(spreads), 1)} typically, ± ${percent(Math.max(...spreads), 1)} at worst.`,
        ],
      ),
      gridOf('Decode received text', 'decode', 'ns per row', [
        'default',
        'json-compiled',
        'JSON.parse',
        'v1',
      ]),
      gridOf('Encode to bytes', 'encode', 'ns per row', [
        'default',
        'json-compiled',
        'JSON.stringify',
        'fast-json-stringify',
        'v1',
      ]),
      gridOf('Stored size', 'bytes', 'bytes per row', ['default', 'JSON.parse', 'msgpackr']),
      table(
        'Speed-up of the default codec over the fixtures',
        Object.entries(summary).map(([name, ratio]) => ({ name, ...ratio })),
        { '': 'name', median: 'median', min: 'min' },
        { text: ['How many times as fast it is: above 1 it is faster.'] },
      ),
      notes('Notes', byCandidate),
    ]
  },
  conclusion: ({ fixtures, summary }) =>
    `Over ${fixtures.length} models the default codec reads rows ${times(summary, 'readVsParse')} as fast as JSON.parse, ` +
    `which restores no dates and decimals, and encodes ${times(summary, 'encodeVsStringify')} as fast as JSON.stringify.`,
  headlines: ({ summary }) => ({
    'Read a typed row': `${times(summary, 'readVsParse')} as fast as JSON.parse`,
    'Encode a typed row': `${times(summary, 'encodeVsStringify')} as fast as JSON.stringify`,
  }),
  figures({ fixtures, summary }) {
    const overall = (kind: Operation | 'bytes', candidate: string): number =>
      geometricMean(fixtures.map((fixture) => fixture[kind][candidate]!))
    return {
      read: lower(overall('read', 'default'), 'ns per row'),
      decode: lower(overall('decode', 'default'), 'ns per row'),
      encode: lower(overall('encode', 'default'), 'ns per row'),
      size: lower(overall('bytes', 'default'), 'bytes per row'),
      'json: decode': lower(overall('decode', 'json-compiled'), 'ns per row'),
      'json: encode': lower(overall('encode', 'json-compiled'), 'ns per row'),
      ...Object.fromEntries(FOLLOWED.map((name) => [name, higher(summary[name]!.median, 'times as fast')])),
    }
  },
})
