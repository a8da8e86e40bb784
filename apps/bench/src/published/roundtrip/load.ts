import { sink } from '../../harness/interleave.ts'
import { collectGarbage, cpuTime } from '../../harness/processor.ts'
import { quantile } from '../../harness/statistics.ts'

/** An operation, and the inputs that it gets in turn. */
export interface Operation {
  readonly inputs: readonly unknown[]
  run(input: never): unknown
}

/** Concurrent callers, or operations that are due at a time. */
export const CONCURRENCY = 64

/**
 * Measures operations per second of processor time. Each of 64 callers continues in the turn of the event loop after the
 * one in which it got its result, as one does that fetches from a store.
 */
export async function measureThroughput(operation: Operation, operations: number): Promise<number> {
  // Until the optimising compilers are done.
  await runAll(operation, operations / 4)
  collectGarbage()
  const start = cpuTime()
  await runAll(operation, operations)
  return (operations / (cpuTime() - start)) * 1000
}

async function runAll({ inputs, run }: Operation, operations: number): Promise<void> {
  let started = 0
  let turn: Promise<void> | undefined
  const nextTurn = (): Promise<void> =>
    (turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined
        resolve()
      })
    }))
  const caller = async (): Promise<void> => {
    while (started < operations) {
      sink.value = run(inputs[started++ % inputs.length] as never)
      await nextTurn()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, caller))
}

export interface Latencies {
  readonly p99Us: number
  readonly maxUs: number
}

/**
 * Measures microseconds from the moment at which an operation is due until it is done. 64 operations are due at a time,
 * however long those before them take, so an operation that waits for others or for the collector pays for it.
 */
export async function measureLatency(
  { inputs, run }: Operation,
  operations: number,
  intervalUs: number,
): Promise<Latencies> {
  const latencies = new Float64Array(operations)
  collectGarbage()
  const start = performance.now() + 1
  for (let done = 0; done < operations;) {
    const due = start + ((done / CONCURRENCY) * intervalUs) / 1000
    // Turns of the loop, not one long wait: timers are a millisecond late.
    do await new Promise(setImmediate)
    while (performance.now() < due)
    for (let i = 0; i < CONCURRENCY && done < operations; i++, done++) {
      sink.value = run(inputs[done % inputs.length] as never)
      latencies[done] = (performance.now() - due) * 1000
    }
  }
  return { p99Us: quantile([...latencies], 0.99), maxUs: Math.max(...latencies) }
}
