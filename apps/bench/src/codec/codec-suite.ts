import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { interleave, type Effort, type Task, type Timing } from '../measure/interleave.ts'
import { say } from '../progress.ts'
import { candidatesFor } from './candidates/all-candidates.ts'
import type { Operation } from './candidates/candidate.ts'
import type { CodecMeasurements, Figures, FixtureResult } from './codec-measurements.ts'
import { allFixtures } from './fixtures/all-fixtures.ts'
import type { Fixture } from './fixtures/fixture.ts'
import { codecFigures } from './codec-figures.ts'
import { codecHeadline } from './codec-headline.ts'
import { presentCodec } from './present-codec.ts'
import { summarise } from './summarise.ts'
import { verify, type Verified } from './verified-candidate.ts'

const FULL: Effort = { warmUpMs: 120, rounds: 31, batchMs: 8 }
const QUICK: Effort = { warmUpMs: 30, rounds: 7, batchMs: 1.5 }

/** The default format and JSON: what takes their place in the tables that follow from `decode` alone. */
const ARRIVING = ['default', 'JSON.parse']

/** Rows of typical models to stored bytes and back, by this library and by others. */
export const codecSuite: Suite<CodecMeasurements> = {
  packages: ['@prisma/client', 'arktype', 'devalue', 'fast-json-stringify', 'msgpackr', 'superjson'],
  run: async (options) => measure(options),
  present: presentCodec,
  figures: codecFigures,
  headline: codecHeadline,
}

function measure({ quick, only }: RunOptions): CodecMeasurements {
  const chosen = chooseFixtures(only)
  say('Checking that every candidate brings every row back …')
  // All models before any is timed, as in an application: shared code has then seen the shapes of all of them.
  const contests = allFixtures.map((fixture) => ({
    fixture,
    verified: candidatesFor(fixture).map((candidate) => verify(fixture, candidate)),
  }))
  const fixtures = contests
    .filter(({ fixture }) => chosen.includes(fixture))
    .map(({ fixture, verified }) => {
      say(`Measuring ${fixture.name} …`)
      return measureFixture(fixture, verified, quick ? QUICK : FULL)
    })
  return { fixtures, summary: summarise(fixtures), notes: notesOf(contests[0]!.verified) }
}

/** @throws when a name is not that of a fixture */
function chooseFixtures(only: readonly string[]): readonly Fixture[] {
  if (only.length === 0) return allFixtures
  return only.map((name) => {
    const found = allFixtures.find((fixture) => fixture.name.toLowerCase() === name.toLowerCase())
    if (found) return found
    throw new Error(`There is no fixture "${name}", only ${allFixtures.map((f) => f.name).join(', ')}.`)
  })
}

function measureFixture(fixture: Fixture, verified: readonly Verified[], effort: Effort): FixtureResult {
  const tasksOf = (operation: Operation): Task[] =>
    verified
      .filter(({ candidate }) => candidate.timed.includes(operation))
      .map(({ tasks }) => tasks[operation])
  const decode = interleave(tasksOf('decode'), effort)
  const encode = interleave(tasksOf('encode'), effort)
  const arrival = interleave(
    verified.filter(({ candidate }) => ARRIVING.includes(candidate.name)).map((entry) => entry.arrival),
    effort,
  )
  return {
    name: fixture.name,
    format: fixture.compile().format,
    rows: fixture.rows.length,
    bytes: Object.fromEntries(verified.map(({ candidate, bytes }) => [candidate.name, bytes])),
    decode: figures(decode, ({ ns }) => ns, 0),
    encode: figures(encode, ({ ns }) => ns, 0),
    arrival: figures(arrival, ({ ns }) => ns, 0),
    spread: {
      decode: figures(decode, ({ spread }) => spread, 3),
      encode: figures(encode, ({ spread }) => spread, 3),
    },
  }
}

function figures(
  timings: Record<string, Timing>,
  figure: (timing: Timing) => number,
  digits: number,
): Figures {
  return Object.fromEntries(
    Object.entries(timings).map(([name, timing]) => [name, Number(figure(timing).toFixed(digits))]),
  )
}

function notesOf(verified: readonly Verified[]): Record<string, string> {
  return Object.fromEntries(verified.flatMap(({ candidate: { name, note } }) => (note ? [[name, note]] : [])))
}
