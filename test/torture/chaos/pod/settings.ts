import type { ConsistencyOptions } from 'model-cache'
import type { Defect } from '../../defects.ts'
import type { ValkeyAccess } from '../../servers/access.ts'
import type { DatabaseAccess } from '../databases/database-access.ts'
import type { PodCaches, PodL1 } from '../rows.ts'

/** Settings of a pod, as JSON in the variable CHAOS_POD. */
export interface PodSettings {
  /** Through the wires to Valkey. */
  readonly valkey: ValkeyAccess
  readonly database: DatabaseAccess
  readonly rows: number
  readonly fundraisers: number
  readonly caches: PodCaches
  readonly l1: PodL1
  readonly seed: string
  /** Whether writes pause at times after their fence and their COMMIT. */
  readonly pauses: boolean
  /** Of its store, in a rehearsal. */
  readonly defect?: Defect
  readonly consistency: ConsistencyOptions
}

/** Where in its work a process ends by SIGKILL. */
export type Death = 'fenced' | 'committed' | 'anywhere'
