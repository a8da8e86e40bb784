import type { ConsistencyOptions } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import type { Defect } from '../../defects.ts'
import type { Answer } from '../../history/history.ts'
import type { Loops } from '../../loops.ts'
import type { ValkeyAccess } from '../../servers/access.ts'
import type { DatabaseAccess } from '../databases/chaos-database.ts'
import type { PodKeys } from '../rotation.ts'
import type { PodCaches, PodL1 } from '../rows.ts'
import type { PodDatabase } from './databases/pod-database.ts'
import type { Writer } from './writer.ts'

export interface PodSettings {
  /** Through the wires to Valkey. */
  readonly valkey: ValkeyAccess
  readonly database: DatabaseAccess
  readonly rows: number
  readonly fundraisers: number
  readonly caches: PodCaches
  readonly l1: PodL1
  readonly seed: string
  /** Undefined if it stores in clear text. */
  readonly atRest?: PodKeys
  /** Whether writes pause at times after their fence and their COMMIT. */
  readonly pauses: boolean
  /** Of its store, in a rehearsal. */
  readonly defect?: Defect
  readonly consistency: ConsistencyOptions
}

/** What the work of a pod needs. */
export interface PodWork {
  readonly loops: Loops
  /** Extended with the watched writes, unless the pod is plain. */
  readonly prisma: PrismaClient
  readonly database: PodDatabase
  readonly isPlain: boolean
  readonly random: Random
  readonly writer: Writer
  readonly onRead: (...answers: readonly Answer[]) => void
}
