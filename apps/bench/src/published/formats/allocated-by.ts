import { GCProfiler, getHeapStatistics } from 'node:v8'

export interface Allocated {
  /** Bytes of objects and strings, collected or not. */
  readonly heapBytes: number
  /** Bytes of buffers, outside of the heap, including those that were collected meanwhile. */
  readonly bufferBytes: number
}

/**
 * Counts what one call allocates; needs `--expose-gc`. It first collects everything: buffers of older garbage that are
 * freed meanwhile would hide new ones. Call it apart from timed work, which a full collection changes.
 */
export function allocatedBy(work: () => unknown): Allocated {
  globalThis.gc!()
  // Another thread frees the buffers that a collection finds, at the latest when the next one begins.
  globalThis.gc!()
  const profiler = new GCProfiler()
  profiler.start()
  const before = getHeapStatistics()
  const result = work()
  const after = getHeapStatistics()
  const { statistics } = profiler.stop()
  // Keeps it alive until it is counted.
  void result
  const freed = statistics.map(
    ({ beforeGC, afterGC }) => beforeGC.heapStatistics.externalMemory - afterGC.heapStatistics.externalMemory,
  )
  return {
    heapBytes: after.total_allocated_bytes - before.total_allocated_bytes,
    bufferBytes:
      after.external_memory - before.external_memory + freed.reduce((sum, bytes) => sum + bytes, 0),
  }
}
