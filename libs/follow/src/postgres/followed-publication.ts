import type { FollowProblem } from '../database-log.js'
import type { FollowedTable } from '../followed-tables.js'
import { type AdvisoryLock, askRow } from './advisory-lock.js'
import { untilReplayed } from './log-position.js'
import { inspectPublication, publish, publishedVersions } from './publication.js'
import type { StandbyPrimary } from './standby-primary.js'

/** The publication of a follower, and what it had of the followed tables when it was set up last. */
export class FollowedPublication {
  readonly name: string
  readonly #lock: AdvisoryLock
  readonly #primary: StandbyPrimary | undefined
  #tables: readonly FollowedTable[] = []
  #versions: ReadonlyMap<string, string> = new Map()

  /**
   * @param lock its connection sets the publication up,
   * @param primary unless that leads to a standby
   */
  constructor(name: string, lock: AdvisoryLock, primary: StandbyPrimary | undefined) {
    this.name = name
    this.#lock = lock
    this.#primary = primary
  }

  /** The version of each published table's definition, by `tableKey`. */
  get versions(): ReadonlyMap<string, string> {
    return this.#versions
  }

  /** Publishes tables. @returns what is wrong with them */
  async follow(tables: readonly FollowedTable[]): Promise<readonly FollowProblem[]> {
    this.#tables = tables
    const primary = this.#primary
    const write = primary && ((statement: string) => primary.write(statement))
    const found = await this.#lock.run((client) => publish(client, this.name, tables, write))
    if (primary) await untilReplayed((sql) => askRow(this.#lock, sql), primary.writtenTo)
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
