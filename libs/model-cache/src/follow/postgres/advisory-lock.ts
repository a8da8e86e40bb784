import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { followError, hasCode } from '../../errors.js'
import { answerIn } from '../answer-in.js'
import { connectTo, disconnect, type PostgresAddress } from './connect.js'
import { messageOf } from '../database-url.js'

/** How often a stand-by asks for the lock. */
const pollMs = 500
/** How long an answer to the leader may take. */
const answerMs = 1_500

/** An advisory lock that this process holds, which PostgreSQL ends with the connection that holds it. */
export class AdvisoryLock {
  readonly #client: pg.Client
  readonly #lost = Promise.withResolvers<Error>()
  #isLost = false
  #running: Promise<unknown> = Promise.resolve()
  #users = 0

  private constructor(client: pg.Client) {
    this.#client = client
    client.on('error', (error) => this.#lose(messageOf(error)))
    client.on('end', () => this.#lose('it was closed'))
  }

  /**
   * Waits for the lock of a key.
   *
   * @throws ModelCacheError (`E_FOLLOW`) when the database is not reachable; the reason of `signal` when it ends the wait
   */
  static async take(address: PostgresAddress, key: string, signal: AbortSignal): Promise<AdvisoryLock> {
    const lock = new AdvisoryLock(await connectTo(address, 'queries', applicationOf(key)))
    try {
      signal.throwIfAborted()
      while (!(await lock.#isTaken(key))) {
        await delay(pollMs, undefined, { signal, ref: false })
        if (lock.#isLost) throw await lock.lost
      }
      return lock
    } catch (error) {
      await lock.release()
      signal.throwIfAborted()
      throw hasCode(error, 'E_FOLLOW')
        ? error
        : followError(`cannot take the lock: ${messageOf(error)}.`, error)
    }
  }

  /** Resolves when the lock is lost, with the reason. */
  get lost(): Promise<Error> {
    return this.#lost.promise
  }

  /** Whether a query of the connection runs or waits: another one would wait, too. */
  get isInUse(): boolean {
    return this.#users > 0
  }

  /** Runs queries on the connection, those of one caller after those of another. */
  use<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    this.#users++
    const result = this.#running.then(() => work(this.#client))
    this.#running = result.catch(() => {}).finally(() => this.#users--)
    return result
  }

  /** As {@link use} for a query of one row that PostgreSQL answers at once: if it does not, the lock is lost. */
  async ask<Row extends pg.QueryResultRow>(sql: string): Promise<Row> {
    try {
      const { rows } = await answerIn(
        this.use((client) => client.query<Row>(sql)),
        answerMs,
      )
      return rows[0]!
    } catch (error) {
      // A connection whose other end is gone says nothing by itself.
      this.#lose(messageOf(error))
      void this.release()
      throw error
    }
  }

  release(): Promise<void> {
    return disconnect(this.#client)
  }

  async #isTaken(key: string): Promise<boolean> {
    const { rows } = await this.#client.query<{ held: boolean }>(
      'SELECT pg_try_advisory_lock($1, $2) AS held',
      numbersOf(key),
    )
    return rows[0]?.held ?? false
  }

  #lose(reason: string): void {
    this.#isLost = true
    this.#lost.resolve(followError(`lost the connection that holds the lock: ${reason}.`))
  }
}

/**
 * Ends the connection of the follower that holds the lock: of a process that names itself as followers of this key do. One that works
 * asks PostgreSQL twice a second.
 *
 * @returns what became of it; undefined if there is none
 * @throws ModelCacheError (`E_FOLLOW`) when the database does not permit it
 */
export async function breakLock(
  address: PostgresAddress,
  key: string,
  idleMs: number,
): Promise<'deposed' | 'alive' | undefined> {
  const client = await connectTo(address, 'queries')
  try {
    const { rows } = await client.query<{ isEnded: boolean }>(
      `SELECT CASE WHEN a.state_change > clock_timestamp() - $4 * interval '1 ms' THEN false ELSE pg_terminate_backend(l.pid) END AS "isEnded"
       FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
       WHERE locktype = 'advisory' AND granted AND l.pid <> pg_backend_pid() AND a.application_name = $3
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND classid = ($1::int8 & 4294967295)::oid AND objid = ($2::int8 & 4294967295)::oid AND objsubid = 2`,
      [...numbersOf(key), applicationOf(key), idleMs],
    )
    return rows[0] && (rows[0].isEnded ? 'deposed' : 'alive')
  } catch (error) {
    throw followError(
      `cannot end the connection of the follower that does not answer: ${messageOf(error)}.`,
      error,
    )
  } finally {
    await disconnect(client)
  }
}

/** The name of the connections of a follower, by which others of the same key know them. */
export function applicationOf(key: string): string {
  return `model-cache follower ${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
}

/** An advisory lock is named by two signed numbers of 32 bits. */
function numbersOf(key: string): [number, number] {
  const digest = createHash('sha256').update(`model-cache:follow:${key}`).digest()
  return [digest.readInt32BE(0), digest.readInt32BE(4)]
}
