import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { followError, hasCode } from '../../errors.js'
import { answerIn } from '../answer-in.js'
import { messageOf } from '../database-url.js'
import { connectToMysql, cutConnection, type MysqlConnection, rowsOf } from './connect.js'
import type { MysqlAddress } from './mysql-address.js'

/** How often a stand-by asks for the lock. */
const pollMs = 500
/** How long an answer to the leader may take. */
const answerMs = 1_500

/** A lock by name (`GET_LOCK`) that this process holds, which the database ends with the connection that holds it. */
export class NamedLock {
  readonly #client: MysqlConnection
  readonly #lost = Promise.withResolvers<Error>()
  #isLost = false
  #running: Promise<unknown> = Promise.resolve()
  #users = 0

  private constructor(client: MysqlConnection) {
    this.#client = client
    client.on('error', (error) => this.#lose(messageOf(error)))
    client.on('end', () => this.#lose('it was closed'))
  }

  /**
   * Waits for the lock of a key.
   *
   * @throws ModelCacheError (`E_FOLLOW`) when the database is not reachable; the reason of `signal` when it ends the wait
   */
  static async take(address: MysqlAddress, key: string, signal: AbortSignal): Promise<NamedLock> {
    const lock = new NamedLock(await connectToMysql(address))
    try {
      signal.throwIfAborted()
      while (!(await lock.#isTaken(lockName(address, key)))) {
        await delay(pollMs, undefined, { signal, ref: false })
        if (lock.#isLost) throw await lock.lost
      }
      return lock
    } catch (error) {
      lock.release()
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
  run<T>(work: (client: MysqlConnection) => Promise<T>): Promise<T> {
    this.#users++
    const result = this.#running.then(() => work(this.#client))
    this.#running = result.catch(() => {}).finally(() => this.#users--)
    return result
  }

  /** As {@link run} for queries that the database answers at once: if it does not, the lock is lost. */
  async ask<T>(work: (client: MysqlConnection) => Promise<T>): Promise<T> {
    try {
      return await answerIn(this.run(work), answerMs)
    } catch (error) {
      // A connection whose other end is gone says nothing by itself.
      this.#lose(messageOf(error))
      this.release()
      throw error
    }
  }

  release(): void {
    cutConnection(this.#client)
  }

  async #isTaken(name: string): Promise<boolean> {
    const [row] = await rowsOf<{ held: number | null }>(this.#client, 'SELECT GET_LOCK(?, 0) AS held', [name])
    return row?.held === 1
  }

  #lose(reason: string): void {
    this.#isLost = true
    this.#lost.resolve(followError(`lost the connection that holds the lock: ${reason}.`))
  }
}

/**
 * Ends the connection of the follower that holds the lock. One that works asks the database twice a second.
 *
 * @returns what became of it; undefined if there is none
 * @throws ModelCacheError (`E_FOLLOW`) when the database does not permit it
 */
export async function breakNamedLock(
  address: MysqlAddress,
  key: string,
  idleMs: number,
): Promise<'deposed' | 'alive' | undefined> {
  const client = await connectToMysql(address)
  try {
    const [holder] = await rowsOf<{ id: number | null }>(client, 'SELECT IS_USED_LOCK(?) AS id', [
      lockName(address, key),
    ])
    if (!holder?.id) return undefined
    const [found] = await rowsOf<Readonly<Record<string, unknown>>>(
      client,
      'SELECT * FROM information_schema.PROCESSLIST WHERE ID = ?',
      [holder.id],
    )
    if (!found)
      throw new Error(
        'it has another user, and this one lacks the privilege PROCESS. Give both the same user',
      )
    // MariaDB has milliseconds, MySQL whole seconds.
    const quietMs = Number(found.TIME_MS ?? 1_000 * Number(found.TIME))
    if (quietMs < idleMs) return 'alive'
    await client.query(`KILL CONNECTION ${holder.id}`)
    return 'deposed'
  } catch (error) {
    throw followError(
      `cannot end the connection of the follower that does not answer: ${messageOf(error)}.`,
      error,
    )
  } finally {
    cutConnection(client)
  }
}

/** Names of locks are those of the server, and have up to 64 characters. */
function lockName({ url }: MysqlAddress, key: string): string {
  const { pathname } = new URL(url)
  const digest = createHash('sha256').update(`${pathname}:${key}`).digest('hex').slice(0, 32)
  return `model-cache:follow:${digest}`
}
