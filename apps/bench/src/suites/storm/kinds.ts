import type { Workload } from '../../harness/fixtures/lots.ts'

/** How much the store holds of what is read: all, nothing, or every second lot. */
export type State = 'hit' | 'miss' | 'half'

export const WORKLOADS: readonly Workload[] = ['same', 'distinct']
export const STATES: readonly State[] = ['hit', 'miss', 'half']
