import { setTimeout as delay } from 'node:timers/promises'
import type { Database, DatabaseDescription } from '../../source/database.js'
import type { Store } from '../backend/store.js'
import { foreignDatabaseError } from '../../configuration-errors.js'
import { ConfigurationError } from '../../errors.js'
import type { SharedTables } from '../../source/shared-tables.js'
import {
  DatabaseEntries,
  heartbeatMs,
  type ListedProcess,
  type ListedProcesses,
  namesOf,
} from './database-entries.js'
import {
  type DatabaseIdentity,
  identityAmong,
  isLater,
  type Kinship,
  kinshipOf,
  markOf,
} from './database-identity.js'
import { type OperatorLog, reasonIn, shieldLog } from '../operator-log.js'

export interface NamespaceDatabaseOptions {
  readonly store: Store
  /** @default 'mc' */
  readonly namespace?: string
  /** The database that rows are loaded from: `databaseOf(prisma)`. */
  readonly database: Database
  /** Receives what an operator should know. @default no log */
  readonly warn?: (message: string) => void
  /** Receives the end of what `warn` received. @default no log */
  readonly info?: (message: string) => void
  /** How long the start waits for the database and the store. Without an answer nothing is stored until there is one. @default 5_000 */
  readonly startMs?: number
  /** @default 30_000 */
  readonly heartbeatMs?: number
}

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
  /** What describes it. */
  readonly source: Database
  readonly #startMs: number
  readonly #heartbeatMs: number
  readonly #namespace: string
  readonly #log: OperatorLog
  readonly #entries: DatabaseEntries
  readonly #listeners = new Set<() => void>()
  readonly #checks = new Set<() => void>()
  readonly #tableListeners = new Set<(shared: SharedTables) => void>()
  #sharedTables: SharedTables | undefined
  #identity: DatabaseIdentity | undefined
  #mark: string | undefined
  #started: Promise<void> | undefined
  /** Whether rows have been loaded since the database was asked. */
  #isUsed = false
  /** Other processes whose database is not this one, or not in this state, and since when they are seen. */
  #strangers: readonly ListedProcess[] = []
  #strangersSinceMs = 0
  readonly #reported = new Set<string>()
  readonly #stop = new AbortController()

  constructor(options: NamespaceDatabaseOptions) {
    this.source = options.database
    this.#startMs = options.startMs ?? 5_000
    this.#heartbeatMs = options.heartbeatMs ?? heartbeatMs
    this.#namespace = options.namespace ?? 'mc'
    this.#log = shieldLog(options)
    this.#entries = new DatabaseEntries(options.store, this.#namespace)
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

  /**
   * Adds a listener that is called when rows of the former database must not be served any longer.
   *
   * @returns a function that removes it
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /**
   * Adds a check of what the database has said of itself. The start is refused if one throws; later, nothing is stored any more.
   *
   * @param check throws a ConfigurationError
   * @returns a function that removes it
   */
  verify(check: () => void): () => void {
    this.#checks.add(check)
    return () => void this.#checks.delete(check)
  }

  /** Which tables of the database share rows; undefined while that is not known. */
  get sharedTables(): SharedTables | undefined {
    return this.#sharedTables
  }

  /**
   * Adds a listener that is called once {@link sharedTables} are known, before a stored value counts. What it throws refuses the start.
   *
   * @returns a function that removes it
   */
  onTables(listener: (shared: SharedTables) => void): () => void {
    this.#tableListeners.add(listener)
    return () => void this.#tableListeners.delete(listener)
  }

  /** Call it for each load: the database is asked again now and then, unless it is left alone. */
  noteUse(): void {
    this.#isUsed = true
  }

  /**
   * Compares the database with those of other processes. Waits a few seconds at most for answers.
   *
   * @throws ConfigurationError if other processes are running whose database is another one
   */
  start(): Promise<void> {
    return (this.#started ??= this.#begin())
  }

  /** Tells other processes that this one has ended. Never rejects. */
  async stop(): Promise<void> {
    this.#stop.abort()
    if (this.#identity) await this.#entries.put(this.#identity, 'ended').catch(() => {})
  }

  /** The database may answer after the end of the process. */
  get #state(): 'running' | 'ended' {
    return this.#stop.signal.aborted ? 'ended' : 'running'
  }

  /** @throws ConfigurationError */
  async #begin(): Promise<void> {
    const joining = this.#join()
    const timeout = new AbortController()
    const { signal } = timeout
    const tooLate = delay(this.#startMs, 'late', { ref: false, signal }).catch(() => 'late')
    try {
      const outcome = await Promise.race([joining, tooLate])
      if (outcome === 'late') void this.#joinLater(`there was no answer within ${this.#startMs} ms`, joining)
      else void this.#beat()
    } catch (error) {
      if (error instanceof ConfigurationError) throw error
      void this.#joinLater(reasonIn(error))
    } finally {
      timeout.abort()
    }
  }

  /**
   * Nobody waits for the outcome any longer.
   *
   * @param attempt one that has begun
   */
  async #joinLater(reason: string, attempt?: Promise<void>): Promise<void> {
    this.#log.warn(
      `ModelCache: which database namespace "${this.#namespace}" is for is not known yet, because the database or the store does not answer. ` +
        `Until it is, rows are read from their source and not stored. The reason: ${reason}`,
    )
    let joining = attempt
    for (let waitMs = firstRetryMs; await this.#wait(waitMs); waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      try {
        await (joining ?? this.#join())
        if (this.#identity) this.#log.info(`ModelCache: namespace "${this.#namespace}" is for ${this.name}.`)
        return void this.#beat()
      } catch (error) {
        joining = undefined
        if (!(error instanceof ConfigurationError)) continue
        return this.#log.warn(
          `${error.message} Until then its rows are read from their source and not stored.`,
        )
      }
    }
  }

  /** @throws ConfigurationError; any error if the database or the store does not answer */
  async #join(): Promise<void> {
    const described = await this.source.describe()
    for (const check of this.#checks) check()
    await this.#compareTables()
    if (!described) {
      this.#become('')
      this.#log.warn(
        `ModelCache: the database of namespace "${this.#namespace}" cannot be determined, so nothing notices when another database uses the ` +
          'same namespace and is served the same rows. Make sure that no other does. See "Whose rows are these" in docs/operations.md.',
      )
      return
    }
    const listed = await this.#entries.put({ ...described, incarnation: '' }, 'starting')
    const identity = await this.#identityOf(described, identitiesOf(listed))
    await this.#refuseOthers(identity, listed)
    await this.#entries.put(identity, this.#state)
    await this.#reportBefore(identity, listed)
    this.#identity = identity
    this.#become(markOf(identity))
    this.#look(listed)
  }

  /** @throws ConfigurationError; any error if the database does not answer */
  async #compareTables(): Promise<void> {
    if (!this.source.sharedTables || this.#sharedTables) return
    const shared = await this.source.sharedTables()
    if (!shared)
      return this.#log.warn(
        `ModelCache: the database of namespace "${this.#namespace}" does not tell this role which of its tables are views or partitions of ` +
          'others. So each write of this process empties all caches, and writes of other processes may leave outdated rows in caches of ' +
          'views and partitions. Permit the role to read the catalogue of the database.',
      )
    for (const listener of this.#tableListeners) listener(shared)
    this.#sharedTables = shared
  }

  /** Asks the database again, where it may have changed under its connections. */
  async #askAgain(): Promise<void> {
    this.#isUsed = false
    const described = await this.source.describe()
    this.#verifyAgain()
    if (!described) return
    const before = await this.#entries.list()
    const identity = await this.#identityOf(described, [this.#identity!, ...identitiesOf(before)])
    const listed = await this.#entries.put(identity, this.#state)
    this.#identity = identity
    this.#become(markOf(identity))
    this.#look(listed)
  }

  /** Says what the start would refuse by now. */
  #verifyAgain(): void {
    try {
      for (const check of this.#checks) check()
    } catch (error) {
      const message = reasonIn(error)
      if (!this.#reported.has(message)) this.#log.warn(message)
      this.#reported.add(message)
    }
  }

  async #identityOf(
    described: DatabaseDescription,
    seen: readonly DatabaseIdentity[],
  ): Promise<DatabaseIdentity> {
    const identity = identityAmong(described, seen)
    const isEarlier =
      identity.incarnation !== '' && seen.every(({ incarnation }) => incarnation !== identity.incarnation)
    if (!isEarlier) return identity
    // Others may have asked later than this process.
    return identityAmong((await this.source.describe()) ?? described, seen)
  }

  #become(mark: string): void {
    if (mark === this.#mark) return
    const isChange = this.#mark !== undefined
    this.#mark = mark
    if (!isChange) return
    this.#log.warn(
      `ModelCache: the database behind namespace "${this.#namespace}" has changed, or has gone back to an earlier state: it is ` +
        `${this.#identity!.name} now. Its caches begin empty.`,
    )
    for (const listener of this.#listeners) listener()
  }

  /** @throws ConfigurationError */
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
    throw foreignDatabaseError(foreignMessage(this.#namespace, identity.name, namesOf(others)))
  }

  /** Says that rows of a former database no longer count, and forgets processes that have ended. */
  async #reportBefore(identity: DatabaseIdentity, { processes }: ListedProcesses): Promise<void> {
    const ended = processes.filter(({ isRunning }) => !isRunning)
    const last = ended.find(({ isSettled }) => isSettled)
    if (last && processes.length === ended.length && kinshipOf(identity, last.entry) !== 'same') {
      this.#log.warn(
        `ModelCache: the caches of namespace "${this.#namespace}" begin empty. They held rows of ${last.entry.name}` +
          (kinshipOf(identity, last.entry) === 'other state'
            ? ', which has been restored, promoted or made again since.'
            : `, and this process reads ${identity.name}.`),
      )
    }
    // The latest positions are kept, by which a restored database is recognized.
    const settled = ended.filter(({ isSettled }) => isSettled)
    const byMark = Map.groupBy(settled, ({ entry }) => markOf(entry))
    const kept = [...byMark.values()].slice(0, maxRemembered).map(latestOf)
    await this.#entries.remove(ended.filter((one) => !one.wasRefused && !kept.includes(one)))
  }

  /** Tells others that this process is running, and asks the database again if it is used, or if others read another state of it. */
  async #beat(): Promise<void> {
    while (await this.#wait(this.#heartbeatMs)) {
      // The database cannot be determined.
      if (!this.#identity) return
      try {
        this.#look(await this.#entries.put(this.#identity, 'running'))
        if (this.#isUsed || this.#strangers.length > 0) await this.#askAgain()
        this.#report()
      } catch {
        // The next one tries again.
        this.#isUsed = true
      }
    }
  }

  #look({ processes }: ListedProcesses): void {
    const identity = this.#identity!
    const strangers = processes.filter(
      ({ entry, isRunning, isSettled, wasRefused }) =>
        ((isRunning && isSettled) || wasRefused) && kinshipOf(identity, entry) !== 'same',
    )
    if (this.#strangers.length === 0) this.#strangersSinceMs = performance.now()
    this.#strangers = strangers
  }

  /** Others have had the time to ask their database again as well. */
  #report(): void {
    if (performance.now() - this.#strangersSinceMs < 2 * this.#heartbeatMs) return
    const identity = this.#identity!
    for (const { entry, isRunning } of this.#strangers) {
      const kinship = kinshipOf(identity, entry)
      const key = `${kinship} ${entry.name}`
      if (!isRunning || this.#reported.has(key)) continue
      this.#reported.add(key)
      this.#log.warn(strangerMessage(kinship, this.#namespace, identity.name, entry.name))
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

function strangerMessage(kinship: Kinship, namespace: string, own: string, other: string): string {
  const where = `ModelCache: namespace "${namespace}"`
  const meanwhile = 'Neither is served rows of the other, but each removes those of the other from the store.'
  if (kinship === 'other')
    return (
      `${where} is in use by two databases. This process reads ${own}, others read ${other}. ${meanwhile} Give each database a namespace ` +
      'of its own.'
    )
  if (kinship === 'other state')
    return (
      `${where} is in use by two states of one database. This process reads ${own}, others read ${other}: one of them is a copy, or has ` +
      `been promoted or restored while the other goes on. ${meanwhile} Lead all processes to one of them, or give each a namespace.`
    )
  return (
    `${where} may be in use by two databases. This process knows its own as ${own}, others know theirs as ${other}: their roles have ` +
    `different rights, so the two cannot be compared. ${meanwhile} Grant both roles the execution of pg_control_system(), ` +
    'pg_control_checkpoint() and pg_control_recovery().'
  )
}

function latestOf(processes: readonly ListedProcess[]): ListedProcess {
  return processes.reduce((latest, process) => (isLater(process.entry, latest.entry) ? process : latest))
}

/** What is known of the states of databases: of processes that are starting, nothing yet. */
function identitiesOf({ processes }: ListedProcesses): readonly DatabaseIdentity[] {
  return processes.filter(({ isSettled }) => isSettled).map(({ entry }) => entry)
}
