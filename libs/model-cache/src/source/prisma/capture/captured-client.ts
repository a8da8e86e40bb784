import { connectedEarlyError } from '../../../configuration-errors.js'
import {
  type ArrayTransaction,
  type CallbackTransaction,
  type ClientMethods,
  engineOf,
  type PrismaPromise,
  type QueryParams,
  transactionOf,
} from '../internals.js'
import type { ClientSchema } from '../client-schema.js'
import { isRead } from '../operations.js'
import { columnsLearned } from '../prisma-database.js'
import { type Connections, captureClient } from './capture-client.js'
import { type Beginning, beginnings } from './captured-adapter.js'
import { rawSqlOf, tableInSql } from './sql.js'
import type { WriteCapture } from './write-capture.js'
import { RefusedCommit } from './write-end.js'

/** What a client does above its driver adapter, which captures its writes: callbacks of transactions, and errors of the caches. */
export class CapturedClient {
  readonly #methods: ClientMethods
  readonly #capture: WriteCapture
  readonly #connections: Connections
  readonly #client: object
  readonly #schema: ClientSchema

  /** @param methods the client's own, which lead to the database */
  constructor(client: object, methods: ClientMethods, capture: WriteCapture, schema: ClientSchema) {
    this.#schema = schema
    this.#client = client
    this.#methods = methods
    this.#capture = capture
    this.#connections = captureClient(client, capture)
  }

  /** A query that may write. */
  write(client: object, params: QueryParams): Promise<unknown> {
    // A client that has connected too early may still read.
    if (params.model === undefined && !this.#capture.read(rawSqlOf(params.args)).writing)
      return this.#methods.query.call(client, params)
    const send = (): Promise<unknown> => this.#methods.query.call(client, params)
    return this.#locking(params.model, () => this.#run(send, true, params.transaction !== undefined))
  }

  /** `$transaction` of an array. */
  transactArray(client: object, transaction: ArrayTransaction): Promise<unknown> {
    const { promises } = transaction
    const queries: readonly unknown[] = Array.isArray(promises) ? promises : []
    const send = (): Promise<unknown> => this.#methods.transactArray.call(client, transaction)
    // As a single read: nothing is asked first, and a client that has connected too early may do so.
    if (queries.length > 0 && queries.every(readsModel)) return send()
    const written = queries.map(modelWritten).find((model) => model !== undefined)
    return this.#locking(written, () => this.#run(send, written !== undefined))
  }

  /** `$transaction` of a callback, whose cache reads go through it. */
  transactCallback(client: object, transaction: CallbackTransaction): Promise<unknown> {
    // A savepoint of a transaction.
    if (transactionOf(client)) return this.#methods.transactCallback.call(client, transaction)
    const { coordinator } = this.#capture
    const unit = coordinator.begin()
    const callback = (tx: object): Promise<unknown> =>
      coordinator.within(unit, tx, async () => transaction.callback(tx))
    const context: Beginning = { unit }
    return beginnings
      .run(context, () =>
        this.#run(() => this.#methods.transactCallback.call(client, { ...transaction, callback }), false),
      )
      .finally(() => {
        // No transaction was begun.
        if (context.unit) void unit.end()
      })
  }

  /** Has a transaction of SQLite take the write lock before Prisma reads in it for a write. */
  #locking<T>(model: string | undefined, send: () => Promise<T>): Promise<T> {
    const { models, provider } = this.#capture
    const table = provider === 'sqlite' && model !== undefined ? models.get(model)?.table : undefined
    return table ? beginnings.run({ lockedTable: tableInSql(table, provider) }, send) : send()
  }

  /** @param isInTransaction whether there may be no other connection to ask by */
  async #run<T>(send: () => Promise<T>, isWrite: boolean, isInTransaction = false): Promise<T> {
    // As early as possible, so that an error says what was too early.
    const preparing = isWrite ? this.#capture.coordinator.prepare() : undefined
    if (preparing) await preparing
    if (this.#connections.made === 0) await this.#connect()
    if (!isInTransaction) {
      const [learning, comparing] = [columnsLearned(this.#client), this.#schema.prepare()]
      if (learning || comparing) await Promise.all([learning, comparing])
    }
    try {
      return await send()
    } catch (error) {
      throw error instanceof RefusedCommit ? error.cause : error
    }
  }

  /** Connects a client that has not connected yet. Its first query would do so. */
  async #connect(): Promise<void> {
    await engineOf(this.#client).start!()
    if (this.#connections.made === 0) throw connectedEarlyError()
  }
}

function readsModel(query: unknown): boolean {
  const { spec } = (query ?? {}) as Partial<PrismaPromise>
  return spec?.model !== undefined && isRead(spec.action)
}

/** The model that a query of a batch writes. */
function modelWritten(query: unknown): string | undefined {
  const { spec } = (query ?? {}) as Partial<PrismaPromise>
  return spec && !isRead(spec.action) ? spec.model : undefined
}
