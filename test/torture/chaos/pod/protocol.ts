import type { ConsistencyOptions } from 'model-cache'
import type { Defect } from '../../defects.ts'
import type { Answer, WorkReport } from '../../history/history.ts'
import type { ValkeyAccess } from '../../servers/access.ts'
import type { PodCaches } from '../rows.ts'

/** Settings of a pod, as JSON in the variable CHAOS_POD. */
export interface PodSettings {
  /** Through the wires to Valkey. */
  readonly valkey: ValkeyAccess
  /** Through the wire to PostgreSQL. */
  readonly databaseUrl: string
  /** Not through a wire, for writes by hand: they have no fence, so nothing is promised if their end is unknown. */
  readonly directUrl: string
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

export type Order =
  /** Read and write at random. */
  | { readonly do: 'work' }
  /** Stop; done when all work is, and the store has taken all invalidations. */
  | { readonly do: 'rest' }
  /** Done with the answers of all lookups for all keys. */
  | { readonly do: 'readAll' }
  /** End by SIGKILL, at a point of the next write or at once. */
  | { readonly do: 'die'; readonly at: Death }
  /** Shut down gracefully. */
  | { readonly do: 'leave' }

export type Death = 'fenced' | 'committed' | 'anywhere'

/** `'done'`: with its start, and with orders that say so. */
export type Report = WorkReport | { readonly kind: 'done'; readonly answers: readonly Answer[] }
