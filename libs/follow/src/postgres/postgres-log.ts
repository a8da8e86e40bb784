import type { DatabaseLog } from '../database-log.js'
import { breakLock, takeAdvisoryLock } from './advisory-lock.js'
import { nameOf } from './connect.js'
import { databaseIdOf } from './database-id.js'
import { PostgresLeadership, type PostgresLogOptions } from './postgres-leadership.js'
import { ReplicationSlot } from './replication-slot.js'

/** The providers of Prisma for PostgreSQL. */
export const followedProviders: ReadonlySet<string> = new Set(['postgresql', 'postgres'])

/** The log of a PostgreSQL database: logical decoding by `pgoutput`. */
export class PostgresLog implements DatabaseLog {
  readonly name: string
  readonly providers = followedProviders
  readonly #options: PostgresLogOptions
  readonly #slot: ReplicationSlot

  constructor(options: PostgresLogOptions) {
    this.#options = options
    this.#slot = new ReplicationSlot(options.slot)
    this.name = nameOf(options.url)
  }

  async elect(key: string, signal: AbortSignal): Promise<PostgresLeadership> {
    const lock = await takeAdvisoryLock(this.#options, key, signal)
    try {
      const database = await lock.run(databaseIdOf)
      return new PostgresLeadership(this.#options, this.#slot, lock, key, database)
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  depose(key: string, idleMs: number): Promise<'deposed' | 'alive' | undefined> {
    return breakLock(this.#options, key, idleMs)
  }
}
