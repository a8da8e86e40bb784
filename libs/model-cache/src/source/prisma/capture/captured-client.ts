import { connectedEarlyError, lostContextError } from '../../../configuration-errors.js'
import {
  type ArrayTransaction,
  type CallbackTransaction,
  type ClientMethods,
  type EngineMethod,
  type EngineQuery,
  engineOf,
  type QueryParams,
  transactionOf,
} from '../internals.js'
import type { ClientSchema } from '../client-schema.js'
import { isRead } from '../operations.js'
import { columnsLearned } from '../prisma-database.js'
import { type Connections, captureClient } from './capture-client.js'
import { type Beginning, beginnings } from './captured-adapter.js'
import { tableInSql } from './sql.js'
import type { WriteCapture } from './write-capture.js'
import { RefusedCommit, refuseCommit } from './write-end.js'

/**
 * What a client does above its driver adapter, which captures its writes: callbacks of transactions, errors of the caches, and what has to
 * be known before a write. The engine waits for that, and not the client: by then, Prisma has made its own query of the caller's arguments.
 */
export class CapturedClient {
  readonly #methods: ClientMethods
  readonly #capture: WriteCapture
  readonly #connections: Connections
  readonly #client: object
  readonly #schema: ClientSchema
  /** What writes wait for, so that they are sent in the order in which they came. */
  #preparing: Promise<void> | undefined

  /** @param methods the client's own, which lead to the database */
  constructor(client: object, methods: ClientMethods, capture: WriteCapture, schema: ClientSchema) {
    this.#schema = schema
    this.#client = client
    this.#methods = methods
    this.#capture = capture
    this.#connections = captureClient(client, capture)
    this.#prepareInEngine()
  }

  /** A query that may write. */
  write(client: object, params: QueryParams): Promise<unknown> {
    return this.#methods.query.call(client, params).catch(throwCause)
  }

  /** `$transaction` of an array. */
  transactArray(client: object, transaction: ArrayTransaction): Promise<unknown> {
    return this.#methods.transactArray.call(client, transaction).catch(throwCause)
  }

  /** `$transaction` of a callback, whose cache reads go through it. */
  transactCallback(client: object, transaction: CallbackTransaction): Promise<unknown> {
    // A savepoint of a transaction.
    if (transactionOf(client)) return this.#methods.transactCallback.call(client, transaction)
    const { coordinator } = this.#capture
    const context: Beginning = { isOfCallback: true }
    const callback = async (tx: object): Promise<unknown> => {
      const { unit } = context
      if (!unit) throw lostContextError()
      return coordinator.within(unit, tx, async () => transaction.callback(tx))
    }
    return beginnings
      .run(context, () => this.#methods.transactCallback.call(client, { ...transaction, callback }))
      .catch(throwCause)
  }

  /** Has the engine of the client wait for what has to be known before it sends a write, or begins the transaction of a callback. */
  #prepareInEngine(): void {
    const engine = engineOf(this.#client)
    const [request, requestBatch, transaction] = ['request', 'requestBatch', 'transaction'].map((name) =>
      engine[name]!.bind(engine),
    ) as [EngineMethod, EngineMethod, EngineMethod]
    engine['request'] = (query, options) => {
      const isInTransaction = Object(options).interactiveTransaction !== undefined
      return this.#send([query as EngineQuery], isInTransaction, () => request(query, options))
    }
    engine['requestBatch'] = (queries, options) => {
      const isInTransaction = Object(options).transaction?.kind === 'itx'
      return this.#send(queries as EngineQuery[], isInTransaction, () => requestBatch(queries, options))
    }
    engine['transaction'] = (step, ...given) => {
      const begin = (): unknown => transaction(step, ...given)
      // The transaction of a batch is prepared with its queries.
      const { isOfCallback, unit } = beginnings.getStore() ?? {}
      if (step !== 'start' || !isOfCallback || unit) return begin()
      const preparing = this.#prepareCallback()
      return preparing ? preparing.then(begin) : begin()
    }
  }

  /** @param isInTransaction whether there may be no other connection to ask by */
  #send(queries: readonly EngineQuery[], isInTransaction: boolean, send: () => unknown): unknown {
    const write = queries.find((query) => this.#isWrite(query))
    // A client that has connected too early may still read.
    if (!write) return send()
    const locking = (): unknown => this.#locking(write.modelName, send)
    const preparing = isInTransaction
      ? this.#capture.coordinator.prepare()?.catch(refuseCommit)
      : this.#prepare()
    return preparing ? preparing.then(locking) : locking()
  }

  #isWrite({ action, modelName, query }: EngineQuery): boolean {
    if (modelName !== undefined) return !isRead(action)
    const sql = query?.arguments?.['query']
    return typeof sql !== 'string' || this.#capture.read(sql).writing !== undefined
  }

  /** Has a transaction of SQLite take the write lock before Prisma reads in it for a write. */
  #locking(model: string | undefined, send: () => unknown): unknown {
    const { models, provider } = this.#capture
    const table = provider === 'sqlite' && model !== undefined ? models.get(model)?.table : undefined
    return table ? beginnings.run({ lockedTable: tableInSql(table, provider) }, send) : send()
  }

  #prepare(): Promise<void> | undefined {
    if (this.#preparing) return this.#preparing
    // As early as possible, so that an error says what was too early.
    const learning = this.#capture.coordinator.prepare()?.catch(refuseCommit)
    const preparing = learning ? learning.then(() => this.#askDatabase()) : this.#askDatabase()
    if (!preparing) return undefined
    return (this.#preparing = preparing.finally(() => {
      this.#preparing = undefined
    }))
  }

  /** A cache that is not known when the unit begins counts as new, and all of its rows as written. Only a write is refused without the store. */
  #prepareCallback(): Promise<void> | undefined {
    const learning = this.#capture.coordinator.prepare()?.catch(() => {})
    return learning ? learning.then(() => this.#askDatabase()) : this.#askDatabase()
  }

  /** Asks the database what has to be known of it; undefined if all of that is known. */
  #askDatabase(): Promise<void> | undefined {
    if (this.#connections.made === 0) return this.#connect().then(() => this.#askDatabase())
    const [learning, comparing] = [columnsLearned(this.#client), this.#schema.prepare()]
    return learning || comparing ? Promise.all([learning, comparing]).then(() => {}) : undefined
  }

  /** Connects a client that has not connected yet. Its first query would do so. */
  async #connect(): Promise<void> {
    await engineOf(this.#client).start!()
    if (this.#connections.made === 0) refuseCommit(connectedEarlyError())
  }
}

/** Gives the caller the error of the caches, or of the library, as it is. */
function throwCause(error: unknown): never {
  throw error instanceof RefusedCommit ? error.cause : error
}
