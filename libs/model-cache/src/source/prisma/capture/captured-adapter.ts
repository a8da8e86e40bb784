import { AsyncLocalStorage } from 'node:async_hooks'
import type { AffectedRows } from '../../affected-rows.js'
import type { WriteEnd, WriteUnit } from '../../write-coordinator.js'
import {
  type Adapter,
  plainQuery,
  type Queryable,
  sendTo,
  type SqlQuery,
  type Transaction,
} from './adapter.js'
import { unknownWriting, type Writing } from './readings.js'
import { isUndone } from './undone.js'
import type { Plan, WriteCapture } from './write-capture.js'
import { ignoresTransactions, refusesTransactions } from './without-transactions.js'
import {
  endAfter,
  isConflict,
  mayHaveEnded,
  refusedReference,
  refuseCommit,
  RefusedCommit,
} from './write-end.js'
import { takeWriteLock } from './write-lock.js'

/** What the client knows of a transaction. */
export interface Beginning {
  /** Whether it is that of a callback, which runs within the unit. */
  readonly isOfCallback?: boolean
  /** The unit of the callback, once its transaction is being begun. */
  unit?: WriteUnit
  /** A table of SQLite by which it takes the write lock before it reads, as a write of Prisma is running. */
  readonly lockedTable?: string | undefined
}

export const beginnings = new AsyncLocalStorage<Beginning>()

/** Has all that a driver adapter sends announce what it writes. */
export function captureAdapter(adapter: Adapter, captureOf: () => WriteCapture | undefined): Adapter {
  const captured = new CapturedAdapter(adapter, captureOf)
  return facade(adapter, {
    queryRaw: (query) => captured.send(query, true),
    executeRaw: (query) => captured.send(query, false),
    startTransaction: (level) => captured.begin(level),
  })
}

/** An object with some members of its own, whose others are those of another one. */
export function facade<T extends object>(inner: T, own: Partial<T>): T {
  return new Proxy(inner, {
    get(target, name) {
      if (name in own) return own[name as keyof T]
      const value: unknown = Reflect.get(target, name)
      // Methods may use private fields.
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
    // Others may replace its own members by functions that call them.
    set: (target, name, value) => Reflect.set(name in own ? own : target, name, value),
  })
}

class CapturedAdapter {
  readonly #adapter: Adapter
  readonly #captureOf: () => WriteCapture | undefined
  /** The open transactions, if all statements share one connection. */
  readonly #open = new Set<CapturedTransaction>()
  /** The transaction of a single statement on a shared connection, which no other one may join. */
  #own: Promise<unknown> | undefined
  /** Whether the transactions of the adapter are none. */
  #ignoresTransactions: boolean
  /** Whether somebody has begun a transaction in SQL. One of the library's own might join it, and commit it. */
  #isBegun = false
  /** The transactions that are about to begin on that connection. */
  readonly #beginning = new Set<Promise<unknown>>()

  constructor(adapter: Adapter, captureOf: () => WriteCapture | undefined) {
    this.#adapter = adapter
    this.#captureOf = captureOf
    this.#ignoresTransactions = ignoresTransactions(adapter)
  }

  async begin(level: string | undefined): Promise<Transaction> {
    const capture = this.#captureOf()
    if (!capture) return this.#adapter.startTransaction(level)
    const unit = capture.coordinator.begin()
    const beginning = beginnings.getStore()
    if (beginning?.isOfCallback) beginning.unit ??= unit
    await this.#own
    const begun = this.#begin(capture, unit, level)
    this.#beginning.add(begun)
    return begun.finally(() => this.#beginning.delete(begun))
  }

  async #begin(capture: WriteCapture, unit: WriteUnit, level: string | undefined): Promise<Transaction> {
    try {
      return this.#captured(capture, await this.#adapter.startTransaction(level), unit)
    } catch (error) {
      void unit.end()
      throw error
    }
  }

  /** Sends a statement that the database commits at once. */
  async send(query: SqlQuery, wantsRows: boolean): Promise<never> {
    const capture = this.#captureOf()
    const reading = capture?.read(query.sql)
    this.#isBegun = reading?.begins ?? this.#isBegun
    const writing = reading?.writing ?? (reading?.begins === false ? unknownWriting : undefined)
    while (this.#own) await this.#own
    if (!capture || !writing) return sendTo(this.#adapter, query, wantsRows)
    const [open] = this.#open
    if (open) return open.join(query, wantsRows)
    const plan = (): Promise<PlannedAlone> => planAlone(capture, writing, query, wantsRows, this.#adapter)
    const planned = await plan()
    if (!planned.run || this.#isBegun || this.#ignoresTransactions)
      return sendAlone(capture, planned, () => this.#sendOrJoin(capture, query, wantsRows))
    const inTransaction = (attempt: number): Promise<never> => {
      const unit = attempt === 1 ? planned.unit : capture.coordinator.begin()
      return this.#sendInTransaction(capture, unit, query, wantsRows)
    }
    const sent = repeated(inTransaction).catch(async (error: unknown) => {
      if (!refusesTransactions(error)) throw error
      this.#ignoresTransactions = true
      return sendAlone<never>(capture, await plan(), () => sendTo(this.#adapter, query, wantsRows))
    })
    if (!capture.connection) return sent
    const own = sent.then(ignore, ignore)
    this.#own = own
    void own.then(() => {
      if (this.#own === own) this.#own = undefined
    })
    return sent
  }

  /** Sends a statement, or joins a transaction that has begun on the shared connection while its rows were fenced. */
  async #sendOrJoin({ connection }: WriteCapture, query: SqlQuery, wantsRows: boolean): Promise<never> {
    for (;;) {
      const [open] = this.#open
      const [beginning] = this.#beginning
      if (!connection || !(this.#own ?? open ?? beginning)) return sendTo(this.#adapter, query, wantsRows)
      if (!this.#own && open) return open.join(query, wantsRows)
      await (this.#own ?? beginning)?.catch(ignore)
    }
  }

  #captured(capture: WriteCapture, transaction: Transaction, unit: WriteUnit): Transaction {
    const ended = capture.connection?.begin()
    const onEnd = (): void => {
      ended?.()
      this.#open.delete(captured)
    }
    const captured = new CapturedTransaction(capture, transaction, unit, onEnd, this.#ignoresTransactions)
    if (ended) this.#open.add(captured)
    return captured.transaction
  }

  async #sendInTransaction(
    capture: WriteCapture,
    unit: WriteUnit,
    query: SqlQuery,
    wantsRows: boolean,
  ): Promise<never> {
    // MySQL locks the gaps between rows otherwise, in which others want to insert.
    const level = capture.provider === 'mysql' ? 'READ COMMITTED' : undefined
    const transaction = await this.#begin(capture, unit, level)
    let result: never
    try {
      result = await sendTo(transaction, query, wantsRows)
    } catch (error) {
      // The error of the statement is the one that counts.
      await endTransaction(transaction, 'ROLLBACK').catch(ignore)
      throw error
    }
    try {
      await endTransaction(transaction, 'COMMIT')
    } catch (error) {
      // SQLite keeps a transaction open whose COMMIT it refuses, because of a deferred foreign key or the lock of a reader.
      if (capture.provider === 'sqlite' && !(error instanceof RefusedCommit))
        await endTransaction(transaction, 'ROLLBACK').catch(ignore)
      throw refusedReference(error)
    }
    return result
  }
}

/** A statement with a unit of its own. */
interface PlannedAlone extends Plan {
  readonly unit: WriteUnit
}

/** Plans a statement once its unit has begun: a cache that becomes known while its rows are identified counts as new then. */
async function planAlone(
  capture: WriteCapture,
  writing: Writing,
  query: SqlQuery,
  wantsRows: boolean,
  queryable: Queryable,
): Promise<PlannedAlone> {
  const preparing = capture.prepare()
  if (preparing) await preparing
  const unit = capture.coordinator.begin()
  try {
    return { unit, ...(await capture.plan(writing, query, wantsRows, queryable)) }
  } catch (error) {
    void unit.end()
    throw error
  }
}

/** Sends a statement that the database commits at once, and that affects no more than the rows of its plan. */
async function sendAlone<T>(
  capture: WriteCapture,
  { all, unit }: PlannedAlone,
  send: () => Promise<T>,
): Promise<T> {
  let end: WriteEnd = 'known'
  try {
    capture.announce(all, unit)
    await fence(unit)
    return await send().catch((error: unknown) => {
      end = endAfter(error)
      throw error
    })
  } finally {
    void unit.end(end)
  }
}

/** Ends a transaction as Prisma does, and gives its connection back. */
async function endTransaction(transaction: Transaction, word: 'COMMIT' | 'ROLLBACK'): Promise<void> {
  if (transaction.options.usePhantomQuery)
    return word === 'COMMIT' ? transaction.commit() : transaction.rollback()
  try {
    await transaction.executeRaw(plainQuery(word))
  } finally {
    await transaction.rollback()
  }
}

const savepointMethods = ['createSavepoint', 'releaseSavepoint', 'rollbackToSavepoint'] as const

/** A transaction of a driver adapter, which announces what is written in it, and fences it before COMMIT. */
class CapturedTransaction {
  readonly transaction: Transaction
  readonly #capture: WriteCapture
  readonly #inner: Transaction
  readonly #unit: WriteUnit
  #isEnded = false
  /** Whether the database may have ended it, or knows none, so that it commits each further statement at once. */
  #isLoose: boolean
  /** Whether it has the write lock of SQLite. */
  #isLocked = false
  /** One statement after the other, as the rows of one are found by several statements. */
  #last: Promise<unknown> | undefined

  readonly #onEnd: () => void

  constructor(
    capture: WriteCapture,
    inner: Transaction,
    unit: WriteUnit,
    onEnd: () => void,
    isLoose: boolean,
  ) {
    this.#isLoose = isLoose
    this.#onEnd = onEnd
    this.#capture = capture
    this.#inner = inner
    this.#unit = unit
    const savepoints = savepointMethods.flatMap((method) =>
      inner[method] ? [[method, (name: string) => this.#inTurn(() => inner[method]!(name))] as const] : [],
    )
    const isPhantom = inner.options.usePhantomQuery
    this.transaction = facade(inner, {
      queryRaw: (query) => this.#inTurn(() => this.#send(query, true)),
      executeRaw: (query) => this.#inTurn(() => this.#send(query, false)),
      commit: () => (isPhantom ? this.#inTurn(() => this.#commit(() => inner.commit())) : inner.commit()),
      rollback: () =>
        isPhantom ? this.#inTurn(() => this.#rollback(() => inner.rollback())) : this.#giveBack(),
      ...Object.fromEntries(savepoints),
    })
  }

  /** Sends a statement that shares the connection of the transaction, so that both end together. */
  join(query: SqlQuery, wantsRows: boolean): Promise<never> {
    return this.#inTurn(async () => {
      const result = await this.#send(query, wantsRows)
      if (!this.#isEnded) await fence(this.#unit)
      return result
    })
  }

  async #giveBack(): Promise<void> {
    // Nobody has sent COMMIT or ROLLBACK.
    if (!this.#isEnded) this.#end('unknown')
    return this.#inner.rollback()
  }

  #inTurn<T>(send: () => Promise<T>): Promise<T> {
    const sent = this.#last ? this.#last.then(send) : send()
    const settled = sent.then(ignore, ignore)
    this.#last = settled
    void settled.then(() => {
      if (this.#last === settled) this.#last = undefined
    })
    return sent
  }

  async #send(query: SqlQuery, wantsRows: boolean): Promise<never> {
    if (query.sql === 'COMMIT') return this.#commit(() => this.#inner.executeRaw(query)) as Promise<never>
    if (query.sql === 'ROLLBACK') return this.#rollback(() => this.#inner.executeRaw(query)) as Promise<never>
    const { mayEndTransaction, writing } = this.#capture.read(query.sql)
    if (mayEndTransaction) this.#isLoose = true
    try {
      if (writing) return await this.#write(writing, query, wantsRows)
      await this.#lockFirst()
      if (this.#isLoose && !this.#isEnded) await fence(this.#unit)
      return await sendTo(this.#inner, query, wantsRows)
    } catch (error) {
      if (mayHaveEnded(error, this.#capture.provider) && !(await this.#isUndone(error, query)))
        this.#isLoose = true
      throw error
    }
  }

  async #lockFirst(): Promise<void> {
    const { lockedTable } = beginnings.getStore() ?? {}
    if (lockedTable === undefined || this.#isLocked) return
    this.#isLocked = true
    await takeWriteLock(this.#inner, lockedTable)
  }

  async #write(writing: Writing, query: SqlQuery, wantsRows: boolean): Promise<never> {
    const plan = this.#isEnded ? undefined : await this.#capture.plan(writing, query, wantsRows, this.#inner)
    const send = (): Promise<never> => sendTo(this.#inner, query, wantsRows)
    // A statement of the caller has ended it, perhaps meanwhile.
    if (!plan || this.#isEnded)
      return sendAlone(
        this.#capture,
        await planAlone(this.#capture, writing, query, wantsRows, this.#inner),
        send,
      )
    const { all, isTransactional, run } = plan
    const isAtOnce = this.#isLoose || isTransactional === false
    if (!run || isAtOnce) {
      this.#announce(all)
      if (isAtOnce) await fence(this.#unit)
      return send()
    }
    try {
      const { affected, result } = await run(this.#inner)
      this.#announce(affected)
      return result as never
    } catch (error) {
      if (!(await this.#isUndone(error, query))) this.#announce(all)
      throw error
    }
  }

  #isUndone(error: unknown, query: SqlQuery): Promise<boolean> {
    return isUndone(error, query, this.#capture.provider, this.#inner)
  }

  #announce(affected: AffectedRows): void {
    // A statement may end after its transaction, which has timed out.
    if (!this.#isEnded) this.#capture.announce(affected, this.#unit)
  }

  async #commit<T>(send: () => Promise<T>): Promise<T> {
    try {
      await fence(this.#unit)
    } catch (error) {
      // Prisma gives the connection back without a ROLLBACK, or not at all.
      const { usePhantomQuery } = this.#inner.options
      await (usePhantomQuery ? this.#inner.rollback() : this.#inner.executeRaw(plainQuery('ROLLBACK'))).catch(
        () => {},
      )
      this.#end('known')
      throw error
    }
    try {
      const result = await send()
      this.#end('known')
      return result
    } catch (error) {
      this.#end(endAfter(error))
      throw error
    }
  }

  async #rollback<T>(send: () => Promise<T>): Promise<T> {
    try {
      const result = await send()
      this.#end('known')
      return result
    } catch (error) {
      this.#end('unknown')
      throw error
    }
  }

  #end(end: WriteEnd): void {
    if (this.#isEnded) return
    this.#isEnded = true
    void this.#unit.end(end)
    this.#onEnd()
  }
}

const ignore = (): void => {}

async function fence(unit: WriteUnit): Promise<void> {
  await unit.fence().catch(refuseCommit)
}

/** How often a transaction of the library is begun that the database ends for the sake of others. */
const attempts = 10

/** Repeats a transaction that a deadlock has undone. Its one write, without the transaction, would have taken part in fewer of them. */
async function repeated<T>(work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt)
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error
    }
  }
}
