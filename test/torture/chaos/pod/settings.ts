import type { ConsistencyOptions } from 'model-cache'
import type { Defect } from '../../defects.ts'
import type { ValkeyAccess } from '../../servers/access.ts'
import type { DatabaseAccess } from '../databases/database-access.ts'
import type { PodCaches } from '../rows.ts'

/** Settings of a pod, as JSON in the variable CHAOS_POD. */
export interface PodSettings {
  /** Through the wires to Valkey. */
  readonly valkey: ValkeyAccess
  readonly database: DatabaseAccess
  readonly rows: number
  readonly fundraisers: number
  readonly caches: PodCaches
  /** Whether its caches have an L1. */
  readonly l1: boolean
  readonly seed: string
  /** Of its store, in a rehearsal. */
  readonly defect?: Defect
  readonly consistency: ConsistencyOptions
}

/** Where in its work a process ends by SIGKILL. */
export type Death = 'fenced' | 'committed' | 'anywhere'
