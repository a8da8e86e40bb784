import type { Work } from '../../harness/costs.ts'

/** One way to do something, compared with the others of its group. */
export interface CostTask extends Omit<Work, 'servers'> {
  readonly group: string
  /** Samples, if it takes too long for those of the suite. */
  readonly rounds?: number
  /** @throws when the work does not do what it should */
  verify(): Promise<void>
}
