/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import type { AdapterFactory } from './capture/adapter.js'

/**
 * Every assumption about Prisma beyond its documented API. `verifyExtension` checks each of them when an
 * application starts.
 */

/** The transaction of a query. The engine gives interactive ones their ids; batches are numbered. */
export interface PrismaTransaction {
  readonly kind: 'itx' | 'batch'
  readonly id: string | number
}

/** A query that runs when it is awaited, or when it is given a transaction. */
export interface PrismaPromise<T = unknown> extends PromiseLike<T> {
  readonly [Symbol.toStringTag]: 'PrismaPromise'
  /** The query; undefined for raw queries and for queries that an extension passes on. */
  readonly spec?: QuerySpec | undefined
  requestTransaction(transaction: PrismaTransaction): PromiseLike<T>
}

export interface QuerySpec {
  readonly model?: string
  readonly action: string
  readonly args?: unknown
}

/** What Prisma passes from one step of a query to the next. */
export interface QueryParams {
  readonly model?: string
  readonly args?: Args | null
  /** Makes what is sent of the arguments of a raw query: its SQL, and its values as text. */
  readonly argsMapper?: ((args: unknown) => Args) | undefined
  readonly transaction?: PrismaTransaction | undefined
  /** The path of the fluent API: `['select', 'bids']` for `update(…).bids()`, otherwise empty. */
  readonly dataPath: readonly string[]
  readonly action: string
  /** `auctionItem` */
  readonly jsModelName?: string
  /** `auctionItem.update` */
  readonly clientMethod?: string
  /** The place of the call, which errors name. */
  readonly callsite?: { getLocation(): null }
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

/** Methods that all clients of one PrismaClient go through, below all extensions. */
export interface ClientMethods {
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

/** What sends the queries of a client, and connects it. */
type Engine = Record<string, EngineMethod>
export type EngineMethod = (...args: unknown[]) => unknown

/** A query as the engine gets it: nothing of it belongs to the caller any more. */
export interface EngineQuery {
  /** `updateOne`; those of reads are the operations of the client. */
  readonly action: string
  /** Undefined for raw queries. */
  readonly modelName?: string | undefined
  /** Raw queries have their SQL in it. */
  readonly query?: { readonly arguments?: Args | undefined }
}

interface Internals {
  readonly _runtimeDataModel: { readonly models: Readonly<Record<string, RuntimeModel>> }
  readonly _engineConfig: {
    readonly inlineSchema: string
    readonly adapter?: AdapterFactory
  }
  readonly _engine: Engine
  readonly _activeProvider: string
  readonly _previewFeatures?: readonly string[]
  readonly _globalOmit?: Readonly<Record<string, Args | undefined>>
  readonly _errorFormat?: string
  readonly _extensions: object
  readonly _tracingHelper?: { isEnabled(): boolean }
  readonly _originalClient: object & { readonly _appliedParent: ExtensibleClient }
  readonly _executeRequest: ClientMethods['query']
  readonly _transactionWithCallback: ClientMethods['transactCallback']
  readonly _transactionWithArray: ClientMethods['transactArray']
  _createPrismaPromise(callback: (transaction?: PrismaTransaction) => Promise<unknown>): PrismaPromise
}

export interface ExtensibleClient {
  $extends(extension: object): ExtensibleClient
  $transaction(work: unknown, options?: object): Promise<unknown>
}

function internalsOf(client: object): Internals {
  return client as Internals
}

/** The constructed client behind extended clients and the clients of their transactions. */
export function originalOf(client: object): object | undefined {
  return internalsOf(client)._originalClient
}

/** Returns a check whether another client, such as that of a transaction, belongs to the same PrismaClient and database. */
export function isSameDatabaseAs(client: object): (other: object) => boolean {
  const original = originalOf(client)
  return (other) => originalOf(other) === original
}

/** The client's own methods, before or after {@link intercept}. */
export function clientMethodsOf(client: object): ClientMethods {
  const { _executeRequest, _transactionWithCallback, _transactionWithArray } = internalsOf(client)
  return (
    originalMethods.get(originalOf(client)!) ?? {
      query: _executeRequest,
      transactCallback: _transactionWithCallback,
      transactArray: _transactionWithArray,
    }
  )
}

const originalMethods = new WeakMap<object, ClientMethods>()

/** Replaces the methods of a client and of all clients extended from it; {@link clientMethodsOf} still returns the former ones. */
export function intercept(client: object, own: ClientMethods): void {
  const original = originalOf(client)!
  originalMethods.set(original, clientMethodsOf(client))
  replaceMethods(original, own)
}

/** Whether {@link intercept} was called for this client or another one of the same PrismaClient. */
export function isIntercepted(client: object): boolean {
  const original = originalOf(client)
  return original !== undefined && originalMethods.has(original)
}

/**
 * Derives a client with other methods, an engine that only opens transactions, and an extension. The given client stays as it is.
 */
export function probeOf(
  client: object,
  own: Partial<ClientMethods>,
  engine: Engine,
  extension: object = {},
): ExtensibleClient {
  const probe = bareClientOf(client).$extends(extension)
  replaceMethods(probe, { ...clientMethodsOf(client), ...own })
  Object.assign(probe, { _engine: engine })
  return probe
}

function replaceMethods(client: object, { query, transactCallback, transactArray }: ClientMethods): void {
  // Not enumerable, so that the client looks as it did.
  const attributes = { configurable: true, writable: true }
  Object.defineProperties(client, {
    _executeRequest: { ...attributes, value: query },
    _transactionWithCallback: { ...attributes, value: transactCallback },
    _transactionWithArray: { ...attributes, value: transactArray },
  })
}

/** The constructed client without extensions, whose queries run no hooks. */
export function bareClientOf(client: object): ExtensibleClient {
  return internalsOf(client)._originalClient._appliedParent
}

/**
 * The client whose queries a method of a delegate sends. An application may have put the delegate of an extended client in the place of
 * Prisma's own, or a function: `Object.assign(this, this.$extends(…))`.
 *
 * @returns undefined if the method is not Prisma's own, or belongs to another PrismaClient
 */
export function senderOf(client: object, model: string, action: string): object | undefined {
  const method = methodOf(client, model, action)
  if (typeof method !== 'function') return undefined
  // Functions with the same text, which Prisma makes for each client.
  if (String(method) !== String(methodOf(untouchedClientOf(client), model, action))) return undefined
  const original = originalOf(client) as { _createPrismaPromise: unknown }
  const { _createPrismaPromise: createPromise } = original
  let sender: object | undefined
  original._createPrismaPromise = function (this: object) {
    // oxlint-disable-next-line typescript/no-this-alias -- which client the method is called on is the question
    sender = this
    return {}
  }
  try {
    method()
  } finally {
    original._createPrismaPromise = createPromise
  }
  return sender
}

function methodOf(client: object, model: string, action: string): (() => unknown) | undefined {
  const delegates = client as Readonly<Record<string, Readonly<Record<string, () => unknown>> | undefined>>
  return delegates[delegateNameOf(model)]?.[action]
}

/**
 * The constructed client without extensions, like {@link bareClientOf}, with the delegates that Prisma has made, whatever the application
 * has put in their place.
 */
export function untouchedClientOf(client: object): object {
  const original = originalOf(client)!
  let untouched = untouchedClients.get(original)
  if (!untouched) {
    untouched = bareClientOf(client).$extends({})
    // Empties the list, which is this client's own. Prisma would look for fields to compute in each of its results.
    Object.assign(internalsOf(untouched)._extensions, { head: undefined })
    untouchedClients.set(original, untouched)
  }
  return untouched
}

const untouchedClients = new WeakMap<object, object>()

/** Models with their fields, by name. Of relations they have the name only; the schema has the rest. */
export function runtimeModelsOf(client: object): Internals['_runtimeDataModel']['models'] {
  return internalsOf(client)._runtimeDataModel?.models ?? {}
}

/** The text of the Prisma schema; empty if the client does not carry it. */
export function schemaOf(client: object): string {
  const { inlineSchema } = internalsOf(client)._engineConfig ?? {}
  return typeof inlineSchema === 'string' ? inlineSchema : ''
}

/** `'postgresql'` and so on. */
export function providerOf(client: object): string {
  return internalsOf(client)._activeProvider
}

/** What connects a client, when its first query comes. */
export function engineOf(client: object): Engine {
  return internalsOf(client)._engine
}

/** The driver adapter that the client connects by; undefined for a client with an engine of its own. */
export function adapterFactoryOf(client: object): AdapterFactory | undefined {
  return internalsOf(client)._engineConfig?.adapter
}

/** Where the driver adapter of a client connects to, as text to compare; undefined for adapters that do not show it. */
export function adapterConfigOf(client: object): string | undefined {
  const { config } = (adapterFactoryOf(client) ?? {}) as { readonly config?: unknown }
  return config === undefined ? undefined : JSON.stringify(config)
}

/** `'@prisma/adapter-pg'` and so on; undefined for a client with an engine of its own. */
export function adapterNameOf(client: object): string | undefined {
  return adapterFactoryOf(client)?.adapterName
}

/** The fields of a model that the client omits from all results, `{ password: true }`. */
export function omittedFieldsOf(client: object, model: string): Args | undefined {
  return internalsOf(client)._globalOmit?.[delegateNameOf(model)]
}

/** Whether Prisma refuses `undefined` in arguments. */
export function refusesUndefined(client: object): boolean {
  return internalsOf(client)._previewFeatures?.includes('strictUndefinedChecks') ?? false
}

/**
 * Providers for which Prisma has joins, though not on each server of them. For others the preview feature changes nothing, and Prisma refuses
 * `relationLoadStrategy`.
 */
const joining: ReadonlySet<string> = new Set(['postgresql', 'postgres', 'cockroachdb', 'mysql'])

/** Whether Prisma reads relations with joins, where the server has them, unless a query says otherwise. */
export function joinsRelations(client: object): boolean {
  const isOn = internalsOf(client)._previewFeatures?.includes('relationJoins') ?? false
  return isOn && joining.has(providerOf(client))
}

/** Whether errors of the client name no place in the application, as with NODE_ENV=production. */
export function hasPlainErrors(client: object): boolean {
  return internalsOf(client)._errorFormat === 'minimal'
}

/** Whether the client reports its queries as spans, which it decides for each query. */
export function isTraced(client: object): boolean {
  return internalsOf(client)._tracingHelper?.isEnabled() ?? true
}

/** The transaction of a client; undefined outside of transactions. */
export function transactionOf(client: object): PrismaTransaction | undefined {
  let found: PrismaTransaction | undefined
  const probe = internalsOf(client)._createPrismaPromise(async (transaction) => {
    found = transaction
  })
  // Calls back at once, without a query.
  void probe.then(() => {})
  return found
}

/** `auctionItem` for `AuctionItem`. */
export function delegateNameOf(model: string): string {
  return model.charAt(0).toLowerCase() + model.slice(1)
}

/** Whether Prisma has refused a query as invalid. Such a query has not reached the database. */
export function isInvalidQuery(error: unknown): boolean {
  // The name decides: clients that were generated separately have different classes.
  return (error as { readonly name?: unknown } | null | undefined)?.name === 'PrismaClientValidationError'
}

/** Whether a query that throws if it finds no row has found none. */
export function isNotFound(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null | undefined)?.code === 'P2025'
}

/** The schema of the database that has the tables of models which name none. */
export function defaultSchemaOf(client: object): string {
  return adapterFactoryOf(client)?.options?.schema ?? 'public'
}
