import { migratedId } from 'model-cache/internal'
import { followError } from '../errors.js'
import type { DatabaseLog } from '../database-log.js'
import { messageOf } from '../database-url.js'
import { type MysqlConnection, mysqlNameOf, rowsOf } from './connect.js'
import type { MysqlAddress } from './mysql-address.js'
import { type LogReading, MysqlLeadership } from './mysql-leadership.js'
import { breakNamedLock, takeNamedLock } from './named-lock.js'
import { readVariables } from './server-variables.js'

/** The providers of Prisma for MariaDB and MySQL. */
export const mysqlProviders: ReadonlySet<string> = new Set(['mysql'])

/** The log of a database of MariaDB or MySQL: its binlog, row by row. */
export class MysqlLog implements DatabaseLog {
  readonly name: string
  readonly providers = mysqlProviders
  readonly #address: MysqlAddress
  readonly #reading: LogReading = { isUnreadable: false }

  constructor(address: MysqlAddress) {
    this.#address = address
    this.name = mysqlNameOf(address.url)
  }

  async elect(key: string, signal: AbortSignal): Promise<MysqlLeadership> {
    const lock = await takeNamedLock(this.#address, key, signal)
    try {
      const variables = await lock.run(readVariables)
      return new MysqlLeadership(this.#address, lock, await lock.run(databaseIdOf), variables, this.#reading)
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  depose(key: string, idleMs: number): Promise<'deposed' | 'alive' | undefined> {
    return breakNamedLock(this.#address, key, idleMs)
  }
}

/** The id by which processes list the database in the store; undefined without migrations of Prisma, or if the user may not read them. */
async function databaseIdOf(client: MysqlConnection): Promise<string | undefined> {
  try {
    const [row] = await rowsOf<{ id: string; name: string }>(
      client,
      'SELECT id, DATABASE() AS name FROM _prisma_migrations ORDER BY started_at, id LIMIT 1',
    )
    return row && migratedId(row)
  } catch (error) {
    if (typeof (error as { errno?: unknown }).errno === 'number') return undefined
    throw followError(`cannot ask which database it is: ${messageOf(error)}.`, error)
  }
}
