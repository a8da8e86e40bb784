import { setTimeout as delay } from 'node:timers/promises'
import type { KnownCaches } from '../consistency/known-caches.js'
import type { OperatorLog } from '../consistency/operator-log.js'
import { ModelWriteUnit } from '../consistency/write-unit.js'
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
  readonly store: Pick<Store, 'change' | 'getMany'>
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
const firstRetryMs = 100
const lastRetryMs = 2_000
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
  /** The tables whose changes the log does not have. */
  #unfollowed: ReadonlySet<string> = new Set()
  #state: FollowerReport['state'] = 'opening'
  #aliveAtMs = performance.now()
  /** How far the clock of the database is ahead of `Date.now()`. */
  #aheadMs = 0
  #position = 0n
  #confirmed = 0n

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
      await Promise.all([this.#publish(0), this.#open?.close().catch(() => {})])
    }
  }

  #die!: (reason: Error) => void

  async #follow(): Promise<void> {
    const { database, log, observer } = this.#dependencies
    await this.#readCatalogue(false)
    this.#refreshTables()
    const open = await this.#mandate.open({
      tables: [...this.#tables.tables.values()],
      signal: this.#over.signal,
      columnsOf: (table) => this.#tables.tables.get(tableKey(table))?.columns ?? new Set(),
      listener: {
        onChange: (change, committedAtMs) => {
          observer.events(change.kind, 1)
          this.#queue.add(change, committedAtMs)
        },
        onCommit: (position, committedAtMs) => {
          this.#position = position
          this.#queue.commit(position, committedAtMs)
        },
        onAlive: (position, atMs) => this.#noteAlive(position, atMs),
      },
    })
    this.#open = open
    if (this.#over.signal.aborted) return void (await open.close())
    void open.ended.then((reason) => this.#die(reason))
    this.#noteProblems(open.problems)
    // What was written until now is unknown. Only after the log is being read: a change in between is in the log then.
    if (open.isGap || !(await this.#wasFollowed(open))) await this.#invalidateEverything()
    await this.#noteFollowed(open)
    this.#state = 'following'
    observer.takeovers(1)
    this.#listener.onFollowing()
    log.info(`ModelCache: this process follows the writes to ${database.name}.`)
    await this.#pulse()
    while (!this.#over.signal.aborted) {
      const changes = await this.#queue.take(catalogueMs)
      await this.#readCatalogue(changes !== undefined)
      await this.#followNewTables(open)
      if (changes) await this.#work(open, changes)
    }
  }

  /** Whether the caches were followed through this log until it was left, so that what was written meanwhile is in it. */
  async #wasFollowed({ durable }: OpenLog): Promise<boolean> {
    if (durable === undefined) return false
    const [text] = await this.#untilAnswered(() => this.#dependencies.store.getMany([this.#logKey]))
    return (
      text
        ?.split(';')
        .at(-1)!
        .split(' ')
        .some((entry) => entry.startsWith(`${durable}@`)) ?? false
    )
  }

  /** In the form of a register, which each store has. */
  async #noteFollowed({ durable }: OpenLog): Promise<void> {
    if (durable === undefined) return
    const join = { kind: 'join', fingerprint: durable, lifeMs: followedMs, markMs: 0 } as const
    await this.#untilAnswered(() => this.#dependencies.store.change(this.#logKey, join))
  }

  get #logKey(): string {
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
      if (this.#over.signal.aborted) throw new FollowError('it was stopped.')
      try {
        return await ask()
      } catch {
        await delay(waitMs, undefined, { signal: this.#over.signal, ref: false }).catch(() => {})
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

  /** Tables of caches that are new in the catalogue. */
  async #followNewTables(open: OpenLog): Promise<void> {
    if (!this.#refreshTables()) return
    const { added, problems } = await open.follow([...this.#tables.tables.values()])
    this.#noteProblems(problems)
    // The log does not have what was written to them before.
    if (added.length > 0) await this.#invalidateEverything()
  }

  #noteProblems(problems: readonly FollowProblem[]): void {
    this.#unfollowed = new Set(problems.filter(({ isFollowed }) => !isFollowed).map(({ table }) => table))
    const { unknown } = this.#tables
    const names = [...new Set(unknown.map(({ name }) => name))]
    const unnamed = {
      table: '',
      isFollowed: true,
      message:
        `The caches ${names.join(', ')} do not say where the database has their rows: they load them by themselves, belong to another ` +
        'version of this library, or to a Prisma client that is not known. Writes past Prisma do not invalidate them.',
    }
    this.#listener.onProblems([...problems, ...(names.length > 0 ? [unnamed] : [])])
  }

  #noteAlive(position: bigint, atMs: number): void {
    this.#aliveAtMs = performance.now()
    this.#aheadMs = atMs - Date.now()
    this.#position = position
    // Nothing of the log concerned a cache: it need not be kept.
    if (this.#queue.isEmpty && this.#state === 'following' && this.#open) this.#confirm(this.#open, position)
  }

  #confirm(open: OpenLog, position: bigint): void {
    if (position <= this.#confirmed) return
    this.#confirmed = position
    open.confirm(position)
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
    const { oldestMs } = this.#queue
    const behindMs = oldestMs === undefined ? 0 : this.#databaseNow() - oldestMs
    const lagMs = Math.max(0, behindMs, silentMs > 2 * reportMs && this.#state === 'following' ? silentMs : 0)
    await this.#publish(lagMs)
  }

  async #publish(lagMs: number): Promise<void> {
    const { watch } = this.#dependencies
    const report: FollowerReport = {
      follower: watch.id,
      state: this.#state,
      lagMs,
      lagBytes: Number(this.#position > this.#confirmed ? this.#position - this.#confirmed : 0n),
      caches: this.#state === 'following' ? this.#followedCaches() : [],
    }
    await watch.publish(report).catch(() => {})
  }

  #followedCaches(): string[] {
    const { caches } = this.#dependencies.known.catalogue
    const layouts = new Set(
      caches.flatMap(({ description, layout }) => {
        const { joins = [], models = [] } = description?.tables ?? {}
        const tables = [...models, ...joins].map(tableKey)
        return description?.tables && !tables.some((table) => this.#unfollowed.has(table)) ? [layout] : []
      }),
    )
    return this.#tablesOf === caches ? [...layouts] : []
  }
}
