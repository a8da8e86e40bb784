import { collectGarbage } from '../measure/collect-garbage.ts'
import { quantile } from '../measure/statistics.ts'
import type { Operation } from './operations.ts'
import { CONCURRENCY, sink } from './throughput.ts'

export interface Latencies {
  readonly p99Us: number
  readonly maxUs: number
}

/**
 * Microseconds from the moment at which an operation was due until it is done. So many are due at once, again and again, however
 * long those before them take: one that has to wait for others, or for the collector, is charged with it.
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
