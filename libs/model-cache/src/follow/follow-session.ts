import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { KnownCaches } from '../consistency/known-caches.js'
import type { OperatorLog } from '../consistency/operator-log.js'
import { ModelWriteUnit } from '../consistency/write-unit.js'
import { randomId } from '../consistency/token.js'
import { FollowError } from '../errors.js'
import type { Store } from '../store/store.js'
import { ChangeQueue, type QueuedChanges } from './change-queue.js'
import type { DatabaseLog, FollowProblem, Mandate, OpenLog } from './database-log.js'
import { type FollowerReport, type FollowWatch, reportMs } from './follow-watch.js'
import { type FollowedTables, followedTables, tableKey } from './followed-tables.js'
import type { LoggedChange } from './logged-change.js'
import { recordChange } from './record-change.js'

/** Counts what a follower does. */
export interface FollowObserver {
  /** A change has been read from the log. */
  events(kind: LoggedChange['kind'], count: number): void
  /** From COMMIT until the store has taken its invalidations. */
  lagSeconds(seconds: number): void
  /** This process follows now, after another one or after a gap. */
  takeovers(count: number): void
}

export interface FollowerDependencies {
  readonly database: DatabaseLog
  /** The same for all followers of the caches. */
  readonly namespace: string
  readonly known: KnownCaches
  /** That of the caches. */
  readonly store: Pick<Store, 'change' | 'getMany' | 'messages'>
  readonly watch: FollowWatch
  readonly observer: FollowObserver
  readonly log: OperatorLog
}

/** How often the catalogue is read while nothing is written. */
const catalogueMs = 1_000
/** After this time without an answer of the database, the log counts as lost. */
const deadMs = 20_000
/** How long a durable log is remembered in the store after it was opened. */
const followedMs = 30 * 24 * 60 * 60 * 1_000
/** How often transactions of before are looked for. */
const joinMs = 50
const visibleMs = 2
/** How often tables are tried again that could not be followed. */
const rejoinMs = 5_000
const firstRetryMs = 100
const lastRetryMs = 500
/** Changes that are worked off in one event-loop turn. */
const changesPerTurn = 500

export interface SessionListener {
  onFollowing(): void
  onProblems(problems: readonly FollowProblem[]): void
}

/** One mandate, from the election until the log ends or the mandate is lost. */
export class FollowSession {
  readonly #dependencies: FollowerDependencies
  readonly #mandate: Mandate
  readonly #stopped: AbortSignal
  readonly #listener: SessionListener
  readonly #queue: ChangeQueue
  readonly #over = new AbortController()
  #open: OpenLog | undefined
  #tables: FollowedTables = { tables: new Map(), unknown: [] }
  #tablesOf: unknown
  /** The tables whose changes the log has, by `tableKey`: nothing is cached of them that was written before it had them. */
  readonly #followed = new Set<string>()
  #joining: Joining | undefined
  /** When the set of tables was last compared with the publication. */
  #joinedAtMs = 0
  /** Of the mandate. */
  readonly #id = randomId()
  #state: 'opening' | 'resuming' | 'following' | 'resigned' = 'opening'
  /** Ends of the log that have not been confirmed, oldest first. */
  readonly #ends: { readonly position: bigint; readonly atMs: number }[] = []
  #aliveAtMs = performance.now()
  /** How far the clock of the database is ahead of `Date.now()`. */
  #aheadMs = 0
  #position = 0n
  #confirmed = 0n
  /** Up to which changes were committed before this session. */
  #resumesTo = 0n

  constructor(
    dependencies: FollowerDependencies,
    mandate: Mandate,
    stopped: AbortSignal,
    listener: SessionListener,
  ) {
    this.#dependencies = dependencies
    this.#mandate = mandate
    this.#stopped = stopped
    this.#listener = listener
    this.#queue = new ChangeQueue({
      pause: () => this.#open?.pause(),
      resume: () => this.#open?.resume(),
    })
  }

  /** @throws FollowError with the reason why it has ended */
  async run(): Promise<void> {
    const pulse = setInterval(() => void this.#pulse(), reportMs).unref()
    const stopped = new Promise<Error>((resolve) => {
      const end = (): void => resolve(new FollowError('it was stopped.'))
      if (this.#stopped.aborted) end()
      else this.#stopped.addEventListener('abort', end, { once: true })
    })
    const isDead = new Promise<Error>((resolve) => (this.#die = resolve))
    try {
      void this.#pulse()
      const ended = this.#follow().then(
        () => new FollowError('it was stopped.'),
        (error: unknown) => (error instanceof Error ? error : new FollowError(String(error))),
      )
      throw await Promise.race([ended, stopped, isDead, this.#mandate.lost])
    } finally {
      this.#over.abort()
      this.#queue.close()
      clearInterval(pulse)
      this.#state = 'resigned'
      await Promise.all([this.#publish(), this.#open?.close().catch(() => {})])
    }
  }

  #die!: (reason: Error) => void

  async #follow(): Promise<void> {
    const { observer } = this.#dependencies
    await this.#readCatalogue(false)
    this.#refreshTables()
    const open = await this.#mandate.open({
      tables: [...this.#tables.tables.values()],
      signal: this.#over.signal,
      onNew: (durable) => this.#forgetFollowed(durable),
      columnsOf: (table) => this.#tables.tables.get(tableKey(table))?.columns ?? new Set(),
      listener: {
        onChange: (change, transaction) => {
          observer.events(change.kind, 1)
          this.#queue.add(change, transaction)
        },
        onCommit: (position, transaction) => {
          this.#position = position
          this.#queue.commit(position, transaction)
        },
        onAlive: (position, atMs) => this.#noteAlive(position, atMs),
      },
    })
    this.#open = open
    if (this.#over.signal.aborted) return void (await open.close())
    void open.ended.then((reason) => this.#die(reason))
    const tables = this.#withoutProblems(open.problems)
    if (open.isNew || !(await this.#wereFollowed(open, tables))) {
      await this.#untilEnded(await this.#mandate.newTransaction())
      await this.#mandate.replicaHas?.(open.end)
      await this.#invalidateEverything()
    }
    await this.#noteFollowed(open, tables)
    this.#state = 'resuming'
    // Of a log that goes on, the changes of the time without a follower are on their way.
    this.#resumesTo = open.isNew ? 0n : open.end
    this.#followIfResumed()
    open.ask()
    while (!this.#over.signal.aborted) {
      const changes = await this.#queue.take(this.#joining ? joinMs : catalogueMs)
      if (changes) await this.#untilVisible(changes.transactions)
      await this.#readCatalogue(changes !== undefined)
      await this.#joinTables(open)
      if (changes) await this.#work(open, changes)
    }
  }

  #followIfResumed(): void {
    if (this.#state !== 'resuming' || this.#confirmed < this.#resumesTo) return
    const { database, log, observer } = this.#dependencies
    this.#state = 'following'
    observer.takeovers(1)
    this.#listener.onFollowing()
    log.info(`ModelCache: this process follows the writes to ${database.name}.`)
    void this.#pulse()
  }

  /** A committed transaction is in the log a moment before readers see it: until then, they could store what was there before. */
  async #untilVisible(transactions: ReadonlySet<number>): Promise<void> {
    for (;;) {
      const running = await this.#mandate.transactions()
      if (![...transactions].some((id) => running.has(id))) return
      await this.#pause(visibleMs)
    }
  }

  /** The changes of a transaction that began before a log, or before a table joined it, may be missing from it. */
  async #untilEnded(next: bigint): Promise<void> {
    while ((await this.#mandate.transactions()).oldest < next) await this.#pause(joinMs)
  }

  /** Whether the tables were followed through this log until it was left, so that what was written meanwhile is in it. */
  async #wereFollowed({ durable }: OpenLog, tables: readonly string[]): Promise<boolean> {
    if (durable === undefined) return false
    const noted = await this.#notedTables(durable)
    return tables.every((table) => noted.includes(noteOf(durable, table)))
  }

  async #notedTables(durable: string): Promise<readonly string[]> {
    const [text] = await this.#untilAnswered(() => this.#dependencies.store.getMany([this.#notesKey]))
    const entries = text?.split(';').at(-1)!.split(' ') ?? []
    return entries.map((entry) => entry.split('@')[0]!).filter((note) => note.startsWith(`${durable}:`))
  }

  async #noteFollowed({ durable }: OpenLog, tables: readonly string[]): Promise<void> {
    if (durable !== undefined)
      for (const table of tables) await this.#note(noteOf(durable, table), followedMs)
    for (const table of tables) this.#followed.add(table)
  }

  async #forgetFollowed(durable: string): Promise<void> {
    for (const note of await this.#notedTables(durable)) await this.#note(note, 0)
  }

  /** In the form of a register, which each store has. */
  async #note(note: string, lifeMs: number): Promise<void> {
    const join = { kind: 'join', fingerprint: note, lifeMs, markMs: 0 } as const
    await this.#untilAnswered(() => this.#dependencies.store.change(this.#notesKey, join))
  }

  get #notesKey(): string {
    return `${this.#dependencies.namespace}:{follow}:log`
  }

  async #work(open: OpenLog, { changes, committedAtMs, position }: QueuedChanges): Promise<void> {
    const { observer } = this.#dependencies
    const unit = this.#begin()
    for (const [i, change] of changes.entries()) {
      recordChange(unit, this.#tables, change)
      if (i % changesPerTurn === changesPerTurn - 1) await new Promise(setImmediate)
    }
    if (this.#mandate.replicaHas && position !== undefined) {
      await unit.fence()
      await this.#mandate.replicaHas(position)
    }
    await this.#end(unit)
    if (this.#over.signal.aborted) return
    if (position !== undefined) this.#confirm(open, position)
    if (committedAtMs !== undefined)
      observer.lagSeconds(Math.max(0, this.#databaseNow() - committedAtMs) / 1_000)
    this.#queue.done()
  }

  async #invalidateEverything(): Promise<void> {
    const unit = this.#begin()
    unit.markEverything('gap')
    await this.#end(unit)
  }

  #begin(): ModelWriteUnit {
    const { known } = this.#dependencies
    const caches = {
      all: () => known.all,
      of: (model: string) => known.of(model),
      ask: async () => ((await known.ask()) ? [] : [known]),
    }
    return new ModelWriteUnit(caches, 'log')
  }

  /** Resolves once the store has taken the invalidations. */
  async #end(unit: ModelWriteUnit): Promise<void> {
    await unit.end()
    await unit.fences.settled()
  }

  /**
   * Reads which caches there are: those that were described before a change was committed are among them. Later ones store nothing for a
   * while if there are changes: they may load rows from a replica that does not have these.
   */
  #readCatalogue(hasChanges: boolean): Promise<void> {
    const { catalogue } = this.#dependencies.known
    return this.#untilAnswered(() => (hasChanges ? catalogue.ask() : catalogue.read()))
  }

  /** Tries again until the store answers. */
  async #untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (let waitMs = firstRetryMs; ; waitMs = Math.min(waitMs * 2, lastRetryMs)) {
      try {
        return await ask()
      } catch {
        await this.#pause(waitMs)
      }
    }
  }

  #refreshTables(): boolean {
    const { caches } = this.#dependencies.known.catalogue
    if (this.#tablesOf === caches) return false
    this.#tablesOf = caches
    this.#tables = followedTables(caches)
    return true
  }

  /** Follows the tables of caches that are new in the catalogue, and tries those again that could not be followed. */
  async #joinTables(open: OpenLog): Promise<void> {
    const isDue = this.#followed.size + (this.#joining?.tables.size ?? 0) < this.#tables.tables.size
    const isRetry = isDue && performance.now() - this.#joinedAtMs > rejoinMs
    if (this.#refreshTables() || isRetry) {
      this.#joinedAtMs = performance.now()
      const { changed, problems } = await open.follow([...this.#tables.tables.values()])
      for (const table of changed) this.#followed.delete(table)
      const joining = this.#withoutProblems(problems).filter((table) => !this.#followed.has(table))
      if (joining.length > 0) {
        this.#joining = { tables: new Set(joining), next: await this.#mandate.newTransaction() }
      }
    }
    if (!this.#joining || (await this.#mandate.transactions()).oldest < this.#joining.next) return
    const end = await this.#mandate.end()
    if (end === undefined) return
    await this.#mandate.replicaHas?.(end)
    const { tables } = this.#joining
    this.#joining = undefined
    await this.#invalidateEverything()
    await this.#noteFollowed(open, [...tables])
  }

  /** Reports the problems, and returns the tables that are followed. */
  #withoutProblems(problems: readonly FollowProblem[]): string[] {
    const { tables, unknown } = this.#tables
    const refused = new Set(problems.filter(({ isFollowed }) => !isFollowed).map(({ table }) => table))
    for (const table of refused) this.#followed.delete(table)
    const names = [...new Set(unknown.map(({ name }) => name))]
    const unnamed = {
      table: '',
      isFollowed: true,
      message:
        `The caches ${names.join(', ')} do not say where the database has their rows: they load them by themselves, belong to another ` +
        'version of this library, or to a Prisma client that is not known. Writes past Prisma do not invalidate them.',
    }
    this.#listener.onProblems([...problems, ...(names.length > 0 ? [unnamed] : [])])
    return [...tables.keys()].filter((table) => !refused.has(table))
  }

  #noteAlive(position: bigint, atMs: number): void {
    this.#aliveAtMs = performance.now()
    this.#aheadMs = atMs - Date.now()
    this.#position = position
    // Nothing of the log concerned a cache: it need not be kept.
    if (this.#queue.isEmpty && this.#state !== 'opening' && this.#open) this.#confirm(this.#open, position)
  }

  #confirm(open: OpenLog, position: bigint): void {
    if (position <= this.#confirmed) return
    this.#confirmed = position
    open.confirm(position)
    while (this.#ends[0] && this.#ends[0].position <= position) this.#ends.shift()
    this.#followIfResumed()
  }

  #databaseNow(): number {
    return Date.now() + this.#aheadMs
  }

  /** Asks the database for a sign of life, and gives one to all processes. */
  async #pulse(): Promise<void> {
    const silentMs = performance.now() - this.#aliveAtMs
    if (this.#open) {
      this.#open.ask()
      if (silentMs > deadMs && !this.#queue.isPaused)
        this.#die(new FollowError('PostgreSQL does not answer on the replication stream.'))
    } else this.#aliveAtMs = performance.now()
    const atMs = performance.now()
    // Without an answer the mandate is lost.
    const position = await this.#mandate.end().catch(() => undefined)
    if (position !== undefined && position > this.#confirmed) this.#ends.push({ position, atMs })
    await this.#publish()
  }

  /** How long ago the oldest change may have been committed that the store has not taken. */
  get #lagMs(): number {
    const { oldestMs } = this.#queue
    const [end] = this.#ends
    return Math.max(
      0,
      oldestMs === undefined ? 0 : this.#databaseNow() - oldestMs,
      // What the database has not sent yet.
      end ? performance.now() - end.atMs : 0,
    )
  }

  async #publish(): Promise<void> {
    const { watch } = this.#dependencies
    const state = this.#state === 'resuming' ? 'opening' : this.#state
    const end = this.#ends.at(-1)?.position ?? this.#position
    const report: FollowerReport = {
      follower: this.#id,
      state,
      atMs: performance.now(),
      lagMs: this.#lagMs,
      lagBytes: this.#confirmed > 0n && end > this.#confirmed ? Number(end - this.#confirmed) : 0,
      caches: state === 'following' ? this.#followedCaches() : [],
    }
    await watch.publish(report).catch(() => {})
  }

  #followedCaches(): string[] {
    const layouts = this.#dependencies.known.catalogue.caches.flatMap(({ description, layout }) => {
      const { joins = [], models = [] } = description?.tables ?? {}
      const isFollowed = [...models, ...joins].every((table) => this.#followed.has(tableKey(table)))
      return description?.tables && isFollowed ? [layout] : []
    })
    return [...new Set(layouts)]
  }

  async #pause(ms: number): Promise<void> {
    if (this.#over.signal.aborted) throw new FollowError('it was stopped.')
    await delay(ms, undefined, { signal: this.#over.signal, ref: false }).catch(() => {})
  }
}

/** Tables that have joined the log. */
interface Joining {
  readonly tables: ReadonlySet<string>
  /** When all transactions with lower numbers have ended, the log has all changes of the tables. */
  readonly next: bigint
}

/** What the store remembers of a table and a durable log. */
function noteOf(durable: string, table: string): string {
  return `${durable}:${createHash('sha256').update(table).digest('base64url').slice(0, 16)}`
}
