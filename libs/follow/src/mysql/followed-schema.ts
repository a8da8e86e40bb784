import type { Table } from 'model-cache/internal'
import type { FollowProblem } from '../database-log.js'
import { ForeignKeys } from './foreign-keys.js'
import type { NamedLock } from './named-lock.js'
import { findTables, type FoundTables, schemasIn } from './found-tables.js'

/** The followed tables as the database has them, and the foreign keys by which they change. */
export class FollowedSchema {
  readonly foreignKeys = new ForeignKeys()
  readonly #lock: NamedLock
  readonly #logsCascades: boolean
  #tables: readonly Table[] = []
  #versions: ReadonlyMap<string, string> = new Map()
  #found: ReadonlyMap<string, string> = new Map()

  /**
   * @param database the one of the connection
   * @param logsCascades whether the log has the rows that change by foreign keys
   */
  constructor(lock: NamedLock, database: string, logsCascades: boolean) {
    this.#lock = lock
    this.#logsCascades = logsCascades
    this.inDatabase = schemasIn(database)
  }

  /** See `OpenLog.versions`: whatever happens to a table that exists is in the log. */
  get versions(): ReadonlyMap<string, string> {
    return this.#versions
  }

  /** Whether one of the tables exists since the last {@link refresh}, or no longer. */
  get hasChanged(): boolean {
    return (
      this.#found !== this.#versions &&
      JSON.stringify([...this.#found]) !== JSON.stringify([...this.#versions])
    )
  }

  async follow(tables: readonly Table[]): Promise<readonly FollowProblem[]> {
    this.#tables = tables
    const { problems } = await this.refresh()
    this.#versions = this.#found
    return problems
  }

  /** Reads again what a definition may have changed. */
  async refresh(): Promise<FoundTables> {
    const found = await this.#lock.run((client) => findTables(client, this.#tables, this.inDatabase))
    if (!this.#logsCascades) this.foreignKeys.add(found.foreignKeys)
    this.#found = found.versions
    return found
  }

  /** See {@link schemasIn}. */
  readonly inDatabase: (table: Table) => Table
}
