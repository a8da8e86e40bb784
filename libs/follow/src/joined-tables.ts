import { tableKey } from 'model-cache/internal'
import type { FollowProblem, Leadership, OpenLog } from './database-log.js'
import type { FollowContext } from './follow-context.js'
import { followableTables, followedOf, type FollowedTables, followedTables } from './followed-tables.js'

/** How often tables are tried again that could not be followed. */
const rejoinMs = 5_000

/** Tables that have joined the log, and whose caches may hold what was written before. */
interface Joining {
  readonly tables: ReadonlySet<string>
  /** When all transactions with lower numbers have ended, the log has all changes of the tables. */
  readonly next: bigint
}

/** Which tables of the caches a session follows. Tables are named by `tableKey`. */
export class JoinedTables {
  readonly #catalogue: FollowContext['namespaceCaches']['catalogue']
  readonly #providers: ReadonlySet<string>
  readonly #leadership: Leadership
  readonly #onProblems: (problems: readonly FollowProblem[]) => void
  #wanted: FollowedTables = { tables: new Map(), unknown: [] }
  #wantedOf: unknown
  /** The tables that were compared with those of the log last. */
  #compared: FollowedTables | undefined
  readonly #followed = new Set<string>()
  #joining: Joining | undefined
  /** When the wanted tables were last compared with the publication. */
  #comparedAtMs = 0
  #isSuspect = false

  constructor(
    { database, namespaceCaches }: Pick<FollowContext, 'database' | 'namespaceCaches'>,
    leadership: Leadership,
    onProblems: (problems: readonly FollowProblem[]) => void,
  ) {
    this.#catalogue = namespaceCaches.catalogue
    this.#providers = database.providers
    this.#leadership = leadership
    this.#onProblems = onProblems
  }

  /** The tables of the caches that the catalogue has now. The same object until they change. */
  get wanted(): FollowedTables {
    const { caches } = this.#catalogue
    if (this.#wantedOf !== caches) {
      this.#wantedOf = caches
      this.#wanted = followedTables(caches, this.#providers)
    }
    return this.#wanted
  }

  /** The tables whose changes the log has: nothing is cached of them that was written before it had them. */
  get followed(): ReadonlySet<string> {
    return this.#followed
  }

  get isJoining(): boolean {
    return this.#joining !== undefined
  }

  /** The caches all of whose tables are followed, by their layouts. */
  get followedCaches(): readonly string[] {
    if (this.#isSuspect) return []
    const followed = this.#catalogue.caches.filter((cache) => {
      const tables = followableTables(cache, this.#providers)
      if (!tables) return false
      const needed = [...followedOf(tables), ...tables.joins]
      return needed.length > 0 && needed.every((one) => this.#followed.has(tableKey(one)))
    })
    return [...new Set(followed.map(({ layout }) => layout))]
  }

  /** Returns the tables whose changes a log has that was opened for some. */
  opened(log: OpenLog, wanted: FollowedTables): string[] {
    this.#compared = wanted
    return this.#followable(log, wanted, log.problems)
  }

  add(tables: Iterable<string>): void {
    for (const table of tables) this.#followed.add(table)
  }

  /**
   * The publication or a table is not what it was. Until {@link join} finds out which tables are affected, none counts as followed.
   */
  suspect(): void {
    this.#isSuspect = true
  }

  /**
   * Has the log follow the tables of caches that are new in the catalogue and those of which it may have missed changes, and tries
   * those again that could not be followed.
   *
   * @returns tables that have joined, once the log has all changes of them: call {@link add} after their caches have been emptied
   */
  async join(log: OpenLog): Promise<readonly string[] | undefined> {
    const { wanted } = this
    const isDue = this.#followed.size + (this.#joining?.tables.size ?? 0) < wanted.tables.size
    const isRetry = isDue && performance.now() - this.#comparedAtMs > rejoinMs
    if (this.#compared !== wanted || isRetry || this.#isSuspect) await this.#compare(log, wanted)
    if (!this.#joining || (await this.#leadership.transactions()).oldest < this.#joining.next)
      return undefined
    const { tables } = this.#joining
    this.#joining = undefined
    return [...tables]
  }

  async #compare(log: OpenLog, wanted: FollowedTables): Promise<void> {
    this.#compared = wanted
    this.#comparedAtMs = performance.now()
    const before = log.versions
    const problems = await log.follow([...wanted.tables.values()])
    for (const table of this.#followed)
      if (log.versions.get(table) !== before.get(table)) this.#followed.delete(table)
    const joining = this.#followable(log, wanted, problems).filter((table) => !this.#followed.has(table))
    this.#isSuspect = false
    // Tables that were about to join may have left again.
    this.#joining =
      joining.length === 0
        ? undefined
        : { tables: new Set(joining), next: await this.#leadership.newTransaction() }
  }

  /** Reports the problems, and returns the tables whose changes the log has from now on. */
  #followable(
    { versions }: OpenLog,
    { tables, unknown }: FollowedTables,
    problems: readonly FollowProblem[],
  ): string[] {
    const refused = new Set(problems.filter(({ isFollowed }) => !isFollowed).map(({ table }) => table))
    for (const table of refused) this.#followed.delete(table)
    const names = [...new Set(unknown.map(({ name }) => name))]
    const unnamed = {
      table: '',
      isFollowed: true,
      message:
        `The caches ${names.join(', ')} do not say where the database has their rows: they load them by themselves, belong to another ` +
        'version of this library, or to a Prisma client that is not known. Writes outside Prisma do not invalidate them.',
    }
    this.#onProblems([...problems, ...(names.length > 0 ? [unnamed] : [])])
    return [...tables.keys()].filter((table) => versions.has(table) && !refused.has(table))
  }
}
