import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { say } from '../progress.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import type { AllocationMeasurements, Baseline, CountedCase } from './allocation-measurements.ts'
import { allCases } from './cases/all-cases.ts'
import type { AllocationCase } from './cases/allocation-case.ts'
import { countCases } from './count-cases.ts'
import { presentAllocations } from './present-allocations.ts'
import { problemsOf } from './problems-of.ts'

const BASELINE = join(import.meta.dirname, 'baseline.json')

/** What reads, fills and rows allocate, to the byte, and beside what was recorded. */
export const allocationsSuite: Suite<AllocationMeasurements> = {
  packages: ['@nestjs/core', 'cockatiel', 'lru-cache', 'prom-client'],
  run: count,
  present: presentAllocations,
  figures: ({ cases }) =>
    Object.fromEntries(
      cases
        .filter(({ name }) => FOLLOWED.includes(name))
        .map(
          ({ name, written }) => [name, { value: written.bytes, unit: 'bytes', better: 'lower' }] as const,
        ),
    ),
  problems: ({ problems }) => problems,
}

const FOLLOWED = [
  'L1 hit, copy',
  'L1 hit, shared',
  'store hit',
  'miss and fill',
  'L1 hit, shared, 100 at once',
  'store hit, 100 at once',
  'miss and fill, 100 at once',
  'as Nest wires it, nobody subscribed',
  'AuctionItem, decode',
  'AuctionItem, encode',
]

async function count({ quick, only }: RunOptions): Promise<AllocationMeasurements> {
  const cases = await countCases(chooseCases(only), quick)
  const { v8 } = process.versions
  if (process.env.UPDATE) record(cases, v8)
  const problems = problemsOf(cases, v8, JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline)
  for (const problem of problems) say(problem)
  return { cases, problems }
}

/** Cases by name, or by group. @throws when a name is neither */
function chooseCases(only: readonly string[]): readonly AllocationCase[] {
  if (only.length === 0) return allCases
  const known = allCases.flatMap(({ name, group }) => [name, group])
  const unknown = only.find((name) => !known.includes(name))
  if (unknown === undefined)
    return allCases.filter(({ name, group }) => only.includes(name) || only.includes(group))
  throw new Error(`There is no case "${unknown}", only ${[...new Set(known)].join('; ')}.`)
}

/** Cases that were not counted stay as they are, unless they were counted by another V8. */
function record(cases: readonly CountedCase[], v8: string): void {
  const before = JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline
  const counted = Object.fromEntries(cases.map(({ name, written }) => [name, written]))
  const baseline: Baseline = { v8, cases: { ...(before.v8 === v8 && before.cases), ...counted } }
  writeFileSync(BASELINE, `${JSON.stringify(baseline, null, 2)}\n`)
}
