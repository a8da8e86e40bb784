/**
 * Runs specs in this process, again and again: the modules of the library stay loaded, the spec is evaluated again each time. Jest defines
 * the tests (`jest-circus`) and the expectations; it does not run them, because it would load all modules for every mutant.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { ModernFakeTimers } from '@jest/fake-timers'
import { expect } from 'expect'
import * as circus from 'jest-circus'
import { ModuleMocker } from 'jest-mock'

type Block = ReturnType<typeof circus.getState>['rootDescribeBlock']
type Hook = Block['hooks'][number]
type Test = Extract<Block['children'][number], { type: 'test' }>

export interface TestRun {
  /** The names of its blocks and its own. */
  name: string
  ms: number
  /** The message of its failure. */
  failure: string | undefined
}

export interface SpecOptions {
  /** The tests that run, in this order, until the first failure; all if undefined. */
  only?: readonly string[]
  /** How long a test may take; the hooks of a block for ''. */
  limitOf: (name: string) => number
  /** Called before each test, and before the hooks of each block with the name of the block. */
  entering?: (name: string) => void
  /** Called before and after the hooks of a block. */
  aroundHooks?: (isBefore: boolean) => void
}

const ROOT = join(import.meta.dirname, '../..')
const TICK_MS = 100
const mocker = new ModuleMocker(globalThis)
const timers = new ModernFakeTimers({
  config: { rootDir: ROOT, fakeTimers: {} } as never,
  global: globalThis,
})
/** Those of Node, whatever timers a test has. */
const { setInterval, clearInterval } = globalThis
const nowMs = performance.now.bind(performance)
const { describe, it, test, beforeAll, beforeEach, afterAll, afterEach } = circus
Object.assign(globalThis, {
  describe,
  it,
  test,
  beforeAll,
  beforeEach,
  afterAll,
  afterEach,
  expect,
  jest: {
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: () => mocker.restoreAllMocks(),
    setTimeout: () => {},
    useFakeTimers: timers.useFakeTimers.bind(timers),
    useRealTimers: timers.useRealTimers.bind(timers),
    setSystemTime: timers.setSystemTime.bind(timers),
    advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
    advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
    getTimerCount: timers.getTimerCount.bind(timers),
  },
  require: createRequire(import.meta.url),
})

/** What nobody awaited: Jest has it fail the test that runs. */
let unhandled: unknown[] = []
for (const event of ['unhandledRejection', 'uncaughtException'])
  process.on(event, (error: unknown) => unhandled.push(error))

let evaluations = 0

/** A spec that was evaluated. */
export class Spec {
  readonly file: string
  readonly #root: Block
  /** Blocks whose `beforeAll` has run. */
  readonly #started: Block[] = []

  private constructor(file: string, root: Block) {
    this.file = file
    this.#root = root
  }

  /** Fails as the module does. */
  static async evaluate(file: string): Promise<Spec> {
    circus.resetState()
    evaluations += 1
    await import(`${pathToFileURL(join(ROOT, file)).href}?${evaluations}`)
    return new Spec(file, circus.getState().rootDescribeBlock)
  }

  /** A failed hook fails all tests of its block. What blocks have set up stays for further runs, until {@link close}. */
  async run({ only, limitOf, entering, aroundHooks }: SpecOptions): Promise<TestRun[]> {
    const runs: TestRun[] = []
    const failed = new Set<Block>()

    const start = async (block: Block): Promise<void> => {
      entering?.(nameOf(block))
      aroundHooks?.(true)
      const failure = await failureOf(functionsOf(block, 'beforeAll'), limitOf(''))
      aroundHooks?.(false)
      this.#started.push(block)
      if (failure === undefined) return
      failed.add(block)
      runs.push({ name: nameOf(block), ms: 0, failure })
    }

    const runTest = async (test: Test): Promise<void> => {
      if (test.mode === 'skip' || test.mode === 'todo') return
      const blocks = blocksOf(test)
      for (const block of blocks) {
        if (!this.#started.includes(block)) await start(block)
        if (failed.has(block)) return
      }
      const name = nameOf(test)
      entering?.(name)
      const startedAt = nowMs()
      const limit = limitOf(name)
      const before = blocks.flatMap((block) => functionsOf(block, 'beforeEach'))
      const after = blocks.toReversed().flatMap((block) => functionsOf(block, 'afterEach'))
      let failure = await failureOf([...before, test.fn], limit)
      const afterFailure = await failureOf(after, limit)
      failure ??= afterFailure
      runs.push({ name, ms: nowMs() - startedAt, failure })
    }

    const tests = Map.groupBy(testsIn(this.#root), nameOf)
    for (const name of only ?? tests.keys()) {
      // A name with a stack in it is another one each time.
      for (const test of tests.get(name) ?? []) await runTest(test)
      if (only && runs.some(({ failure }) => failure !== undefined)) break
    }
    return runs
  }

  /** Takes down what blocks have set up. */
  async close({ limitOf, entering }: SpecOptions): Promise<TestRun[]> {
    const runs: TestRun[] = []
    for (const block of this.#started.splice(0).toReversed()) {
      entering?.(nameOf(block))
      const failure = await failureOf(functionsOf(block, 'afterAll'), limitOf(''))
      if (failure !== undefined) runs.push({ name: nameOf(block), ms: 0, failure })
    }
    mocker.restoreAllMocks()
    return runs
  }
}

/** Evaluates a spec, runs tests of it, and takes down what they set up. */
export async function runSpec(file: string, options: SpecOptions): Promise<TestRun[]> {
  options.entering?.('')
  unhandled = []
  let spec: Spec
  try {
    spec = await Spec.evaluate(file)
  } catch (error) {
    return [{ name: '', ms: 0, failure: messageOf(error) }]
  }
  const runs = await spec.run(options)
  return [...runs, ...(await spec.close(options))]
}

function functionsOf(block: Block, type: Hook['type']): unknown[] {
  return block.hooks.filter((hook) => hook.type === type).map(({ fn }) => fn)
}

async function failureOf(functions: readonly unknown[], limitMs: number): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    let leftMs = limitMs
    // Time that this process does not get, because it is paused or others compute, does not count.
    timer = setInterval(() => {
      leftMs -= TICK_MS
      if (leftMs <= 0) reject(new Error(`took more than ${Math.round(limitMs)} ms`))
    }, TICK_MS)
  })
  const all = async () => {
    for (const run of functions) await (run as () => unknown).call({})
  }
  try {
    await Promise.race([all(), timeout])
    if (unhandled.length > 0) throw unhandled[0]
    return undefined
  } catch (error) {
    return messageOf(error)
  } finally {
    clearInterval(timer)
    unhandled = []
  }
}

/** The outermost first. */
function blocksOf({ parent }: Block | Test): Block[] {
  return parent ? [...blocksOf(parent), parent] : []
}

function testsIn(block: Block): Test[] {
  return block.children.flatMap((child) => (child.type === 'describeBlock' ? testsIn(child) : [child]))
}

function nameOf({ name, parent }: Block | Test): string {
  return parent === undefined ? '' : [nameOf(parent), name].filter(Boolean).join(' › ')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
