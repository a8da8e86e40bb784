import type { FollowProblem } from '../database-log.js'
import type { FollowedTable } from '../followed-tables.js'
import { type AdvisoryLock, askRow } from './advisory-lock.js'
import { inspectPublication, publish, publishedVersions } from './publication.js'

/** The publication of a follower, and what it had of the followed tables when it was set up last. */
export class FollowedPublication {
  readonly name: string
  readonly #lock: AdvisoryLock
  #tables: readonly FollowedTable[] = []
  #versions: ReadonlyMap<string, string> = new Map()

  /** @param lock its connection sets the publication up */
  constructor(name: string, lock: AdvisoryLock) {
    this.name = name
    this.#lock = lock
  }

  /** By `tableKey`. */
  get versions(): ReadonlyMap<string, string> {
    return this.#versions
  }

  /** Publishes tables. @returns what is wrong with them */
  async follow(tables: readonly FollowedTable[]): Promise<readonly FollowProblem[]> {
    this.#tables = tables
    const found = await this.#lock.run((client) => publish(client, this.name, tables))
    this.#versions = await this.#published()
    // Somebody else may have changed it meanwhile. What they change from now on is another version.
    const { known, problems } = await this.#lock.run((client) =>
      inspectPublication(client, this.name, tables),
    )
    // Tables without a version are not followed, and are tried again.
    if (!known?.root || !known.changes) this.#versions = new Map()
    const messages = new Set(problems.map(({ message }) => message))
    return [...problems, ...found.filter(({ message }) => !messages.has(message))]
  }

  /** Whether it has another version of one of the tables now. */
  async hasChanged(): Promise<boolean> {
    const now = await this.#published()
    return [...this.#versions].some(([table, version]) => now.get(table) !== version)
  }

  #published(): Promise<ReadonlyMap<string, string>> {
    return publishedVersions((sql) => askRow(this.#lock, sql), this.name, this.#tables)
  }
}
