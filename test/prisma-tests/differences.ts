/** Tests that pass plain and do not with an extended client, with the reason. */
import type { Mode } from './modes.ts'

interface Difference {
  /** Of the path and the name of a test. */
  readonly tests: RegExp
  readonly modes: readonly Mode[]
  readonly reason: string
}

export const differences: readonly Difference[] = [
  {
    tests: /^batching\/tests\.ts: /,
    modes: ['extended', 'compared'],
    reason: 'They count the statements of reads, of which caches answer some; comparisons send more.',
  },
]
