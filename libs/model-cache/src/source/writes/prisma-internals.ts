/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
/**
 * All that is assumed of Prisma's insides, beyond its documented API. `verifyExtension` checks each of it when an
 * application starts.
 */

/** The transaction that a query belongs to. Interactive ones have the id of the engine; batches are counted. */
export interface PrismaTransaction {
  readonly kind: 'itx' | 'batch'
  readonly id: string | number
}

/** A query that runs when it is awaited, or when it is told in which transaction. */
export interface PrismaPromise<T = unknown> extends PromiseLike<T> {
  readonly [Symbol.toStringTag]: 'PrismaPromise'
  /** What was asked for; undefined for raw queries, and for queries that an extension hands on. */
  readonly spec?: QuerySpec | undefined
  requestTransaction(transaction: PrismaTransaction): PromiseLike<T>
}

export interface QuerySpec {
  readonly model?: string
  readonly action: string
  readonly args?: object
}

/** What Prisma hands from one step of a query to the next. */
export interface QueryParams {
  readonly model?: string
  readonly args?: Args
  readonly transaction?: PrismaTransaction | undefined
  /** Of the fluent API: `['select', 'bids']` for `update(…).bids()`, empty else. */
  readonly dataPath: readonly string[]
  readonly action: string
}

/** A query that has passed the hooks of all extensions. */
export interface HookCall {
  readonly model: string
  readonly operation: string
  readonly args: Args
  readonly params: QueryParams
  /** Hands it on to the database. */
  readonly query: (args: object, params?: QueryParams) => PromiseLike<unknown>
}

/** Arguments of any operation: `where`, `data`, `select` and so on. */
export type Args = Readonly<Record<string, unknown>>

export interface CallbackTransaction {
  readonly callback: (client: object) => Promise<unknown>
  readonly options?: object | undefined
}

export interface ArrayTransaction {
  readonly promises: readonly PrismaPromise[]
  readonly options?: object | undefined
}

/** What every client of one PrismaClient goes through, whatever extensions it has: it is below them all. */
export interface Passages {
  query(this: object, params: QueryParams): Promise<unknown>
  transactCallback(this: object, transaction: CallbackTransaction): Promise<unknown>
  transactArray(this: object, transaction: ArrayTransaction): Promise<unknown>
}

export interface RuntimeField {
  readonly name: string
  readonly kind: 'scalar' | 'object' | 'enum' | 'unsupported'
  /** `'DateTime'`, or the model of a relation. */
  readonly type: string
  /** Set for relations only. */
  readonly relationName?: string | null
  /** The name of the column, where it differs. */
  readonly dbName?: string | null
}

interface RuntimeModel {
  readonly fields: readonly RuntimeField[]
  /** The names in the database, where they differ from those of the schema. */
  readonly dbName?: string | null
  readonly schema?: string | null
}

interface Internals {
  readonly _runtimeDataModel: { readonly models: Readonly<Record<string, RuntimeModel>> }
  readonly _engineConfig: {
    readonly inlineSchema: string
    readonly transactionOptions: { readonly timeout: number }
    readonly adapter?: { readonly options?: { readonly schema?: string } }
  }
  readonly _engine: {
    transaction(action: 'start' | 'commit' | 'rollback', ...rest: unknown[]): Promise<unknown>
  }
  readonly _activeProvider: string
  readonly _globalOmit?: Readonly<Record<string, Args | undefined>>
  readonly _originalClient: object & { readonly _appliedParent: ExtensibleClient }
  readonly _executeRequest: Passages['query']
  readonly _transactionWithCallback: Passages['transactCallback']
  readonly _transactionWithArray: Passages['transactArray']
  _createPrismaPromise(callback: (transaction?: PrismaTransaction) => Promise<unknown>): PrismaPromise
}

interface ExtensibleClient {
  $extends(extension: object): ExtensibleClient
  $transaction(work: unknown, options?: object): Promise<unknown>
}

function internalsOf(client: object): Internals {
  return client as Internals
}

/** What all clients that are extended from one another have in common, also those of their transactions. */
export function originalOf(client: object): object | undefined {
  return internalsOf(client)._originalClient
}

/** Whether clients, also those of transactions, have the PrismaClient in common with this one, and so the database. */
export function isSameDatabaseAs(client: object): (other: object) => boolean {
  const original = originalOf(client)
  return (other) => originalOf(other) === original
}

/** What a client goes through, before or after {@link intercept}. */
export function passagesOf(client: object): Passages {
  const { _executeRequest, _transactionWithCallback, _transactionWithArray } = internalsOf(client)
  return (
    interceptedPassages.get(originalOf(client)!) ?? {
      query: _executeRequest,
      transactCallback: _transactionWithCallback,
      transactArray: _transactionWithArray,
    }
  )
}

const interceptedPassages = new WeakMap<object, Passages>()

/** Puts `own` into the way of a client and of all that are extended from it; {@link passagesOf} still has the former ones. */
export function intercept(client: object, own: Passages): void {
  const original = originalOf(client)!
  interceptedPassages.set(original, passagesOf(client))
  replacePassages(original, own)
}

/** Whether {@link intercept} was called for this client, or for one that it has its original in common with. */
export function isIntercepted(client: object): boolean {
  const original = originalOf(client)
  return original !== undefined && interceptedPassages.has(original)
}

/** A client of its own that leaves the given one as it is, with other passages, and an engine that only opens transactions. */
export function probeOf(
  client: object,
  own: Partial<Passages>,
  engine: Internals['_engine'],
): ExtensibleClient {
  const probe = bareClientOf(client).$extends({})
  replacePassages(probe, { ...passagesOf(client), ...own })
  Object.assign(probe, { _engine: engine })
  return probe
}

function replacePassages(client: object, { query, transactCallback, transactArray }: Passages): void {
  // Not enumerable, so that the client looks as it did.
  const attributes = { configurable: true, writable: true }
  Object.defineProperties(client, {
    _executeRequest: { ...attributes, value: query },
    _transactionWithCallback: { ...attributes, value: transactCallback },
    _transactionWithArray: { ...attributes, value: transactArray },
  })
}

/**
 * A client whose next transaction tells what the database says of its end: the errors of ROLLBACK are kept from the
 * caller, and so is whether an error is one of COMMIT.
 */
export function watchEnd(
  client: object,
  onEnd: (action: 'commit' | 'rollback', error?: unknown) => void,
): object {
  const { _engine: engine } = internalsOf(client)
  const transaction: typeof engine.transaction = async (action, ...rest) => {
    try {
      const result = await engine.transaction(action, ...rest)
      if (action !== 'start') onEnd(action)
      return result
    } catch (error) {
      if (action !== 'start') onEnd(action, error)
      throw error
    }
  }
  return Object.create(client, { _engine: { value: { transaction } } }) as object
}

/** The client that was constructed, without any extension: its queries pass no hook. */
export function bareClientOf(client: object): ExtensibleClient {
  return internalsOf(client)._originalClient._appliedParent
}

/** Models with their fields, by name. Relations are named, and no more: the schema has the rest. */
export function runtimeModelsOf(client: object): Internals['_runtimeDataModel']['models'] {
  return internalsOf(client)._runtimeDataModel?.models ?? {}
}

/** The text of the Prisma schema; empty when the client no longer carries it. */
export function schemaOf(client: object): string {
  const { inlineSchema } = internalsOf(client)._engineConfig ?? {}
  return typeof inlineSchema === 'string' ? inlineSchema : ''
}

/** `'postgresql'` and so on. */
export function providerOf(client: object): string {
  return internalsOf(client)._activeProvider
}

/** What interactive transactions may take, in milliseconds, when they do not say it. */
export function transactionTimeoutOf(client: object): number {
  return internalsOf(client)._engineConfig.transactionOptions.timeout
}

/** The fields of a model that the client leaves out of all results, `{ password: true }`. */
export function omittedFieldsOf(client: object, model: string): Args | undefined {
  return internalsOf(client)._globalOmit?.[delegateNameOf(model)]
}

/** The transaction whose client this is, or undefined for a client outside of transactions. */
export function transactionOf(client: object): PrismaTransaction | undefined {
  let found: PrismaTransaction | undefined
  const probe = internalsOf(client)._createPrismaPromise(async (transaction) => {
    found = transaction
  })
  // Awaiting it calls back at once; no query is made.
  void probe.then(() => {})
  return found
}

/** `auctionItem` for `AuctionItem`. */
function delegateNameOf(model: string): string {
  return model.charAt(0).toLowerCase() + model.slice(1)
}

/** Runs `findMany` in a transaction, past all extensions. */
export async function findManyIn(
  bareClient: object,
  transaction: PrismaTransaction,
  model: string,
  args: object,
): Promise<Record<string, unknown>[]> {
  const delegates = bareClient as Record<string, { findMany(args: object): PrismaPromise }>
  const query = delegates[delegateNameOf(model)]!.findMany(args)
  return (await query.requestTransaction(transaction)) as Record<string, unknown>[]
}

/** Runs a raw query in a transaction, past all extensions. */
export async function queryRawIn(
  bareClient: object,
  transaction: PrismaTransaction,
  sql: string,
  values: readonly unknown[],
): Promise<Record<string, unknown>[]> {
  const { $queryRawUnsafe } = bareClient as {
    $queryRawUnsafe(sql: string, ...values: unknown[]): PrismaPromise<Record<string, unknown>[]>
  }
  return $queryRawUnsafe.call(bareClient, sql, ...values).requestTransaction(transaction)
}

/** The table of a model, and its schema, without quotes. */
export function tableOf(client: object, model: string): { readonly schema: string; readonly name: string } {
  const { dbName, schema } = runtimeModelsOf(client)[model]!
  const { adapter } = internalsOf(client)._engineConfig
  return { schema: schema ?? adapter?.options?.schema ?? 'public', name: dbName ?? model }
}

/** The column of a field, without quotes. */
export function columnOf(client: object, model: string, field: string): string {
  return runtimeModelsOf(client)[model]!.fields.find(({ name }) => name === field)?.dbName ?? field
}
