import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '../../harness/comparison.ts'
import { callProcess } from '../../harness/process.ts'
import { say } from '../../harness/progress.ts'
import type { AllocationCase, Baseline, Count, CountedCase } from './allocation-case.ts'
import type { Counting, Mode } from './count-process.ts'
import { problemsOf } from './problems-of.ts'
import type { Allocated } from './profile.ts'

const BASELINE = join(import.meta.dirname, 'baseline.json')
const PROCESS = join(import.meta.dirname, 'count-process.ts')

/** One thread, so that compilers and collector run at the same moment in every run. */
const steady = ['--single-threaded', '--predictable', '--random-seed=1']
const everyObject = [
  '--sampling-heap-profiler-suppress-randomness',
  // One sample would stand for several objects that compiled code allocates at once.
  '--no-turbo-allocation-folding',
  '--maglev-allocation-folding=0',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
]

/** Without optimising compilers; as an application after a while; and for collections a default young generation. */
const WRITTEN: Mode = { flags: [...steady, ...everyObject, '--no-opt', '--no-maglev'], warmUps: 500, runs: 8 }
const OPTIMISED: Mode = { flags: [...steady, ...everyObject], warmUps: 10_000, runs: 8 }
const COLLECTED: Mode = {
  flags: [...steady, '--min-semi-space-size=16', '--max-semi-space-size=16'],
  warmUps: 10_000,
  runs: 20_000,
}

export async function measure({ chosen, quick }: Run<unknown, AllocationCase>) {
  const cases = await countCases(chosen, quick)
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

/**
 * Counts in one process per mode.
 *
 * @param quick counts without optimising compilers only
 * @param imports modules that the processes load first
 */
export async function countCases(
  chosen: readonly AllocationCase[],
  quick: boolean,
  imports: readonly string[] = [],
): Promise<CountedCase[]> {
  const names = chosen.map(({ name }) => name)
  const countIn = (mode: Mode, collects = false) => {
    const flags = [...mode.flags, ...imports.map((path) => `--import=${path}`)]
    const argument = { names, mode: { ...mode, collects } }
    return callProcess<Counting, 'count'>(PROCESS, 'count', argument, { flags })
  }
  say(`${names.length} cases, without optimising compilers …`)
  const written = await countIn(WRITTEN)
  if (!quick) say('… with them …')
  const optimised = quick ? undefined : await countIn(OPTIMISED)
  if (!quick) say('… and garbage collections')
  const collected = quick ? undefined : await countIn(COLLECTED, true)
  return chosen.map(({ name, group, per, tolerance = 0 }): CountedCase => {
    const each = ({ bytes, objects }: Allocated): Count => ({ bytes: bytes / per, objects: objects / per })
    return {
      name,
      group,
      tolerance,
      written: each(written.allocated[name]!),
      ...(optimised && { optimised: each(optimised.allocated[name]!) }),
      ...(collected && { collections: collected.collections[name]! }),
      byFile: written.allocated[name]!.byFile,
    }
  })
}
