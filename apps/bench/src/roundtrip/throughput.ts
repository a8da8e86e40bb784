import { collectGarbage } from '../measure/collect-garbage.ts'
import { cpuTime } from '../measure/cpu-time.ts'
import type { Operation } from './operations.ts'

export const CONCURRENCY = 64

/** Holds the last result, so that no compiler can prove that the work is for nothing. */
export const sink: { value: unknown } = { value: undefined }

/**
 * Operations per second of processor time. So many callers ask at a time; each asks again in the turn of the event loop after
 * the one in which it was answered, as one does who fetches from a store.
 */
export async function measureThroughput(operation: Operation, operations: number): Promise<number> {
  // Until the optimising compilers are done.
  await askAll(operation, operations / 4)
  collectGarbage()
  const start = cpuTime()
  await askAll(operation, operations)
  return (operations / (cpuTime() - start)) * 1000
}

async function askAll({ inputs, run }: Operation, operations: number): Promise<void> {
  let asked = 0
  let turn: Promise<void> | undefined
  const nextTurn = (): Promise<void> =>
    (turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined
        resolve()
      })
    }))
  const caller = async (): Promise<void> => {
    while (asked < operations) {
      sink.value = run(inputs[asked++ % inputs.length] as never)
      await nextTurn()
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, caller))
}
