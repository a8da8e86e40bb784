import { createHash } from 'node:crypto'
import { followError } from '../errors.js'
import { messageOf } from '../database-url.js'
import { HeldLock } from '../held-lock.js'
import { connectToMysql, cutConnection, type MysqlConnection, rowsOf } from './connect.js'
import type { MysqlAddress } from './mysql-address.js'

/** A lock by name (`GET_LOCK`) that this process holds. */
export type NamedLock = HeldLock<MysqlConnection>

/** Waits for the lock of a key. See {@link HeldLock.take}. */
export function takeNamedLock(address: MysqlAddress, key: string, signal: AbortSignal): Promise<NamedLock> {
  const name = lockName(address, key)
  return HeldLock.take(
    {
      connect: () => connectToMysql(address),
      isTaken: async (client) => {
        const [row] = await rowsOf<{ held: number | null }>(client, 'SELECT GET_LOCK(?, 0) AS held', [name])
        return row?.held === 1
      },
      disconnect: async (client) => cutConnection(client),
    },
    signal,
  )
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
