import { setTimeout as delay } from 'node:timers/promises'
import { ForeignDatabaseError } from '../errors.js'
import type { Database } from '../source/database.js'
import type { Store } from '../store/store.js'
import { DatabaseEntries, heartbeatMs, type ListedProcess, type ListedProcesses } from './database-entries.js'
import { type DatabaseIdentity, identityAmong, kinshipOf, markOf } from './database-identity.js'
import { type OperatorLog, reasonIn } from './operator-log.js'

export interface NamespaceDatabaseOptions {
  readonly store: Store
  readonly namespace: string
  /** The database that rows are loaded from. */
  readonly database: Database
  readonly log: OperatorLog
  /** @default 30_000 */
  readonly heartbeatMs?: number
}

/** How long the start waits for the database and the store. Without an answer nothing is stored until there is one. */
const startMs = 5_000

const firstRetryMs = 250
const lastRetryMs = 5_000

/** How many other states of databases are remembered without a process that reads them. */
const maxRemembered = 8

/**
 * The database of the rows that this process stores in a namespace. Stored values carry a mark of it, so that processes of another
 * database, and those of an earlier state of this one, do not take them for their own. Until it is known no stored value counts.
 *
 * Processes tell each other which databases they read: the start is refused while others run that read another one.
 */
export class NamespaceDatabase {
  readonly #options: NamespaceDatabaseOptions
  readonly #entries: DatabaseEntries
  readonly #listeners: (() => void)[] = []
  #identity: DatabaseIdentity | undefined
  #mark: string | undefined
  #started: Promise<void> | undefined
  /** Other processes whose database is not this one, or not in this state, and since when they are seen. */
  #strangers: readonly ListedProcess[] = []
  #strangersSinceMs = 0
  readonly #reported = new Set<string>()
  readonly #stop = new AbortController()

  constructor(options: NamespaceDatabaseOptions) {
    this.#options = options
    this.#entries = new DatabaseEntries(options.store, options.namespace)
  }

  /** What describes it. */
  get source(): Database {
    return this.#options.database
  }

  /** What the epochs of stored values end with; `''` if the database cannot be determined, undefined while it is not known. */
  get mark(): string | undefined {
    return this.#mark
  }

  /** For people: which database it is. */
  get name(): string {
    return this.#identity?.name ?? (this.#mark === undefined ? 'not known yet' : 'unknown')
  }

  /** The names of other databases that running processes read in this namespace. */
  get others(): readonly string[] {
    return namesOf(this.#strangers.filter(({ isRunning }) => isRunning))
  }

  /** Adds a listener that is called when rows of the former database must not be served any longer. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Compares the database with those of other processes. Waits a few seconds at most for answers.
   *
   * @throws ForeignDatabaseError if other processes are running whose database is another one
   */
  async start(): Promise<void> {
    this.#started ??= this.#begin()
    const timeout = new AbortController()
    const { signal } = timeout
    await Promise.race([this.#started, delay(startMs, undefined, { ref: false, signal }).catch(() => {})])
    timeout.abort()
  }

  /** Tells other processes that this one has ended. Never rejects. */
  async stop(): Promise<void> {
    this.#stop.abort()
    if (this.#identity) await this.#entries.put(this.#identity, 'ended').catch(() => {})
  }

  /** @throws ForeignDatabaseError */
  async #begin(): Promise<void> {
    try {
      await this.#identify()
    } catch (error) {
      if (error instanceof ForeignDatabaseError) throw error
      void this.#retry(error)
    }
    if (this.#identity) void this.#beat()
  }

  /** Nobody waits for the outcome any longer. */
  async #retry(error: unknown): Promise<void> {
    const { log, namespace } = this.#options
    log.warn(
      `ModelCache: which database namespace "${namespace}" is for is not known yet, because the database or the store does not answer. ` +
        `Until it is, rows are read from their source and not stored. The reason: ${reasonIn(error)}`,
    )
    for (let waitMs = firstRetryMs; await this.#wait(waitMs); waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      try {
        await this.#identify()
        log.info(`ModelCache: namespace "${namespace}" is for ${this.name}.`)
        if (this.#identity) void this.#beat()
        return
      } catch (error) {
        if (!(error instanceof ForeignDatabaseError)) continue
        log.warn(`${error.message} Until then its rows are read from their source and not stored.`)
        return
      }
    }
  }

  /** @throws ForeignDatabaseError; any error if the database or the store does not answer */
  async #identify(): Promise<void> {
    const { database, log, namespace } = this.#options
    const now = await database.describe()
    if (!now) {
      this.#become('')
      log.warn(
        `ModelCache: the database of namespace "${namespace}" cannot be determined, so nothing notices when another database uses the ` +
          'same namespace and is served the same rows. Make sure that no other does. See "Whose rows are these" in docs/operations.md.',
      )
      return
    }
    const provisional = { ...now, incarnation: this.#identity?.incarnation ?? '' }
    const listed = (await this.#entries.put(provisional, 'running', ''))!
    const seen = [...(this.#identity ? [this.#identity] : []), ...listed.processes.map(({ entry }) => entry)]
    let identity = identityAmong(now, seen)
    // Others may have asked later than this process.
    const isEarlier =
      identity.incarnation !== '' && seen.every(({ incarnation }) => incarnation !== identity.incarnation)
    if (isEarlier) identity = identityAmong((await database.describe()) ?? now, seen)
    const isFirst = !this.#identity
    if (isFirst) await this.#refuseOthers(identity, listed)
    if (identity.incarnation !== provisional.incarnation) await this.#entries.put(identity, 'running')
    if (isFirst) await this.#reportBefore(identity, listed)
    this.#identity = identity
    this.#become(markOf(identity))
    this.#look(listed)
  }

  #become(mark: string): void {
    if (mark === this.#mark) return
    const isChange = this.#mark !== undefined
    this.#mark = mark
    if (!isChange) return
    this.#options.log.warn(
      `ModelCache: the database behind namespace "${this.#options.namespace}" has changed, or has gone back to an earlier state: it is ` +
        `${this.#identity!.name} now. Its caches begin empty.`,
    )
    for (const listener of this.#listeners) listener()
  }

  /** @throws ForeignDatabaseError */
  async #refuseOthers(
    identity: DatabaseIdentity,
    { processes, handedOverMs }: ListedProcesses,
  ): Promise<void> {
    const others = processes.filter(
      ({ entry, isRunning, listed }) =>
        isRunning &&
        (handedOverMs === 0 || listed.addedMs > handedOverMs) &&
        kinshipOf(identity, entry) === 'other',
    )
    if (others.length === 0) return
    // Listed nevertheless: others ask their database again, in case that it is this one by now.
    await this.#entries.put(identity, 'refused')
    throw new ForeignDatabaseError(foreignMessage(this.#options.namespace, identity.name, namesOf(others)))
  }

  /** Says that rows of a former database no longer count, and forgets processes that have ended. */
  async #reportBefore(identity: DatabaseIdentity, { processes }: ListedProcesses): Promise<void> {
    const { log, namespace } = this.#options
    const ended = processes.filter(({ isRunning }) => !isRunning)
    const last = ended.find(({ entry }) => entry.state !== 'refused')
    if (last && processes.length === ended.length && kinshipOf(identity, last.entry) !== 'same') {
      log.warn(
        `ModelCache: the caches of namespace "${namespace}" begin empty. They held rows of ${last.entry.name}` +
          (kinshipOf(identity, last.entry) === 'other'
            ? `, and this process reads ${identity.name}.`
            : ', which has been restored, promoted or made again since.'),
      )
    }
    // The latest positions are kept, by which a restored database is recognized.
    const byMark = Map.groupBy(ended, ({ entry }) => markOf(entry))
    const kept = [...byMark.values()].slice(0, maxRemembered).map(latestOf)
    await this.#entries.remove(ended.filter((process) => !kept.includes(process)))
  }

  /** Tells others that this process is running, and asks the database again where they read another one, or another state of it. */
  async #beat(): Promise<void> {
    const everyMs = this.#options.heartbeatMs ?? heartbeatMs
    while (await this.#wait(everyMs)) {
      try {
        const listed = await this.#entries.put(
          this.#identity!,
          'running',
          this.#strangers.length > 0 ? '' : undefined,
        )
        if (!listed) continue
        this.#look(listed)
        if (this.#strangers.length > 0) await this.#identify()
        this.#report(everyMs)
      } catch {
        // The next one tries again.
      }
    }
  }

  #look({ processes }: ListedProcesses): void {
    const identity = this.#identity!
    const strangers = processes.filter(
      ({ entry, isRunning, wasRefused }) =>
        (isRunning || wasRefused) && kinshipOf(identity, entry) !== 'same',
    )
    if (this.#strangers.length === 0) this.#strangersSinceMs = performance.now()
    this.#strangers = strangers
  }

  /** Others have had the time to ask their database again as well. */
  #report(everyMs: number): void {
    if (performance.now() - this.#strangersSinceMs < 2 * everyMs) return
    for (const name of this.others) {
      if (this.#reported.has(name)) continue
      this.#reported.add(name)
      this.#options.log.warn(
        `ModelCache: namespace "${this.#options.namespace}" is in use by two databases. This process reads ${this.#identity!.name}, ` +
          `others read ${name}. None is served rows of the other, but each removes those of the other from the store. Give each database ` +
          'a namespace of its own.',
      )
    }
  }

  /** @returns whether this process has not ended meanwhile */
  #wait(ms: number): Promise<boolean> {
    return delay(ms, true, { ref: false, signal: this.#stop.signal }).catch(() => false)
  }
}

function foreignMessage(namespace: string, own: string, others: readonly string[]): string {
  return (
    `model-cache: this process reads ${own}, but namespace "${namespace}" is in use by processes that read ${others.join(' and ')}. ` +
    "Give each database a `namespace` of its own in ModelCacheModule.forRoot, such as 'shop-staging'. If the database has moved, " +
    `run \`npx model-cache hand-over --namespace ${namespace}\`, and start this process again.`
  )
}

function latestOf(processes: readonly ListedProcess[]): ListedProcess {
  return processes.reduce((latest, process) =>
    BigInt(process.entry.position ?? 0) > BigInt(latest.entry.position ?? 0) ? process : latest,
  )
}

function namesOf(processes: readonly ListedProcess[]): readonly string[] {
  return [...new Set(processes.map(({ entry }) => entry.name))]
}
