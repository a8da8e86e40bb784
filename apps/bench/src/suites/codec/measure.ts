import type { Operation } from '../../harness/codecs/candidate.ts'
import { verify, type Verified } from '../../harness/codecs/verify.ts'
import { notesOf, type Run } from '../../harness/comparison.ts'
import type { Fixture } from '../../harness/fixtures/fixture.ts'
import { allFixtures } from '../../harness/fixtures/models.ts'
import { smallRows } from '../../harness/fixtures/small-rows.ts'
import { interleave, type Effort, type Timing } from '../../harness/interleave.ts'
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
  ['decodeVsJson', 'decode', 'json'],
  ['decodeVsValues', 'decode', VALUES],
  ['encodeVsStringifier', 'encode', 'fast-json-stringify'],
  ['encodeVsV1', 'encode', 'v1'],
  ['decodeVsReviver', 'decode', 'reviver'],
  ['encodeVsUncheckedStringifier', 'encode', 'fast-json-stringify-unchecked'],
  ['encodeVsStringify', 'encode', 'JSON.stringify'],
]
/** Models, and beside them rows that no application reads as many of. */
export const measured: readonly Fixture[] = [...smallRows, ...allFixtures]

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

function measureFixture(fixture: Fixture, verified: readonly Verified[], effort: Effort) {
  const timed = (operation: Operation) => {
    const contestants = verified.filter(({ candidate }) => candidate.timed.includes(operation))
    return interleave(
      contestants.map(({ tasks }) => tasks[operation]),
      effort,
    )
  }
  const [read, decode, encode] = [timed('read'), timed('decode'), timed('encode')]
  return {
    name: fixture.name,
    /** Whether it is no model, but a row of a few values. */
    ...(smallRows.includes(fixture) && { isSmall: true }),
    /** Mean length of a stored row, by candidate. */
    bytes: Object.fromEntries(verified.map(({ candidate, bytes }) => [candidate.name, bytes])),
    /** Nanoseconds of processor time per row, by candidate. */
    read: byName(read, ({ ns }) => Math.round(ns)),
    decode: byName(decode, ({ ns }) => Math.round(ns)),
    encode: byName(encode, ({ ns }) => Math.round(ns)),
    spread: {
      read: byName(read, spreadOf),
      decode: byName(decode, spreadOf),
      encode: byName(encode, spreadOf),
    },
  }
}

const byName = (timings: Readonly<Record<string, Timing>>, of: (timing: Timing) => number) =>
  Object.fromEntries(Object.entries(timings).map(([name, timing]) => [name, of(timing)]))

const spreadOf = ({ spread }: Timing): number => Number(spread.toFixed(3))

/** Speed-ups of the default codec over fixtures: above 1 it is faster. */
const summarise = (fixtures: readonly ReturnType<typeof measureFixture>[]) =>
  Object.fromEntries(
    COMPARISONS.map(([name, operation, against]) => {
      const ratios = fixtures.map((fixture) => fixture[operation][against]! / fixture[operation]['default']!)
      return [name, { median: rounded(median(ratios), 4), min: rounded(Math.min(...ratios), 4) }]
    }),
  )
