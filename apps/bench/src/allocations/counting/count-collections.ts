import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import type { Operation } from '../cases/allocation-case.ts'

/** Garbage collections, of the young and of the old, while an operation runs so often. */
export async function countCollections({ run }: Operation, times: number): Promise<number> {
  let collections = 0
  const count = (entries: readonly unknown[]): void => void (collections += entries.length)
  const observer = new PerformanceObserver((list) => count(list.getEntries()))
  observer.observe({ type: 'gc' })
  for (let i = 0; i < times; i++) await run()
  // The observer is told in a turn of its own.
  await turn()
  count(observer.takeRecords())
  observer.disconnect()
  return collections
}
