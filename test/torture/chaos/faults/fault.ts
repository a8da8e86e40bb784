import type pg from 'pg'
import type { Random } from '#prisma/demo/random.js'
import type { Fleet } from '../fleet/fleet.ts'

/** What faults act on. */
export interface World {
  readonly fleet: Fleet
  /** Not through any wire. */
  readonly database: pg.Pool
  readonly rows: number
  readonly fundraisers: number
  readonly random: Random
  readonly leaseMs: number
  readonly fenceMs: number
}

export interface Fault {
  readonly kind: string
  /** Whether Valkey may lose keys early, and fences with them. */
  readonly losesKeys?: boolean
  /** Resolves when the fault is over. */
  inflict(world: World): Promise<void>
}

/** A fault that has been inflicted. */
export interface Inflicted {
  readonly kind: string
  readonly losesKeys: boolean
  readonly from: number
  readonly to: number
}
