import type { Operation } from '../../harness/codecs/candidate.ts'
import { verify, type Verified } from '../../harness/codecs/verify.ts'
import { notesOf, type Run } from '../../harness/comparison.ts'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { allFixtures } from '../../harness/fixtures/models.ts'
import { smallRows } from '../../harness/fixtures/small-rows.ts'
import { interleave, type Effort, type Task, type Timing } from '../../harness/interleave.ts'
import { say } from '../../harness/progress.ts'
import { rounded } from '../../harness/rounds.ts'
import { median } from '../../harness/statistics.ts'
import { candidatesFor, VALUES } from './candidates.ts'
import { modelsIn } from './models-in.ts'

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
/** Models, and beside them rows that no application reads as many of. */
export const measured: readonly Fixture[] = [...smallRows, ...allFixtures]

/** By candidate. */
type ByCandidate = Readonly<Record<string, number>>

interface FixtureResult {
  readonly name: string
  /** Whether it is no model, but a row of a few values. */
  readonly isSmall?: boolean
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

export async function measure({ chosen, quick, only, effort }: Run<Effort, Fixture>) {
  say('Checking that every candidate restores every row …')
  // All models before one is timed, as in an application: shared code has then met the shapes of all of them.
  const met = quick && only.length > 0 ? chosen : measured
  const contests = met.map((fixture) => ({
    fixture,
    verified: candidatesFor(fixture).map((candidate) => verify(fixture, candidate)),
  }))
  const fixtures = contests
    .filter(({ fixture }) => chosen.includes(fixture))
    .map(({ fixture, verified }) => {
      say(`Measuring ${fixture.name} …`)
      return measureFixture(fixture, verified, effort)
    })
  const candidates = contests[0]!.verified.map(({ candidate }) => candidate)
  return { fixtures, summary: summarise(modelsIn(fixtures)), notes: notesOf(candidates) }
}

function measureFixture(fixture: Fixture, verified: readonly Verified[], effort: Effort): FixtureResult {
  const tasksOf = (operation: Operation): Task[] =>
    verified
      .filter(({ candidate }) => candidate.timed.includes(operation))
      .map(({ tasks }) => tasks[operation])
  const [read, decode, encode] = (['read', 'decode', 'encode'] as const).map((operation) =>
    Object.entries(interleave(tasksOf(operation), effort)),
  ) as [Timings, Timings, Timings]
  const byName = (timings: Timings, of: (timing: Timing) => number): ByCandidate =>
    Object.fromEntries(timings.map(([name, timing]) => [name, of(timing)]))
  const nsOf = (timings: Timings): ByCandidate => byName(timings, ({ ns }) => Math.round(ns))
  const spreadOf = (timings: Timings): ByCandidate =>
    byName(timings, ({ spread }) => Number(spread.toFixed(3)))
  return {
    name: fixture.name,
    ...(smallRows.includes(fixture) && { isSmall: true }),
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

/** Speed-ups of the default codec over fixtures: above 1 it is faster. */
function summarise(
  fixtures: readonly Pick<FixtureResult, Operation>[],
): Record<string, { readonly median: number; readonly min: number }> {
  return Object.fromEntries(
    COMPARISONS.map(([name, operation, against]) => {
      const ratios = fixtures.map((fixture) => fixture[operation][against]! / fixture[operation]['default']!)
      return [name, { median: rounded(median(ratios), 4), min: rounded(Math.min(...ratios), 4) }]
    }),
  )
}
