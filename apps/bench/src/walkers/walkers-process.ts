/** The process that times all readers of a fixture against each other. */
import { allFixtures } from '../codec/fixtures/all-fixtures.ts'
import type { Fixture } from '../codec/fixtures/fixture.ts'
import { answerParent } from '../measure/answer-parent.ts'
import { interleave, type Effort, type Task } from '../measure/interleave.ts'
import { mean } from '../measure/statistics.ts'
import { countDates } from './count-dates.ts'
import { readersOf } from './readers.ts'
import type { WalkerResult } from './walkers-measurements.ts'

const FULL: Effort = { warmUpMs: 120, rounds: 25, batchMs: 8 }
const QUICK: Effort = { warmUpMs: 20, rounds: 5, batchMs: 1.5 }

export interface WalkersTask {
  readonly fixtures: readonly string[]
  readonly quick: boolean
}

answerParent(({ fixtures, quick }: WalkersTask): WalkerResult[] => {
  // All models before one is timed, as in an application: shared code has then seen the shapes of all of them.
  const all = new Map(allFixtures.map((fixture) => [fixture.name, { fixture, readers: readersOf(fixture) }]))
  return fixtures.map((name) => {
    const { fixture, readers } = all.get(name)!
    return measure(fixture, readers, quick ? QUICK : FULL)
  })
})

function measure({ name, rows }: Fixture, readers: readonly Task[], effort: Effort): WalkerResult {
  const lengths = (readers[0]!.inputs as readonly string[]).map((text) => Buffer.byteLength(text))
  return {
    fixture: name,
    bytes: Math.round(mean(lengths)),
    dates: countDates(rows) / rows.length,
    timings: interleave(readers, effort),
  }
}
