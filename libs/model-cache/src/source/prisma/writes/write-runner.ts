import type { WriteEnd, WriteUnit } from '../../write-coordinator.js'
import { copyArguments } from '../copy-arguments.js'
import {
  type ArrayTransaction,
  bareClientOf,
  type CallbackTransaction,
  type HookCall,
  type ClientMethods,
  type PrismaPromise,
  type PrismaTransaction,
  providerOf,
  type QueryParams,
  transactionOf,
  watchEnd,
} from '../internals.js'
import { hasLockingReads } from '../locking-reads.js'
import { isRead } from '../operations.js'
import { type SharedConnection, sharedConnectionOf } from '../shared-connection.js'
import { performWrite } from './perform-write.js'
import { beginsWithoutLock, deleteNothing } from './lock-rows.js'
import { createPlanner, type PlannedQuery } from './create-planner.js'
import type { WritePlanning } from './planning.js'
import { readsFirst } from './reads-first.js'
import { endAfter, isConflict, mayCommitPart, mayHaveEnded } from './write-end.js'
import type { WriteContext } from './write-context.js'
import { needsTransaction, type WritePlan } from './write-plan.js'

/** Makes sure that every write of a client is announced, fenced, committed and ended, in this order. */
export class WriteRunner {
  readonly #planning: WritePlanning
  readonly #plan: ReturnType<typeof createPlanner>
  readonly #methods: ClientMethods
  readonly #bareClient: object
  readonly #provider: string
  readonly #beginsWithoutLock: boolean
  /** Undefined if transactions have connections of their own. */
  readonly #connection: SharedConnection | undefined
  /** For a transaction around a single write. */
  readonly #ownOptions: object
  /** Running interactive transactions, by id. */
  readonly #transactions = new Map<PrismaTransaction['id'], RunningTransaction>()
  /** Running batches, by id. */
  readonly #batches = new Map<PrismaTransaction['id'], Batch>()

  /**
   * @param methods the client's own, which lead to the database
   * @param timeoutMs of the runner's own transactions
   */
  constructor(client: object, methods: ClientMethods, planning: WritePlanning, timeoutMs: number) {
    this.#planning = planning
    this.#plan = createPlanner(planning)
    this.#methods = methods
    this.#bareClient = bareClientOf(client)
    this.#provider = providerOf(client)
    this.#beginsWithoutLock = beginsWithoutLock(client)
    this.#connection = sharedConnectionOf(client)
    // Whatever the client's default is: a statement alone never conflicts with a snapshot. MySQL would lock the gaps between rows
    // otherwise, in which others want to insert.
    const isolation = !serializableOnly.has(this.#provider) && { isolationLevel: 'ReadCommitted' }
    this.#ownOptions = { timeout: timeoutMs, maxWait: longestWaitMs, ...isolation }
  }

  /** Runs a query that may write. */
  async run(call: HookCall): Promise<unknown> {
    const preparing = this.#planning.coordinator.prepare()
    if (preparing) await preparing
    // No plan means that no known cache is affected. The fence checks whether that is still so.
    const plan = this.#plan(call)
    const { transaction } = call.params
    if (!transaction) return this.#runAlone(plan, call)
    const running = this.#transactions.get(transaction.id)
    if (running) return this.#runInTransaction(plan, call, transaction, running)
    return transaction.kind === 'batch'
      ? this.#runInBatch(plan, call, transaction)
      : this.#runInUnknown(plan, call)
  }

  /** The running transaction that a query of {@link transactArray} belongs to; that of any other query is what it says itself. */
  transactionOf({ transaction }: QueryParams): PrismaTransaction | undefined {
    const running = transaction && this.#transactions.get(transaction.id)
    return running?.transaction ?? transaction
  }

  /** Passes on the result of a read or of raw SQL in a transaction, whose callback may catch its error. */
  watch(transaction: PrismaTransaction, result: Promise<unknown>): Promise<unknown> {
    const running = this.#transactions.get(transaction.id)
    return running ? this.#watch(running, result) : result
  }

  /** `$transaction` of a callback, for any client. */
  transactCallback(client: object, transaction: CallbackTransaction): Promise<unknown> {
    // A savepoint of a running transaction. Fencing what it rolls back does no harm.
    if (transactionOf(client)) return this.#methods.transactCallback.call(client, transaction)
    const { callback, options } = transaction
    return this.#runTransaction(client, options, (unit, _, tx) =>
      this.#planning.coordinator.within(unit, tx, async () => callback(tx)),
    )
  }

  /** `$transaction` of an array, for any client. Prisma runs it as a separate transaction, even on the client of another one. */
  async transactArray(client: object, transaction: ArrayTransaction): Promise<unknown> {
    const { promises, options } = transaction
    const writes = Array.isArray(promises) && promises.every(isPrismaPromise) ? promises.filter(isWrite) : []
    if (writes.length > 0) await this.#planning.coordinator.prepare()
    if (!writes.some((query) => this.#needsResult(query)))
      return this.#holding(() => this.#methods.transactArray.call(client, transaction))
    // In sequence, so that each returns what it wrote.
    // Prisma sends a single query without a transaction.
    const own = promises.length === 1 ? this.#ownOptions : options
    return this.#runTransaction(this.#bareClient, own, async (_, { id }) => {
      const results: unknown[] = []
      for (const query of promises) results.push(await query.requestTransaction(batchIn(id)))
      return results
    })
  }

  async #runAlone(plan: WritePlan | undefined, call: HookCall): Promise<unknown> {
    // A transaction of its own would wait for that of the callback, which waits for the write.
    const isHeld = this.#connection?.isHeldByCaller
    if (plan && needsTransaction(plan) && !isHeld) {
      return repeated(() =>
        this.#runTransaction(this.#bareClient, this.#ownOptions, (unit, transaction) =>
          performWrite({ ...this.#contextOf(transaction, unit), mayReadSnapshot: false }, plan, call),
        ),
      )
    }
    const unit = this.#planning.coordinator.begin()
    let end: WriteEnd = 'known'
    try {
      if (plan) announceAll(plan, unit)
      else unit.noteWrite()
      const own = plan && !isHeld && this.#readsFirst(call) ? this.#lockedFirst(call) : call
      return await this.#holding(() => runFenced(unit, own, (seen) => (end = seen)))
    } finally {
      void this.#endAlone(plan, unit, end)
    }
  }

  /** Whether a transaction has to take the lock before Prisma reads. */
  #readsFirst(query: PlannedQuery): boolean {
    return this.#beginsWithoutLock && readsFirst(this.#planning, query)
  }

  /** The same write, in a transaction that takes the lock before. */
  #lockedFirst(call: HookCall): HookCall {
    const callback = async (tx: object): Promise<unknown> => {
      const transaction = transactionOf(tx)!
      await deleteNothing(transaction, call)
      return call.query(call.args, { ...call.params, transaction })
    }
    const options = this.#ownOptions
    const query = () =>
      repeated(() => this.#methods.transactCallback.call(this.#bareClient, { callback, options }))
    return { ...call, query }
  }

  /** Ends a write that had no transaction. On a connection that it shares, it is committed with the transactions that are open there. */
  #endAlone(plan: WritePlan | undefined, unit: WriteUnit, end: WriteEnd): Promise<void> {
    if (!this.#connection) return unit.end(end)
    if (plan) for (const { partial } of this.#transactions.values()) partial.push(plan)
    return this.#connection.ended().then(() => unit.end(end))
  }

  #holding<T>(work: () => Promise<T>): Promise<T> {
    return this.#connection ? this.#connection.run(work) : work()
  }

  /** A query of a callback, which may catch its error. */
  async #runInTransaction(
    plan: WritePlan | undefined,
    call: HookCall,
    transaction: PrismaTransaction,
    running: RunningTransaction,
  ): Promise<unknown> {
    const { partial, unit } = running
    if (running.mayHaveEnded && plan) {
      // If the transaction goes on after all, its COMMIT comes later than the end of the write's own unit.
      partial.push(plan)
      return this.#runInUnknown(plan, call)
    }
    if (!plan) {
      unit.noteWrite()
      return this.#watch(running, call.query(call.args))
    }
    try {
      return await this.#watch(running, performWrite(this.#contextOf(transaction, unit), plan, call))
    } catch (error) {
      if (mayCommitPart(error, this.#provider)) partial.push(plan)
      throw error
    }
  }

  /** Passes on the result of a query, whose error may have ended the transaction. */
  async #watch<Result>(running: RunningTransaction, result: PromiseLike<Result>): Promise<Result> {
    try {
      return await result
    } catch (error) {
      if (mayHaveEnded(error, this.#provider)) running.mayHaveEnded = true
      throw error
    }
  }

  /** A query of a batch. It runs as it is; rows that its arguments do not show count as all rows. */
  async #runInBatch(
    plan: WritePlan | undefined,
    call: HookCall,
    { id }: PrismaTransaction,
  ): Promise<unknown> {
    const batch = this.#batches.get(id) ?? new Batch(this.#planning.coordinator.begin())
    const { unit } = batch
    this.#batches.set(id, batch)
    let end: WriteEnd = 'known'
    try {
      if (plan) announceAll(plan, unit)
      else unit.noteWrite()
      // The other queries of the batch announce their rows in the same turn, so that one fence serves all.
      await Promise.resolve()
      return await runFenced(unit, call, (seen) => (end = seen))
    } finally {
      this.#batches.delete(id)
      void batch.end(end)
    }
  }

  /** A query of a transaction that the runner does not know, for example one whose callback ended before its queries. */
  async #runInUnknown(plan: WritePlan | undefined, call: HookCall): Promise<unknown> {
    const unit = this.#planning.coordinator.begin()
    try {
      if (plan) announceAll(plan, unit)
      else unit.noteWrite()
      await unit.fence()
      return await call.query(call.args)
    } finally {
      void unit.end('unknown')
    }
  }

  /** Runs a transaction as one unit: fenced right before COMMIT, ended after it. */
  async #runTransaction<Result>(
    client: object,
    options: object | undefined,
    work: (unit: WriteUnit, transaction: PrismaTransaction, tx: object) => Promise<Result>,
  ): Promise<Result> {
    const unit = this.#planning.coordinator.begin()
    const callback = async (tx: object): Promise<Result> => {
      const transaction = transactionOf(tx)!
      const partial: WritePlan[] = []
      this.#transactions.set(transaction.id, { transaction, unit, partial, mayHaveEnded: false })
      try {
        const result = await work(unit, transaction, tx)
        for (const plan of partial) announceAll(plan, unit)
        await unit.fence()
        return result
      } finally {
        this.#transactions.delete(transaction.id)
      }
    }
    let end: WriteEnd = 'unknown'
    const watched = watchEnd(client, (action, error) => {
      if (error === undefined || (action === 'commit' && endAfter(error) === 'known')) end = 'known'
    })
    try {
      return await this.#holding(
        async () => (await this.#methods.transactCallback.call(watched, { callback, options })) as Result,
      )
    } finally {
      void unit.end(end)
    }
  }

  #contextOf(transaction: PrismaTransaction, unit: WriteUnit): WriteContext {
    const bareClient = this.#bareClient
    const mayReadSnapshot = hasLockingReads(bareClient)
    return { planning: this.#planning, bareClient, transaction, unit, mayReadSnapshot }
  }

  /** Whether only running a query of a batch shows the rows that it writes, or it needs a lock before. */
  #needsResult({ spec }: PrismaPromise): boolean {
    if (spec?.model === undefined) return false
    const call = { model: spec.model, operation: spec.action, ...copyArguments(spec.args) }
    const plan = this.#plan(call)
    return plan !== undefined && (needsTransaction(plan) || this.#readsFirst(call))
  }
}

interface RunningTransaction {
  readonly transaction: PrismaTransaction
  readonly unit: WriteUnit
  /**
   * Writes whose rows COMMIT may commit, all or some of them: those that have failed, and those of others on the same connection. A
   * rollback needs no marks for them.
   */
  readonly partial: WritePlan[]
  /** Whether the database may have ended the transaction, so that it commits each further statement at once. */
  mayHaveEnded: boolean
}

/** The queries of one batch end together: the first one to end also ends the unit. */
class Batch {
  readonly unit: WriteUnit
  #ended: Promise<void> | undefined

  constructor(unit: WriteUnit) {
    this.unit = unit
  }

  end(end: WriteEnd): Promise<void> {
    return (this.#ended ??= this.unit.end(end))
  }
}

/** Announces the rows that the arguments show, and unknown ones where they do not. */
function announceAll(plan: WritePlan, unit: WriteUnit): void {
  plan.affected.announceTo(unit)
  for (const { model, reason, areNew } of plan.furtherRows) {
    if (areNew) unit.markCreated(model, reason)
    else unit.markAllWritten(model, reason)
  }
  if (plan.unknown === 'any') unit.markAllWritten(plan.model, 'unknown')
  else if (plan.unknown === 'created') unit.markCreated(plan.model, 'unknown')
  else if (plan.entering) unit.markJoined(plan.model, [{}], plan.entering.changed)
}

/** Fences the rows of a unit, then runs the query. */
async function runFenced(
  unit: WriteUnit,
  call: HookCall,
  onError: (end: WriteEnd) => void,
): Promise<unknown> {
  await unit.fence()
  try {
    return await call.query(call.args)
  } catch (error) {
    onError(endAfter(error))
    throw error
  }
}

/** Databases that have no READ COMMITTED, or whose clients refuse it. */
const serializableOnly = new Set(['sqlite', 'cockroachdb'])

/** The longest time of a timer. How long a query waits for a connection is the pool's own business. */
const longestWaitMs = 2 ** 31 - 1

/**
 * A transaction of a batch, by the id of the interactive one that runs it. Prisma runs a promise once if it has no transaction or an
 * interactive one, and as often as it is requested in batches.
 */
function batchIn(id: PrismaTransaction['id']): PrismaTransaction {
  return { kind: 'batch', id, index: 0, lock: Promise.resolve() }
}

/** How often a transaction of the runner is begun that the database ends for the sake of others. */
const attempts = 10

/** Repeats a transaction that a deadlock has undone. Its one write, without the transaction, would have taken part in fewer of them. */
async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error
    }
  }
}

function isWrite({ spec }: PrismaPromise): boolean {
  return spec !== undefined && !isRead(spec.action)
}

function isPrismaPromise(value: unknown): value is PrismaPromise {
  const { requestTransaction, [Symbol.toStringTag]: tag } = (value ?? {}) as Partial<PrismaPromise>
  return tag === 'PrismaPromise' && typeof requestTransaction === 'function'
}
