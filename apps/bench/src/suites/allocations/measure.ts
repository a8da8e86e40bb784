import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '../../harness/comparison.ts'
import { callProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import type { AllocationCase, Baseline, CountedCase } from './allocation-case.ts'
import type { Counting } from './count-process.ts'
import { problemsOf } from './problems-of.ts'

const BASELINE = join(import.meta.dirname, 'baseline.json')
const PROCESS = join(import.meta.dirname, 'count-process.ts')

const FLAGS = [
  // One thread, so that compilers and collector run at the same moment in every run.
  '--single-threaded',
  '--predictable',
  '--random-seed=1',
  // Without the optimising compilers: what the code says.
  '--no-opt',
  '--no-maglev',
  // Every object is a sample.
  '--sampling-heap-profiler-suppress-randomness',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
]

export async function measure({ chosen }: Run<unknown, AllocationCase>) {
  const cases = await countCases(chosen)
  const { v8 } = process.versions
  if (process.env.UPDATE) record(cases, v8)
  const problems = problemsOf(cases, v8, JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline)
  for (const problem of problems) say(problem)
  return { cases, problems }
}

/** Keeps cases that were not counted, unless another V8 counted them. */
function record(cases: readonly CountedCase[], v8: string): void {
  const before = JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline
  const counted = Object.fromEntries(cases.map(({ name, written }) => [name, written]))
  const baseline: Baseline = { v8, cases: { ...(before.v8 === v8 && before.cases), ...counted } }
  writeFileSync(BASELINE, `${JSON.stringify(baseline, null, 2)}\n`)
}

/** @param imports modules that the process loads first */
export async function countCases(
  chosen: readonly AllocationCase[],
  imports: readonly string[] = [],
): Promise<CountedCase[]> {
  const names = chosen.map(({ name }) => name)
  say(`${names.length} cases …`)
  const flags = [...FLAGS, ...imports.map((path) => `--import=${path}`)]
  const allocated = await callProcess<Counting, 'count'>(PROCESS, 'count', names, { flags })
  return chosen.map(({ name, group, per, tolerance }) => {
    const { bytes, objects, byFile } = allocated[name]!
    return { name, group, tolerance, written: { bytes: bytes / per, objects: objects / per }, byFile }
  })
}
