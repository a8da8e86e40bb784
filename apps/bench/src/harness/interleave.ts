import { collectGarbage, cpuTime } from './processor.ts'
import { inTurn } from './rounds.ts'
import { median, spread } from './statistics.ts'

/** A function to be timed, and the inputs that it gets in turn. */
export interface Task {
  readonly name: string
  readonly inputs: readonly unknown[]
  run(input: never): unknown
}

export interface Effort {
  /** Per task, before anything counts, until the optimising compilers are done. */
  readonly warmUpMs: number
  readonly rounds: number
  /** Of one task in one round; long enough for garbage collections of its own. */
  readonly batchMs: number
}

/**
 * Times tasks against each other in one process. Each round runs a batch of every task, in a new order, so that a
 * disturbance of the machine affects all tasks alike. Returns nanoseconds per call, medians of the rounds, by task.
 */
export function interleave(tasks: readonly Task[], effort: Effort) {
  const runners = tasks.map((task) => ({
    ...task,
    cursor: 0,
    batch: 1,
    times: [] as number[],
    kept: null as unknown,
  }))
  for (let slice = 0; slice < 4; slice++) {
    for (const runner of runners) warmUp(runner, effort.warmUpMs / 4)
  }
  for (const runner of runners) runner.batch = batchOf(runner, effort)
  for (let round = 0; round < effort.rounds; round++) {
    for (const runner of inTurn(runners, round)) {
      collectGarbage()
      runner.times.push(runBatch(runner, runner.batch))
    }
  }
  return Object.fromEntries(
    runners.map(({ name, times }) => [name, { ns: median(times), spread: spread(times) }]),
  )
}
export type Timing = ReturnType<typeof interleave>[string]

interface Runner extends Task {
  cursor: number
  batch: number
  /** One result stays alive: V8 discards code when a collection finds no object for which it was optimised. */
  kept: unknown
}

/** Holds the last result, so that no compiler can remove the work. */
export const sink: { value: unknown } = { value: undefined }

/** Nanoseconds per call. The call site is megamorphic, so it costs every task the same. */
function runBatch(runner: Runner, count: number): number {
  const { inputs, run } = runner
  let { cursor } = runner
  const start = cpuTime()
  for (let i = 0; i < count; i++) {
    sink.value = run(inputs[cursor] as never)
    if (++cursor === inputs.length) cursor = 0
  }
  const elapsed = cpuTime() - start
  runner.cursor = cursor
  runner.kept = sink.value
  return (elapsed * 1e6) / count
}

function warmUp(runner: Runner, ms: number): void {
  const end = cpuTime() + ms
  do runBatch(runner, Math.min(runner.inputs.length, 16))
  while (cpuTime() < end)
}

/** Calls per batch: whole passes over the inputs if they fit, so that every round does the same work. */
function batchOf(runner: Runner, { batchMs, warmUpMs }: Effort): number {
  const size = runner.inputs.length
  const samples: number[] = []
  const end = cpuTime() + warmUpMs / 4
  do samples.push(runBatch(runner, Math.min(size, 64)))
  while (cpuTime() < end)
  // A few calls can be too short for the clock.
  const calls = (batchMs * 1e6) / Math.max(median(samples), 1)
  return calls >= size ? Math.round(calls / size) * size : Math.max(1, Math.round(calls))
}
