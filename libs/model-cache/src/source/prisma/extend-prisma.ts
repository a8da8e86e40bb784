import { alreadyExtendedError, invalidOptionError, ofMocks } from '../../configuration-errors.js'
import type { WriteCoordinator } from '../write-coordinator.js'
import { currentArrivals } from '../own-queries.js'
import { ClientSchema } from './client-schema.js'
import { noteExtended } from './extended-clients.js'
import { intercept, isIntercepted, originalOf, type QueryParams, clientMethodsOf } from './internals.js'
import { describeSchema } from './schema/describe-schema.js'
import { answerReads } from './reads/answer-reads.js'
import { answerDirectly } from './reads/direct-queries.js'
import type { Reads } from './reads/read-options.js'
import { isRead } from './operations.js'
import { databaseOf } from './prisma-database.js'
import { CapturedClient } from './capture/captured-client.js'
import { WriteCapture } from './capture/write-capture.js'
import { sharedConnectionOf } from './shared-connection.js'

export interface ExtendPrismaOptions {
  /**
   * How many rows of one statement, or of one referential action, the library invalidates one by one. If there are more, an update or
   * a delete counts as a write to all rows of the model, and an insert ends negative entries and entries of lookups. Values above
   * 10,000 have no use: a write never fences more rows of a cache. @default 1_000
   */
  readonly maxRows?: number

  /**
   * The caches that answer queries of the client: a list of definitions, or `'all'` caches whose rows are fields of their model.
   * With `'shadow'` the database answers, and the library compares all of these caches with it. See docs/transparent-reads.md.
   * @default none
   */
  readonly reads?: Reads

  /**
   * Whether the client reads a replica of the database. Then the caches of the other clients answer its queries as well. One coordinator,
   * or one root, has the caches of one database. @default false
   */
  readonly replica?: boolean
}

/**
 * Has all writes of a client invalidate the caches: each fences its rows before COMMIT, and releases them after it. The statements that
 * Prisma sends are the ones that run; the library sees them at the driver adapter, also those of raw SQL, and asks the database which rows
 * they have written where their parameters do not name them.
 *
 * Extensions of the client are above that, so their order makes no difference. All clients of one `new PrismaClient()` are included:
 * those that the given one was extended from, and those that you extend from it. Extend it before it connects, or wrap its adapter by
 * `captured`.
 *
 * Errors of queries reach the caller unchanged. If `fence` rejects, the write rejects with the same error and is not committed.
 *
 * With `reads`, caches answer the queries that they can answer exactly; all others go to the database.
 *
 * @returns the client itself; with `reads`, it has a `$uncached` whose queries all go to the database
 * @throws ConfigurationError also if writes of the client are announced already
 * @example
 * const prisma = extendPrisma(new PrismaClient({ adapter }), coordinator)
 * await prisma.guestUser.update({ where: { id }, data: { name } })
 */
export function extendPrisma<
  Client extends object,
  Options extends ExtendPrismaOptions = ExtendPrismaOptions,
>(client: Client, writes: WriteCoordinator, options?: Options): ExtendedPrisma<Client, Options> {
  const { maxRows = 1_000, reads, replica = false }: ExtendPrismaOptions = options ?? {}
  if (!isExtensible(client)) throw invalidOptionError('prisma', client, `a Prisma client. ${ofMocks}`)
  if (!Number.isInteger(maxRows) || maxRows < 1) {
    throw invalidOptionError('maxRows', maxRows, 'a whole number of rows, at least 1')
  }
  if (typeof replica !== 'boolean') throw invalidOptionError('replica', replica, 'true or false')
  if (isIntercepted(client)) throw alreadyExtendedError()
  const methods = clientMethodsOf(client)
  const facts = describeSchema(client)
  const schema = new ClientSchema(facts, databaseOf(client))
  const coordinator = writes.forSchema?.(schema) ?? writes
  const capture = new WriteCapture(facts, schema, coordinator, maxRows, sharedConnectionOf(client))
  const { written } = capture
  // Before it is captured: after an error, the caller may extend it with other options.
  const readRunner =
    reads &&
    answerReads(client, { reads, coordinator, facts, query: methods.query, isReplica: replica, written })
  const runner = new CapturedClient(client, methods, capture, schema)
  const read = (of: object, params: QueryParams): Promise<unknown> =>
    readRunner ? readRunner.run(of, params) : methods.query.call(of, params)
  const onlyReads = (sql: string): boolean => !capture.read(sql).writing
  intercept(client, {
    query(params) {
      const { action, model } = params
      if (model !== undefined && isRead(action)) return noteArrival(params, read(this, params))
      const kept = model === undefined ? readRunner?.runRaw(this, params, onlyReads) : undefined
      return kept ?? runner.write(this, params)
    },
    transactCallback(given) {
      return runner.transactCallback(this, { ...given, options: ownOptions(given.options) })
    },
    transactArray(transaction) {
      return runner.transactArray(this, transaction)
    },
  })
  if (readRunner) answerDirectly(client, readRunner)
  noteExtended(client, writes, replica)
  if (!replica) writes.extended?.(databaseOf(client))
  return client as ExtendedPrisma<Client, Options>
}

/** A client of {@link extendPrisma}. */
export type ExtendedPrisma<Client, Options> = Options extends { readonly reads: Reads }
  ? Client & {
      /** This client without answers of caches: all reads go to the database. */
      readonly $uncached: Client
    }
  : Client

/**
 * The caller's options, which Prisma may change without changing the caller's object: up to 7.10.0, a nested transaction notes in them
 * which one it is a part of. The next transaction with the same object would then be nested as well.
 */
function ownOptions(options: unknown): object | undefined {
  if (typeof options !== 'object' || options === null) return undefined
  return Object.create(options, { newTxId: { value: undefined, writable: true } }) as object
}

/** Shows a query of the library to whoever has sent it. */
function noteArrival(params: QueryParams, result: Promise<unknown>): Promise<unknown> {
  const { action, args, model, transaction } = params
  currentArrivals()?.({ action, args, model: model!, isInTransaction: transaction !== undefined, result })
  return result
}

function isExtensible(client: unknown): boolean {
  const { $extends } = (client ?? {}) as { readonly $extends?: unknown }
  return typeof $extends === 'function' && originalOf(client as object) !== undefined
}
