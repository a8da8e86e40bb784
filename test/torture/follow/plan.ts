import type { DatabaseName } from './databases/followed-database.ts'
import type { Fault } from './fault.ts'

export const IDLE = { name: 'idle' }
/** Readers leave processors to the others: without pauses, the lag would be the time that these wait for one. */
export const STEADY = [
  { name: '1000', rowsPerSecond: 1_000, rowsPerTransaction: 4, pauseMs: 64 },
  { name: '5000', rowsPerSecond: 5_000, rowsPerTransaction: 20, pauseMs: 64 },
] as const
export const FAULTY = { rowsPerSecond: 600, rowsPerTransaction: 4, pauseMs: 16 }
export type Part = (typeof STEADY)[number] | Fault | typeof IDLE

/** How often a follower reports, and after which silence nobody follows: docs/follow.md. */
export const HEARTBEAT_MS = 500
export const SILENCE_MS = 2_500
/** A process that receives no messages uses its memory no longer: docs/consistency.md. */
export const MEMORY_MS = 2_000

/** How a follower reads the log. */
export type Log = 'temporary' | 'durable'

/** What is measured of a database. */
export interface Plan {
  readonly name: string
  readonly question: string
  /** After the words of a headline. */
  readonly where: string
  readonly title: string
  readonly database: DatabaseName
  /** Its drivers. */
  readonly packages: readonly string[]
  readonly driver: string
  readonly faults: readonly Fault[]
  /** Whether the log is retained for a follower. */
  readonly hasSlots: boolean
  /** In which the faults happen, and how they are called. */
  readonly logs: Readonly<Partial<Record<Log, string>>>
}
