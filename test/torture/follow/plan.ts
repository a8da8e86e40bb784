import type { Variant } from '../bench/harness.ts'
import type { Defect } from '../defects.ts'
import type { Fault } from './faults.ts'
import type { Pace } from './recorded-writes.ts'
import type { World } from './world.ts'

/** How a follower reads the log. */
export type Log = 'temporary' | 'durable'

/** What is measured of a database. */
export interface Plan<W extends World = World> {
  /** In which the faults happen, and how they are called. */
  readonly logs: Readonly<Partial<Record<Log, string>>>
  /** Without faults. */
  readonly steady: readonly (Variant & Pace)[]
  readonly faults: readonly Fault<W>[]
  /** Under faults. */
  readonly pace: Pace
  /** What makes a defect show, while rows are written and read. That of the follower comes first: the next follower empties the caches. */
  readonly occasions: Readonly<Partial<Record<Defect, (world: W) => Promise<unknown>>>>
  /** Those of a quick run, where it has not all. */
  readonly quickDefects?: readonly Defect[]
}
