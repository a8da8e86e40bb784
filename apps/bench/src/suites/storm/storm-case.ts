import type { AuctionItem } from '#prisma/client/client.js'
import type { Variant } from '../../harness/comparison.ts'
import type { CountingSource } from '../../harness/fixtures/counting-source.ts'
import type { Workload } from '../../harness/fixtures/lots.ts'

/** How much the store holds of what is read: all, nothing, or every second lot. */
export type State = 'hit' | 'miss' | 'half'

export const WORKLOADS: readonly Workload[] = ['same', 'distinct']
export const STATES: readonly State[] = ['hit', 'miss', 'half']

export interface BurstEnvironment {
  /** A `redis://` URL of an empty database. */
  readonly url: string
  readonly source: CountingSource
  readonly lots: ReadonlyMap<string, AuctionItem>
}

/** A case in its own process, connected. */
export interface OpenCase {
  /** Reads one row, as a resolver does. */
  get(id: string): Promise<unknown>
  /** Reads all rows of one user; used instead of `get`. */
  getMany?(ids: readonly string[]): Promise<readonly unknown[]>
  /** The row in the result of `get`, where that is not the row itself. */
  rowOf?(given: unknown): unknown
  /** Drops what the process keeps, when the store is emptied. */
  forget?(): Promise<void>
}

export interface StormCase extends Variant {
  open(environment: BurstEnvironment): Promise<OpenCase>
}
