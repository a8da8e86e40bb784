import type { Database } from '../../source/database.js'
import { DatabaseEntries } from './database-entries.js'
import { kinshipOf } from './database-identity.js'
import type { WrittenNamespace } from '../write/foreign-cache.js'

/** What is known of a namespace when a process writes. */
export interface CachesInView {
  /** How many caches this process has. */
  readonly own: number
  /** How many caches the catalogue has. */
  readonly listed: number
}

/** After this time a check that failed is repeated, with the next write. */
const retryMs = 5_000

/**
 * Notices at the first write that a process writes to another namespace than that of the caches it should invalidate: there are no
 * caches, or they have rows of another database. It warns and refuses nothing: such writes invalidate too much there.
 */
export class WriterCheck {
  readonly #in: Pick<WrittenNamespace, 'store' | 'namespace' | 'log'>
  /** The databases of extended clients that are to be compared. */
  readonly #databases = new Set<Database>()
  /** The databases whose caches this process has, which are compared elsewhere, with the number of these caches. */
  readonly #own = new Map<Database, number>()
  #isDue = true
  #hasWarned = false

  constructor(namespace: Pick<WrittenNamespace, 'store' | 'namespace' | 'log'>) {
    this.#in = namespace
  }

  /** Whether there is something to look at. */
  get isDue(): boolean {
    return this.#isDue
  }

  /** Adds the database of an extended client. */
  add(database: Database): void {
    if (this.#own.has(database)) return
    this.#databases.add(database)
    this.#isDue = true
  }

  /**
   * Adds the database of a cache of this process.
   *
   * @returns a function for the end of the cache
   */
  addOwn(database: Database): () => void {
    this.#count(database, 1)
    this.#databases.delete(database)
    return () => this.#count(database, -1)
  }

  #count(database: Database, change: 1 | -1): void {
    const count = (this.#own.get(database) ?? 0) + change
    if (count > 0) this.#own.set(database, count)
    else this.#own.delete(database)
  }

  /** Looks once; never rejects. */
  look({ own, listed }: CachesInView): void {
    this.#isDue = false
    if (own === 0 && listed === 0) void this.#warnOfEmptyNamespace()
    // Caches of this process whose database is not known may be of any.
    else if (own === 0 || this.#own.size > 0)
      for (const database of this.#databases) void this.#compare(database)
  }

  async #compare(database: Database): Promise<void> {
    const { log, namespace, store } = this.#in
    this.#databases.delete(database)
    try {
      const described = await database.describe()
      if (!described) return
      const identity = { ...described, incarnation: '' }
      const { processes } = await new DatabaseEntries(store, namespace).list()
      const running = processes.filter(({ isRunning }) => isRunning)
      if (running.length === 0 || running.some(({ entry }) => kinshipOf(identity, entry) !== 'other')) return
      const others = [...new Set(running.map(({ entry }) => entry.name))].join(' and ')
      log.warn(
        `ModelCache: this process writes to ${described.name}, while the caches of namespace "${namespace}" have rows of ${others}. ` +
          'Its writes invalidate nothing of the database that they change. Give it the `namespace` of the caches of that database.',
      )
    } catch {
      setTimeout(() => this.add(database), retryMs).unref()
    }
  }

  async #warnOfEmptyNamespace(): Promise<void> {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const { log, namespace, store } = this.#in
    const namespaces = (await store.namespaces?.().catch(() => [])) ?? []
    const others = namespaces.filter((name) => name !== namespace).toSorted()
    log.warn(
      `ModelCache: namespace "${namespace}" has no caches, so the writes of this process invalidate nothing. ` +
        (others.length > 0
          ? `The store has caches in ${others.map((name) => `"${name}"`).join(', ')}: give this process the \`namespace\` of its caches. `
          : '') +
        'If its caches are deployed later, this is as it should be.',
    )
  }
}
