import { setTimeout as delay } from 'node:timers/promises'
import {
  DatabaseEntries,
  FencedWriteUnit,
  type FollowerReport,
  randomId,
  tableKey,
} from 'model-cache/internal'
import { followError } from './errors.js'
import { ChangeQueue, type QueuedChanges } from './change-queue.js'
import { Confirmations } from './confirmations.js'
import type { FollowProblem, Leadership, OpenLog } from './database-log.js'
import type { FollowContext } from './follow-context.js'
import { reportMs } from './follow-watch.js'
import { JoinedTables } from './joined-tables.js'
import { type Gap, LogBookmark, readNote } from './log-bookmark.js'
import { LogProgress } from './log-progress.js'
import { recordAll, recordChange } from './record-change.js'

/** How often the catalogue is read while nothing is written. */
const catalogueMs = 1_000
/**
 * After this time without an answer of the database, the log counts as lost. After this time without one of the store, nobody hears this
 * session, and another process may be heard.
 */
const deadMs = 20_000
/** How often transactions of before are looked for. */
const joinMs = 50
const visibleMs = 2
const firstRetryMs = 100
const lastRetryMs = 500
/** Changes that are worked off in one event-loop turn. */
const changesPerTurn = 500

export interface SessionListener {
  onFollowing(): void
  onProblems(problems: readonly FollowProblem[]): void
}

/** The work of the leader, from its election until the log ends or the leadership is lost. */
export class FollowSession {
  readonly #context: FollowContext
  readonly #leadership: Leadership
  readonly #stopped: AbortSignal
  readonly #listener: SessionListener
  readonly #queue: ChangeQueue
  readonly #storeId: string
  readonly #processes: DatabaseEntries
  #comparedAtMs = -Infinity
  readonly #progress: LogProgress
  readonly #over = new AbortController()
  /** Why it cannot go on, as soon as that is known. */
  readonly #death = Promise.withResolvers<Error>()
  #open: OpenLog | undefined
  /** The bookmark of a durable log. */
  #bookmark: LogBookmark | undefined
  #confirmations: Confirmations | undefined
  readonly #tables: JoinedTables
  /** Identifies this leadership. */
  readonly #id = randomId()
  #state: 'opening' | 'resuming' | 'following' | 'resigned' = 'opening'
  /** When the store took a report last. */
  #heardAtMs = performance.now()
  /** Whether the database is being asked if tables have changed. */
  #isComparing = false
  /** Up to which changes were committed before this session. */
  #resumesTo = 0n

  constructor(
    context: FollowContext,
    leadership: Leadership,
    storeId: string,
    stopped: AbortSignal,
    listener: SessionListener,
  ) {
    this.#context = context
    this.#leadership = leadership
    this.#storeId = storeId
    this.#processes = new DatabaseEntries(context.store, context.namespace)
    this.#stopped = stopped
    this.#listener = listener
    this.#progress = new LogProgress((from, to) => leadership.bytesBetween(from, to))
    this.#tables = new JoinedTables(context, leadership, (problems) => listener.onProblems(problems))
    this.#queue = new ChangeQueue({
      pause: () => this.#open?.pause(),
      resume: () => {
        // Nothing was read meanwhile.
        this.#progress.noteAlive()
        this.#open?.resume()
      },
    })
  }

  /** @throws ModelCacheError (`E_FOLLOW`) with the reason why it has ended */
  async run(): Promise<void> {
    const pulse = setInterval(() => void this.#pulse(), reportMs).unref()
    const stop = (): void => this.#death.resolve(followError('it was stopped.'))
    if (this.#stopped.aborted) stop()
    this.#stopped.addEventListener('abort', stop, { signal: this.#over.signal })
    try {
      void this.#pulse()
      this.#follow().then(stop, this.#fail)
      throw await Promise.race([this.#death.promise, this.#leadership.lost])
    } finally {
      this.#over.abort()
      this.#queue.close()
      clearInterval(pulse)
      this.#state = 'resigned'
      await Promise.all([this.#publish(), this.#open?.close().catch(() => {})])
    }
  }

  async #follow(): Promise<void> {
    const { namespace, observer, store } = this.#context
    await this.#readCatalogue(false)
    const { wanted } = this.#tables
    const open = await this.#leadership.open({
      tables: [...wanted.tables.values()],
      signal: this.#over.signal,
      onProblems: (problems) => this.#listener.onProblems(problems),
      noteOf: (durable) => this.#untilAnswered(() => readNote(store, namespace, durable)),
      columnsOf: (table) => this.#tables.wanted.tables.get(tableKey(table))?.columns ?? new Set(),
      listener: {
        onChange: (change, transaction) => {
          observer.events(change.kind, 1)
          this.#queue.add(change, transaction)
        },
        onCommit: (position, transaction) => this.#queue.commit(position, transaction),
        onAlive: (position, atMs) => this.#noteAlive(position, atMs),
      },
    })
    if (this.#over.signal.aborted) return void (await open.close())
    this.#open = open
    // Whether it is the log of a standby is known now.
    await this.#compareDatabases()
    if (this.#over.signal.aborted) return
    void open.ended.then((reason) => this.#death.resolve(reason))
    const tables = this.#tables.opened(open, wanted)
    this.#bookmark = this.#bookmarkOf(open)
    this.#confirmations = new Confirmations(this.#bookmark ?? open, this.#over.signal)
    const gap = open.isNew || !this.#bookmark ? 'everything' : await this.#bookmark.gapOf(tables)
    if (gap === 'everything' || gap.length > 0) {
      await this.#untilEnded(await this.#leadership.newTransaction())
      await this.#close(gap)
    }
    await this.#noteFollowed(tables)
    this.#state = 'resuming'
    // If the log goes on, the changes of the time without a follower are on their way.
    this.#resumesTo = open.isNew ? 0n : open.end
    this.#followIfResumed()
    open.ask()
    let working = Promise.resolve()
    while (!this.#over.signal.aborted) {
      const changes = await this.#queue.take(this.#tables.isJoining ? joinMs : catalogueMs)
      // Meanwhile the store takes those before.
      if (changes) await this.#untilVisible(changes.transactions)
      await working
      if (!changes) await this.#readCatalogue(false)
      await this.#joinTables(open)
      if (!changes) continue
      working = this.#work(changes)
      working.catch(this.#fail)
    }
  }

  readonly #fail = (error: unknown): void =>
    this.#death.resolve(error instanceof Error ? error : followError(String(error)))

  #followIfResumed(): void {
    if (this.#state !== 'resuming' || this.#progress.confirmed < this.#resumesTo) return
    const { database, log, observer } = this.#context
    this.#state = 'following'
    observer.takeovers(1)
    this.#listener.onFollowing()
    log.info(`ModelCache: this process follows the writes to ${database.name}.`)
    void this.#pulse()
  }

  /** A committed transaction is in the log a moment before readers see it: until then, they could store what was there before. */
  async #untilVisible(transactions: ReadonlySet<number>): Promise<void> {
    for (;;) {
      const running = await this.#leadership.transactions()
      if (![...transactions].some((id) => running.has(id))) return
      await this.#pause(visibleMs)
    }
  }

  /** The changes of a transaction that began before a log, or before a table joined it, may be missing from it. */
  async #untilEnded(next: bigint): Promise<void> {
    while ((await this.#leadership.transactions()).oldest < next) await this.#pause(joinMs)
  }

  #bookmarkOf(open: OpenLog): LogBookmark | undefined {
    const { namespace, store } = this.#context
    if (open.durable === undefined) return undefined
    return new LogBookmark(store, namespace, open.durable, open, (ask) => this.#untilAnswered(ask))
  }

  async #noteFollowed(tables: readonly string[]): Promise<void> {
    this.#tables.add(tables)
    await this.#bookmark?.follow(this.#tables.followed)
  }

  /** Call it once readers see the changes: a cache that is described after the answer of the catalogue loads no older rows. */
  async #work(changes: QueuedChanges): Promise<void> {
    const { namespaceCaches, observer } = this.#context
    // Again if there are caches now that were not known.
    for (let caches: unknown; caches !== namespaceCaches.catalogue.caches;) {
      caches = namespaceCaches.catalogue.caches
      await Promise.all([this.#readCatalogue(true), this.#invalidate(changes)])
    }
    if (this.#over.signal.aborted) return
    const { committedAtMs, position } = changes
    if (position !== undefined) this.#confirm(position)
    if (committedAtMs !== undefined) observer.lagSeconds(this.#progress.msSince(committedAtMs) / 1_000)
    this.#queue.done()
  }

  async #invalidate({ changes, position }: QueuedChanges): Promise<void> {
    const unit = new FencedWriteUnit(this.#context.namespaceCaches, 'log')
    for (const [i, change] of changes.entries()) {
      recordChange(unit, this.#tables.wanted, change)
      if (i % changesPerTurn === changesPerTurn - 1) await new Promise(setImmediate)
    }
    if (this.#leadership.hasReplica) {
      await unit.fence()
      // A part of a transaction is committed as well, before the end of the log.
      await this.#leadership.replicaHas(position ?? (await this.#endOfLog()))
    }
    await untilTaken(unit)
  }

  /** Empties the caches that may have missed changes, once all of these can be seen. */
  async #close(gap: Gap): Promise<void> {
    if (this.#leadership.hasReplica) await this.#leadership.replicaHas(await this.#endOfLog())
    // Caches that were described meanwhile may have stored rows of before; later ones load what there is now.
    await this.#readCatalogue(true)
    const unit = new FencedWriteUnit(this.#context.namespaceCaches, 'log')
    if (gap === 'everything') unit.markEverything('gap')
    else recordAll(unit, this.#tables.wanted, gap)
    await untilTaken(unit)
  }

  /**
   * Reads which caches there are: those that were described before a change was committed are among them. Later ones store nothing for a
   * while if there are changes: they may load rows from a replica that does not have these.
   *
   * @throws ModelCacheError (`E_FOLLOW`) if the store is another one, or if caches are of another database
   */
  async #readCatalogue(hasChanges: boolean): Promise<void> {
    const { catalogue } = this.#context.namespaceCaches
    await this.#untilAnswered(() => (hasChanges ? catalogue.ask() : catalogue.read()))
    // Another process may follow for what the store is now.
    if (catalogue.epoch !== this.#storeId)
      throw followError('the store has lost what it held, or another one has taken its place.')
    if (performance.now() - this.#comparedAtMs > catalogueMs) await this.#compareDatabases()
  }

  /** Processes that read another database would take it for followed. @throws ModelCacheError (`E_FOLLOW`) */
  async #compareDatabases(): Promise<void> {
    const { database } = this.#leadership
    if (database === undefined) return
    const { ofPrimary, others } = await this.#untilAnswered(() => this.#processes.readersBeside(database))
    this.#comparedAtMs = performance.now()
    if (others.length > 0)
      throw followError(
        `namespace "${this.#context.namespace}" is in use by processes that read ${others.join(' and ')}, and \`follow\` leads to ` +
          'another database. Give it the address of theirs.',
      )
    if (this.#leadership.isStandby && ofPrimary.length > 0)
      throw followError(
        `processes load rows from the primary, ${ofPrimary.join(' and ')}, and \`follow\` leads to a standby, which may have a commit ` +
          'before readers of the primary see it. Give forRoot the client of the standby.',
      )
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

  async #joinTables(open: OpenLog): Promise<void> {
    const joined = await this.#tables.join(open)
    if (!joined) return
    await this.#close(joined)
    await this.#noteFollowed(joined)
  }

  #noteAlive(position: bigint, atMs: number): void {
    this.#progress.noteAlive(atMs)
    // Nothing of the log concerned a cache: it need not be kept.
    if (this.#queue.isEmpty && this.#state !== 'opening') this.#confirm(position)
  }

  #confirm(position: bigint): void {
    if (!this.#progress.confirm(position)) return
    this.#confirmations?.add(position)
    this.#followIfResumed()
  }

  /** Asks the database for a sign of life, and gives one to all processes. */
  async #pulse(): Promise<void> {
    if (this.#open) {
      this.#open.ask()
      if (this.#progress.silentMs > deadMs && !this.#queue.isPaused)
        this.#death.resolve(followError('the database does not answer on the replication stream.'))
    } else this.#progress.noteAlive()
    // Before the end of a standby's own log, which lacks no more of it then than it lags behind.
    await this.#leadership.askPrimary?.()
    const atMs = performance.now()
    // Without an answer the leadership is lost.
    const end = await this.#leadership.end().catch(() => undefined)
    if (end !== undefined) this.#progress.noteEnd(end, atMs)
    if (await this.#haveTablesChanged()) {
      this.#tables.suspect()
      this.#queue.wake()
    }
    await this.#publish()
  }

  /** Once at a time: of a database that is slower than the pulse, ever more questions would wait, and those of changes behind them. */
  async #haveTablesChanged(): Promise<boolean> {
    if (!this.#open || this.#isComparing) return false
    this.#isComparing = true
    const hasChanged = await this.#open.hasChanged().catch(() => false)
    this.#isComparing = false
    return hasChanged
  }

  async #publish(): Promise<void> {
    const { watch } = this.#context
    const state = this.#state === 'resuming' ? 'opening' : this.#state
    const progress = this.#progress
    const behind = this.#leadership.behind?.(progress.confirmed)
    const report: FollowerReport = {
      follower: this.#id,
      state,
      atMs: performance.now(),
      lagMs: behind
        ? Math.max(progress.unconfirmedMs, behind.ofStoreMs - behind.ofStandbyMs)
        : progress.lagMs(this.#queue.oldestMs),
      lagBytes: progress.lagBytes,
      isStandby: this.#leadership.isStandby ?? false,
      standbyLagMs: behind?.ofStandbyMs ?? null,
      caches: state === 'following' ? this.#tables.followedCaches : [],
    }
    const isHeard = await watch.publish(report).then(
      () => true,
      () => false,
    )
    if (isHeard) this.#heardAtMs = performance.now()
    else if (performance.now() - this.#heardAtMs > deadMs)
      this.#death.resolve(followError('the store does not take its reports.'))
  }

  async #endOfLog(): Promise<bigint> {
    for (;;) {
      const end = await this.#leadership.end()
      if (end !== undefined) return end
      await this.#pause(visibleMs)
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#over.signal.aborted) throw followError('it was stopped.')
    await delay(ms, undefined, { signal: this.#over.signal, ref: false }).catch(() => {})
  }
}

/** Invalidates, and resolves when the store has taken all of it. */
async function untilTaken(unit: FencedWriteUnit): Promise<void> {
  await unit.end()
  await unit.fences.settled()
}
