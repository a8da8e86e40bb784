import { join } from 'node:path'
import { allFixtures } from '../codec/fixtures/all-fixtures.ts'
import { runInChild } from '../measure/run-in-child.ts'
import { say } from '../progress.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { figuresOf, presentWalkers } from './present-walkers.ts'
import type { WalkerResult, WalkersMeasurements } from './walkers-measurements.ts'
import type { WalkersTask } from './walkers-process.ts'

const PROCESS = join(import.meta.dirname, 'walkers-process.ts')

/** Ten: all but the one that not every machine has. */
const FIXTURES = allFixtures.map(({ name }) => name).filter((name) => name !== 'GalaLots')

/** What it costs to bring dates and decimals back, by walk and by what parses the dates, beside the parse alone. */
export const walkersSuite: Suite<WalkersMeasurements> = {
  packages: ['@prisma/client', 'arktype', 'date-fns'],
  run: measure,
  present: presentWalkers,
  figures: figuresOf,
}

async function measure({ quick, only }: RunOptions): Promise<WalkersMeasurements> {
  const chosen = chooseFixtures(only)
  const fixtures: WalkerResult[] = []
  // Each in a process of its own, of which the quick look has one for all.
  for (const names of quick ? [chosen] : chosen.map((name) => [name])) {
    say(`Measuring ${names.join(', ')} …`)
    fixtures.push(
      ...(await runInChild<WalkerResult[]>(PROCESS, { fixtures: names, quick } satisfies WalkersTask)),
    )
  }
  return { fixtures }
}

/** @throws when a name is not that of a fixture */
function chooseFixtures(only: readonly string[]): readonly string[] {
  const unknown = only.find((name) => !FIXTURES.includes(name))
  if (unknown) throw new Error(`There is no fixture "${unknown}", only ${FIXTURES.join(', ')}.`)
  return only.length > 0 ? only : FIXTURES
}
