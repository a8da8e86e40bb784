import { setTimeout as delay } from 'node:timers/promises'
import { asOwnQuery } from '../own-queries.js'
import { bareClientOf } from './internals.js'

/** How often the standby is asked. */
const pollMs = 10

interface RawClient {
  $queryRawUnsafe<Row>(sql: string): Promise<Row[]>
}

/**
 * Asks PostgreSQL, through two clients, whether a standby has what was committed on its primary. For a script without Nest that writes in a
 * second region: `writes.holdFor(new PrismaStandby(primary, standby))`. Nest creates one for `primary` of `forRoot`.
 */
export class PrismaStandby {
  readonly #primary: RawClient
  readonly #standby: RawClient
  readonly #patienceMs: number
  #replayed: Promise<bigint | null> | undefined

  /**
   * @param primary the client that writes, extended or not
   * @param standby the client of the standby that caches of the region load from
   * @param patienceMs how long {@link passed} waits at most: half of `consistency.fenceMs`. @default 5_000
   */
  constructor(primary: object, standby: object, patienceMs = 5_000) {
    this.#primary = bareClientOf(primary) as unknown as RawClient
    this.#standby = bareClientOf(standby) as unknown as RawClient
    this.#patienceMs = patienceMs
  }

  /** See `StandbyReplay`. */
  async passed(signal: AbortSignal): Promise<boolean> {
    const untilMs = performance.now() + this.#patienceMs
    try {
      const written = await askOf<bigint>(this.#primary, positionOf('pg_current_wal_insert_lsn()'))
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
      return await askOf<bigint | null>(this.#standby, replayedPosition)
    } finally {
      this.#replayed = undefined
    }
  }
}

const positionOf = (lsn: string): string => `SELECT (${lsn} - '0/0'::pg_lsn)::int8 AS position`

const replayedPosition = `SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::int8 END AS position`

async function askOf<Position>(client: RawClient, sql: string): Promise<Position> {
  const rows = await asOwnQuery(() => client.$queryRawUnsafe<{ position: Position }>(sql))
  return rows[0]!.position
}
