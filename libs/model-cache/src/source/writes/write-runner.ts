import type { WriteUnit } from '../write-coordinator.js'
import { performWrite } from './perform-write.js'
import {
  type Args,
  bareClientOf,
  type HookCall,
  type PrismaPromise,
  type PrismaTransaction,
  type Transact,
  transactionOf,
  transactionTimeoutOf,
} from './prisma-internals.js'
import { type Planning } from './plan-write.js'
import { needsTransaction, type WritePlan } from './write-plan.js'

/**
 * What a transaction of our own may take: no less than the single query had, which Prisma does not limit. It is the
 * longest time that timers take, in milliseconds.
 */
const unlimited = { timeout: 2 ** 31 - 1, maxWait: 2 ** 31 - 1 }

export type Planner = (model: string, operation: string, args: Args) => WritePlan | undefined

/** Sees to it that every write of a client is touched, fenced, committed and settled, in this order. */
export class WriteRunner {
  readonly #planning: Planning
  readonly #plan: Planner
  readonly #bareClient: ReturnType<typeof bareClientOf>
  readonly #transact: Transact
  /** In milliseconds. */
  readonly #longestTransaction: number
  /** The interactive transactions under way that go through this client, and those of its own, by id. */
  readonly #transactions = new Map<PrismaTransaction['id'], WriteUnit>()
  /** Batches under way whose queries are known. */
  readonly #batches = new Map<PrismaTransaction['id'], Batch>()

  constructor(client: object, planning: Planning, plan: Planner) {
    this.#planning = planning
    this.#plan = plan
    this.#bareClient = bareClientOf(client)
    this.#longestTransaction = transactionTimeoutOf(client)
    this.#transact = (client as { $transaction: Transact }).$transaction
  }

  /** The hook of a query that may write. */
  run(call: HookCall): PromiseLike<unknown> {
    const plan = this.#plan(call.model, call.operation, call.args)
    if (!plan) return call.query(call.args)
    const { transaction } = call.params
    if (!transaction) return this.#runAlone(plan, call)
    const unit = this.#transactions.get(transaction.id)
    return unit
      ? performWrite(this.#sceneOf(transaction, unit), plan, call)
      : this.#runBorrowed(plan, call, transaction)
  }

  /** `$transaction` of `client`, which may be extended further. */
  transact(client: object, work: unknown, options: object | undefined): Promise<unknown> {
    if (transactionOf(client)) {
      // A part of the transaction that is under way: what is rolled back of it is fenced for nothing.
      return this.#transact.call(client, work, options)
    }
    if (typeof work === 'function') {
      return this.#runCallback(client, work as (client: object) => Promise<unknown>, options)
    }
    if (Array.isArray(work) && work.every(isPrismaPromise) && work.some((query) => this.#mustBeSeen(query))) {
      return this.#runInOrder(work as PrismaPromise[], options)
    }
    return this.#transact.call(client, work, options)
  }

  async #runAlone(plan: WritePlan, call: HookCall): Promise<unknown> {
    const unit = this.#planning.coordinator.begin()
    try {
      if (needsTransaction(plan)) {
        return await this.#ownTransaction(unit, unlimited, (transaction) =>
          performWrite(this.#sceneOf(transaction, unit), plan, call),
        )
      }
      plan.touched.announceTo(unit)
      await unit.fence()
      return await call.query(call.args)
    } finally {
      await unit.settle()
    }
  }

  /**
   * A query of a batch, or of a transaction that another extension has opened around it. It runs as it is; what its
   * arguments do not tell are all rows.
   */
  async #runBorrowed(plan: WritePlan, call: HookCall, { kind, id }: PrismaTransaction): Promise<unknown> {
    const batch = this.#batches.get(id) ?? new Batch(this.#planning.coordinator.begin())
    const { unit } = batch
    if (kind === 'batch') this.#batches.set(id, batch)
    try {
      plan.touched.announceTo(unit)
      for (const { model, reason } of plan.lookUps) unit.touchAll(model, reason)
      if (plan.mode !== 'plain') unit.touchAll(plan.model, 'unknown')
      // The others of the batch touch in this turn as well, and one fence is for all.
      await Promise.resolve()
      await unit.fence()
      return await call.query(call.args)
    } finally {
      this.#batches.delete(id)
      if (kind === 'batch') await batch.settle()
      // The end of another's transaction is not seen; its timeout is the latest.
      else setTimeout(() => void unit.settle(), this.#longestTransaction).unref()
    }
  }

  async #runCallback(
    client: object,
    callback: (client: object) => Promise<unknown>,
    options: object | undefined,
  ): Promise<unknown> {
    const { coordinator } = this.#planning
    const unit = coordinator.begin()
    const work = this.#joining(unit, (_, tx) => coordinator.within(unit, tx, async () => callback(tx)))
    try {
      return await this.#transact.call(client, work, options)
    } finally {
      await unit.settle()
    }
  }

  /** The queries of a batch one after the other in one transaction, so that each can tell what it wrote. */
  async #runInOrder(queries: readonly PrismaPromise[], options: object | undefined): Promise<unknown[]> {
    const unit = this.#planning.coordinator.begin()
    try {
      return await this.#ownTransaction(unit, options, async (transaction) => {
        const results: unknown[] = []
        for (const query of queries) results.push(await query.requestTransaction(transaction))
        return results
      })
    } finally {
      await unit.settle()
    }
  }

  #ownTransaction<Result>(
    unit: WriteUnit,
    options: object | undefined,
    work: (transaction: PrismaTransaction) => Promise<Result>,
  ): Promise<Result> {
    return this.#bareClient.$transaction(this.#joining(unit, work), options) as Promise<Result>
  }

  /** A callback for `$transaction` whose queries join the unit, and which fences last. */
  #joining<Result>(
    unit: WriteUnit,
    work: (transaction: PrismaTransaction, client: object) => Promise<Result>,
  ): (client: object) => Promise<Result> {
    return async (client) => {
      const transaction = transactionOf(client)!
      this.#transactions.set(transaction.id, unit)
      try {
        const result = await work(transaction, client)
        await unit.fence()
        return result
      } finally {
        this.#transactions.delete(transaction.id)
      }
    }
  }

  #sceneOf(transaction: PrismaTransaction, unit: WriteUnit) {
    return { planning: this.#planning, bareClient: this.#bareClient, transaction, unit }
  }

  /** Whether what a query of a batch writes is told by nothing but its run. */
  #mustBeSeen({ spec }: PrismaPromise): boolean {
    if (typeof spec !== 'object' || spec.model === undefined) return false
    const plan = this.#plan(spec.model, spec.action, (spec.args ?? {}) as Args)
    return plan !== undefined && needsTransaction(plan)
  }
}

/** The queries of one batch end together, and share what the first of them to end begins. */
class Batch {
  readonly unit: WriteUnit
  #settled: Promise<void> | undefined

  constructor(unit: WriteUnit) {
    this.unit = unit
  }

  settle(): Promise<void> {
    return (this.#settled ??= this.unit.settle())
  }
}

function isPrismaPromise(value: unknown): value is PrismaPromise {
  const { requestTransaction, [Symbol.toStringTag]: tag } = (value ?? {}) as Partial<PrismaPromise>
  return tag === 'PrismaPromise' && typeof requestTransaction === 'function'
}
