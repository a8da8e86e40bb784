import { setTimeout as delay } from 'node:timers/promises'
import { askDatabase } from './ask-database.js'

/** How often the standby is asked. */
const pollMs = 10

/**
 * Asks PostgreSQL, through two clients, whether a standby has what was committed on its primary:
 * `writes.holdFor(new PrismaStandby(primary, standby))`, as a `CacheRegistry` does that starts with a primary.
 */
export class PrismaStandby {
  readonly #primary: object
  readonly #standby: object
  readonly #patienceMs: number
  #replayed: Promise<bigint | null> | undefined

  /**
   * @param primary the client that writes, extended or not
   * @param standby the client of the standby that caches of the region load from
   * @param patienceMs how long {@link passed} waits at most: half of `consistency.fenceMs`. @default 5_000
   */
  constructor(primary: object, standby: object, patienceMs = 5_000) {
    this.#primary = primary
    this.#standby = standby
    this.#patienceMs = patienceMs
  }

  /** See `StandbyReplay`. */
  async passed(signal: AbortSignal): Promise<boolean> {
    const untilMs = performance.now() + this.#patienceMs
    try {
      const written = (await positionIn(this.#primary, positionOf('pg_current_wal_insert_lsn()')))!
      while (!signal.aborted && performance.now() < untilMs) {
        const replayed = await (this.#replayed ??= this.#askReplayed())
        // What has been promoted has no primary any more.
        if (replayed === null || replayed >= written) return true
        await delay(pollMs, undefined, { signal, ref: false })
      }
    } catch {
      // The fences stand as after a write with an unknown end.
    }
    return false
  }

  /** One question at a time answers all that wait. */
  async #askReplayed(): Promise<bigint | null> {
    try {
      return await positionIn(this.#standby, replayedPosition)
    } finally {
      this.#replayed = undefined
    }
  }
}

const positionOf = (lsn: string): string => `SELECT (${lsn} - '0/0'::pg_lsn)::text AS position`

const replayedPosition = `SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text END AS position`

async function positionIn(client: object, sql: string): Promise<bigint | null> {
  const [row] = await askDatabase(client, sql)
  const { position } = row as { position: string | null }
  return position === null ? null : BigInt(position)
}
