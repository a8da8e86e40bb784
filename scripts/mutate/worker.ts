/** A process that runs specs, without a mutant to learn what each test reaches, then with one mutant after the other. */
import { Worker } from 'node:worker_threads'
import { runSpec, Spec } from './specs.ts'
import type { TestRun } from './specs.ts'

/** How often mutants are reached: when modules are loaded, and by test. */
interface Coverage {
  static: Record<string, number>
  perTest: Record<string, Record<string, number>>
}

/** What the instrumented texts read and write. */
interface Switch {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: Coverage
}

export interface SurveyedTest {
  ms: number
  /** The mutants that it reaches, and how often. */
  reached: Record<string, number>
}

export interface Survey {
  /** By name. */
  tests: Record<string, SurveyedTest>
  /** What the spec itself and the hooks of its blocks reach. */
  reachedByHooks: string[]
  /** Tests that fail without any mutant. */
  failed: Record<string, string>
  /** What has run in this process when modules were loaded, also for other specs. */
  loaded: string[]
  /** How long the spec has computed at most without yielding to the event loop. */
  blockMs: number
  /** How long the hooks of its blocks take before the first test. */
  hooksMs: number
  ms: number
}

/** Tests of a spec, in their order, in a process with a mutant. `tests`: how long they usually take. */
export interface MutantJob {
  spec: string
  tests: Record<string, number>
  mutant: string
  hitLimit: number
  /** A process that has computed for so long, without yielding to the event loop, hangs. */
  blockLimitMs: number
}

export type Job =
  | { kind: 'survey'; spec: string; blockLimitMs: number }
  /** `warm`: what the blocks of the spec have set up is kept for the next job. */
  | ({ kind: 'warm' | 'cold' } & MutantJob)
export type Answer =
  | { kind: 'survey'; survey: Survey }
  /**
   * `dirty`: the test fails without the mutant as well, so this process is of no use any more. `repeated`: it passes without the mutant,
   * and then fails with it again.
   */
  | { kind: 'run'; failure: TestRun | undefined; dirty: boolean; repeated: boolean }
  /** Said for a process that does not answer any more. */
  | { kind: 'hung' }

/** The name that Stryker gives it. */
const SWITCH = '__stryker__'
const mutation = ((globalThis as unknown as Record<string, Switch | undefined>)[SWITCH] ??= {})
/** Always the same object, as each instrumented module keeps the one that it has found first. */
const coverage: Coverage = (mutation.mutantCoverage = { static: {}, perTest: {} })
/** Hooks start applications and servers. */
const HOOK_LIMIT_MS = 60_000
const ALIVE_MS = 1_000
const MAX_ATTEMPTS = 3

async function survey(spec: string): Promise<Survey> {
  const startedAt = performance.now()
  coverage.perTest = {}
  mutation.currentTestId = undefined
  // What loads modules only counts as static. A spec before this one may have loaded what it needs.
  await runSpec(spec, { only: [], limitOf: () => HOOK_LIMIT_MS })
  const loaded = Object.keys(coverage.static)
  beat()
  blockMs = 0
  let hooksMs = 0
  const runs = await runSpec(spec, {
    limitOf: () => HOOK_LIMIT_MS,
    aroundHooks: (isBefore) => (hooksMs += isBefore ? -performance.now() : performance.now()),
    entering: (name) => (mutation.currentTestId = `${spec} ${name}`),
  })
  mutation.currentTestId = undefined
  const { perTest } = coverage
  const tests: Survey['tests'] = {}
  const failed: Survey['failed'] = {}
  // Tests may have the same name.
  for (const { name, ms, failure } of runs) {
    if (failure !== undefined) failed[name] = failure
    else tests[name] = { ms: ms + (tests[name]?.ms ?? 0), reached: perTest[`${spec} ${name}`] ?? {} }
  }
  for (const name of Object.keys(failed)) delete tests[name]
  for (const { name } of runs) delete perTest[`${spec} ${name}`]
  const reachedByHooks = [...new Set(Object.values(perTest).flatMap((reached) => Object.keys(reached)))]
  coverage.perTest = {}
  beat()
  return { tests, reachedByHooks, failed, loaded, blockMs, hooksMs, ms: performance.now() - startedAt }
}

let warm: Spec | undefined

async function runWarm(job: MutantJob): Promise<Answer> {
  // Hooks run without the mutant, so that they end.
  const limitOf = (name: string) => (name === '' ? HOOK_LIMIT_MS : limitMs(job.tests[name]))
  if (warm?.file !== job.spec) {
    await warm?.close({ limitOf })
    warm = await Spec.evaluate(job.spec)
  }
  const spec = warm
  const aroundHooks = (isBefore: boolean) => {
    mutation.activeMutant = isBefore ? undefined : job.mutant
  }
  return run(job, (only) => spec.run({ only, limitOf, aroundHooks }))
}

function runCold(job: MutantJob): Promise<Answer> {
  const limitOf = (name: string) => limitMs(job.tests[name])
  return run(job, (only) => runSpec(job.spec, { only, limitOf }))
}

async function run(
  { tests, mutant, hitLimit }: MutantJob,
  runTests: (only: readonly string[]) => Promise<TestRun[]>,
): Promise<Answer> {
  Object.assign(mutation, { activeMutant: mutant, hitCount: 0, hitLimit })
  let failure: TestRun | undefined
  // What fails while the process is paused may have waited for something in vain.
  for (let attempt = 0, before = -1; attempt < MAX_ATTEMPTS && before !== pauses; attempt++) {
    before = pauses
    mutation.hitCount = 0
    const runs = await runTests(Object.keys(tests))
    // What goes on without an end would block the next mutant.
    await new Promise(setImmediate)
    failure = runs.find((each) => each.failure !== undefined)
    if (!failure) break
  }
  const without = { activeMutant: undefined, hitCount: undefined }
  Object.assign(mutation, without)
  if (!failure) return { kind: 'run', failure: undefined, dirty: false, repeated: false }
  const only = tests[failure.name] === undefined ? Object.keys(tests).slice(0, 1) : [failure.name]
  const fails = async () => (await runTests(only)).some((each) => each.failure !== undefined)
  // A mutant may leave something behind in the modules. It would fail tests of other mutants.
  if (await fails()) return { kind: 'run', failure, dirty: true, repeated: false }
  // On a busy machine a test may fail for another reason, but hardly twice.
  Object.assign(mutation, { activeMutant: mutant, hitCount: 0, hitLimit })
  const repeated = await fails()
  Object.assign(mutation, without)
  return { kind: 'run', failure, dirty: false, repeated }
}

/** Generous, as the machine may be busy. */
function limitMs(usualMs: number | undefined): number {
  return usualMs === undefined ? HOOK_LIMIT_MS / 3 : 5 * usualMs + 2_000
}

/** How often this process did not run for a while, as the machine was busy. */
let pauses = 0
let lastMs = performance.now()
/** The longest time of computing between two beats. */
let blockMs = 0
let computed = process.cpuUsage()
function beat(): void {
  if (performance.now() - lastMs > 3 * ALIVE_MS) pauses++
  lastMs = performance.now()
  const { system, user } = process.cpuUsage(computed)
  blockMs = Math.max(blockMs, (system + user) / 1_000)
  computed = process.cpuUsage()
  process.send!({ kind: 'alive' })
}
setInterval(beat, ALIVE_MS)
// Of no use without the process that started it. A mutant may block the event loop for ever, so a thread looks.
const endWithParent = `const { pid, ppid } = process
setInterval(() => process.ppid === ppid || process.kill(pid, 'SIGKILL'), ${ALIVE_MS})`
new Worker(endWithParent, { eval: true, execArgv: [] }).unref()
process.on('message', async (job: Job) => {
  if (job.kind === 'survey') return process.send!({ kind: 'survey', survey: await survey(job.spec) })
  return process.send!(job.kind === 'warm' ? await runWarm(job) : await runCold(job))
})
