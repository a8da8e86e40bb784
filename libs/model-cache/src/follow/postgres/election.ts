import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { FollowError } from '../../errors.js'
import { connectTo, disconnect, type PostgresAddress, reasonOf } from './connect.js'

/** How often a process that waits for the mandate asks for it. */
const pollMs = 1_000
/** How often the holder checks that its connection still answers. */
const checkMs = 1_000

/** An advisory lock, which PostgreSQL ends with the connection that holds it. */
export interface HeldLock {
  readonly client: pg.Client
  /** Resolves when the lock is lost. */
  readonly lost: Promise<Error>
  release(): Promise<void>
}

/**
 * Waits for the advisory lock of a key.
 *
 * @throws FollowError when the database is not reachable; the reason of `signal` when it ends the wait
 */
export async function acquireLock(
  address: PostgresAddress,
  key: string,
  signal: AbortSignal,
): Promise<HeldLock> {
  const client = await connectTo(address, 'queries')
  let isLost = false
  const lost = new Promise<Error>((resolve) => {
    const lose = (reason: string): void => {
      isLost = true
      resolve(new FollowError(`lost the connection that holds the lock: ${reason}`))
    }
    client.on('error', (error) => lose(reasonOf(error)))
    client.on('end', () => lose('it was closed'))
  })
  try {
    for (;;) {
      signal.throwIfAborted()
      if (isLost) throw await lost
      const { rows } = await client.query<{ held: boolean }>(
        'SELECT pg_try_advisory_lock($1, $2) AS held',
        numbersOf(key),
      )
      if (rows[0]?.held) break
      await delay(pollMs, undefined, { signal, ref: false })
    }
  } catch (error) {
    await disconnect(client)
    signal.throwIfAborted()
    throw error instanceof FollowError
      ? error
      : new FollowError(`cannot take the lock: ${reasonOf(error)}`, error)
  }
  // A connection whose other end is gone says nothing by itself.
  let isChecking = false
  const check = async (): Promise<void> => {
    // An answer that is late has a deadline of its own.
    if (isChecking) return
    isChecking = true
    await client.query('SELECT 1').catch(() => disconnect(client))
    isChecking = false
  }
  const checks = setInterval(() => void check(), checkMs).unref()
  void lost.then(() => clearInterval(checks))
  return {
    client,
    lost,
    async release() {
      clearInterval(checks)
      await disconnect(client)
    },
  }
}

/**
 * Ends the connection of whoever holds the lock.
 *
 * @throws FollowError when the database does not permit it
 */
export async function breakLock(address: PostgresAddress, key: string): Promise<void> {
  const client = await connectTo(address, 'queries')
  try {
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND classid = ($1::int8 & 4294967295)::oid AND objid = ($2::int8 & 4294967295)::oid AND objsubid = 2`,
      numbersOf(key),
    )
  } catch (error) {
    throw new FollowError(
      `cannot end the connection of the follower that does not answer: ${reasonOf(error)}`,
      error,
    )
  } finally {
    await disconnect(client)
  }
}

/** An advisory lock is named by two signed numbers of 32 bits. */
function numbersOf(key: string): [number, number] {
  const digest = createHash('sha256').update(`model-cache:follow:${key}`).digest()
  return [digest.readInt32BE(0), digest.readInt32BE(4)]
}
