import { GCProfiler, getHeapStatistics } from 'node:v8'

export interface Allocated {
  /** Bytes of objects and strings, whatever has become of them. */
  readonly heapBytes: number
  /** Bytes of buffers, which are outside of the heap: what was added, and what collections took away meanwhile. */
  readonly bufferBytes: number
}

/**
 * What one call allocates. Collects everything first, needs `--expose-gc`: the buffers of older garbage, when they are
 * freed meanwhile, would hide new ones. To be called apart from what is timed, which a full collection changes.
 */
export function allocatedBy(work: () => unknown): Allocated {
  globalThis.gc!()
  // Buffers that a collection finds are freed by another thread, at the latest when the next one begins.
  globalThis.gc!()
  const profiler = new GCProfiler()
  profiler.start()
  const before = getHeapStatistics()
  const result = work()
  const after = getHeapStatistics()
  const { statistics } = profiler.stop()
  // Named here, so that it is no garbage before it has been counted.
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
