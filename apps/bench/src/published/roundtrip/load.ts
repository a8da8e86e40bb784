import { sink, type Task } from '../../harness/interleave.ts'
import { collectGarbage } from '../../harness/processor.ts'
import { quantile } from '../../harness/statistics.ts'

/** Operations that are due at a time. */
export const CONCURRENCY = 64

/**
 * Measures microseconds from the moment at which an operation is due until it is done. 64 operations are due at a time,
 * however long those before them take, so an operation that waits for others or for the collector pays for it.
 */
export async function measureLatency(
  { inputs, run }: Omit<Task, 'name'>,
  operations: number,
  intervalUs: number,
) {
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
  return { p99Us: Math.round(quantile([...latencies], 0.99)), maxUs: Math.round(Math.max(...latencies)) }
}
