import type pg from 'pg'
import type { Random } from '#prisma/demo/random.js'
import type { Fleet } from '../fleet/fleet.ts'
import type { ChaosServer } from './chaos-server.ts'

export interface World {
  readonly fleet: Fleet
  readonly server: ChaosServer
  /** Past all wires. */
  readonly database: pg.Pool
  readonly rows: number
  readonly random: Random
  /** Of leases, and of fences. */
  readonly leaseMs: number
  readonly fenceMs: number
}

export interface Fault {
  readonly kind: string
  /** Whether Valkey may lose keys before their time, and fences with them. */
  readonly losesKeys?: boolean
  /** Resolves when it is over. */
  befall(world: World): Promise<void>
}
