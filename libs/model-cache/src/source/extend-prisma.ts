import { AlreadyExtendedError, InvalidOptionError } from '../errors.js'
import type { WriteCoordinator } from './write-coordinator.js'
import { describeModels } from './writes/data-model.js'
import { createPlanner } from './writes/plan-blindly.js'
import type { Planning } from './writes/plan-write.js'
import {
  type HookCall,
  intercept,
  isIntercepted,
  originalOf,
  passagesOf,
  providerOf,
  transactionTimeoutOf,
} from './writes/prisma-internals.js'
import { copyOfArgs } from './writes/copy-args.js'
import { writeActions } from './writes/write-plan.js'
import { WriteRunner, type WriteRunnerOptions } from './writes/write-runner.js'

export interface ExtendPrismaOptions {
  /**
   * The maximum number of rows that one query, or one referential action, writes row by row. Above it, all rows of the model count as
   * written. @default 1_000
   */
  readonly maxRows?: number

  /**
   * The maximum duration of the transaction around a single write, in milliseconds. The write may also wait as long for a connection.
   * A longer transaction is rolled back and fails with P2028.
   * @default 30_000, or the `timeout` of the client's `transactionOptions` if that is longer
   */
  readonly transactionTimeoutMs?: number
}

/** Databases whose clients have createManyAndReturn. */
const returningCreated = new Set(['postgresql', 'postgres', 'cockroachdb', 'sqlite'])

/**
 * Announces all writes of a client to the coordinator: affected, fenced before COMMIT, ended after it. A write whose arguments
 * name its rows runs as it is. Another one runs in a transaction, which finds its rows by its result, or selects them first. Raw
 * SQL is not seen: call `cache.invalidate` in the same transaction.
 *
 * Writes are looked at below all extensions of the client, those before this one and those after it, as they go to the
 * database. So the order of extensions makes no difference, and every client that has its `PrismaClient` in common with the given one
 * announces its writes: what it was extended from, and what is extended from it.
 *
 * Errors of queries reach the caller as they are. When `fence` rejects, so does the write, and it is not committed.
 *
 * @returns the client itself
 * @throws InvalidOptionError
 * @throws AlreadyExtendedError when writes of the client are announced already
 * @example
 * const prisma = extendPrisma(new PrismaClient({ adapter }), coordinator)
 * await prisma.guestUser.update({ where: { id }, data: { name } })
 */
export function extendPrisma<Client extends object>(
  client: Client,
  coordinator: WriteCoordinator,
  { maxRows = 1_000, transactionTimeoutMs }: ExtendPrismaOptions = {},
): Client {
  if (!isExtensible(client)) throw new InvalidOptionError('prisma', client, 'a Prisma client')
  if (!Number.isInteger(maxRows) || maxRows < 1) {
    throw new InvalidOptionError('maxRows', maxRows, 'a whole number of rows, at least 1')
  }
  const timeoutMs = transactionTimeoutMs ?? Math.max(30_000, transactionTimeoutOf(client))
  if (!(timeoutMs >= 1 && timeoutMs <= maxTimeoutMs)) {
    throw new InvalidOptionError('transactionTimeoutMs', timeoutMs, `milliseconds, from 1 to ${maxTimeoutMs}`)
  }
  if (isIntercepted(client)) throw new AlreadyExtendedError()
  const passages = passagesOf(client)
  const runner = createRunner(client, {
    coordinator,
    limit: maxRows,
    returnsCreated: returningCreated.has(providerOf(client)),
    passages,
    timeoutMs,
  })
  intercept(client, {
    query(params) {
      const { action, model } = params
      if (model === undefined || !writeActions.has(action)) return passages.query.call(this, params)
      // The caller may change them before the query runs.
      const args = copyOfArgs(params.args ?? {}) as HookCall['args']
      const query: HookCall['query'] = (own, others = params) =>
        passages.query.call(this, { ...others, args: own as HookCall['args'] })
      return runner.run({ model, operation: action, args, params, query })
    },
    transactCallback(transaction) {
      return runner.transactCallback(this, transaction)
    },
    transactArray(transaction) {
      return runner.transactArray(this, transaction)
    },
  })
  coordinators.set(originalOf(client)!, coordinator)
  return client
}

const maxTimeoutMs = 3_600_000

const coordinators = new WeakMap<object, WriteCoordinator>()

/** The coordinator that hears of the writes of a client; undefined where {@link extendPrisma} has not been called. */
export function coordinatorOf(client: object): WriteCoordinator | undefined {
  return coordinators.get(originalOf(client) ?? client)
}

function isExtensible(client: unknown): boolean {
  const { $extends } = (client ?? {}) as { readonly $extends?: unknown }
  return typeof $extends === 'function' && originalOf(client as object) !== undefined
}

function createRunner(
  client: object,
  { passages, timeoutMs, ...options }: Omit<Planning, 'models'> & Omit<WriteRunnerOptions, 'planning'>,
): WriteRunner {
  const planning = { ...options, models: describeModels(client) }
  return new WriteRunner(client, { planning, passages, timeoutMs }, createPlanner(client, planning))
}
