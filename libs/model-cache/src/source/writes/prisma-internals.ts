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

/** What a query hook gets of a query besides the documented parts. */
export interface QueryParams {
  readonly transaction?: PrismaTransaction | undefined
  /** Of the fluent API: `['select', 'bids']` for `update(…).bids()`, empty else. */
  readonly dataPath: readonly string[]
  readonly action: string
}

/** A query on its way through the hooks of extensions. */
export interface HookCall {
  readonly model: string
  readonly operation: string
  readonly args: Args
  readonly params: QueryParams
  /** Hands it on, to the hooks of later extensions and to the database. */
  readonly query: (args: object, params?: QueryParams) => PrismaPromise
}

/** Arguments of any operation: `where`, `data`, `select` and so on. */
export type Args = Readonly<Record<string, unknown>>

/** Both forms: a callback, or an array of queries. */
export type Transact = (this: object, work: unknown, options?: object) => Promise<unknown>

export interface RuntimeField {
  readonly name: string
  readonly kind: 'scalar' | 'object' | 'enum' | 'unsupported'
  /** `'DateTime'`, or the model of a relation. */
  readonly type: string
  /** Set for relations only. */
  readonly relationName?: string | null
}

interface Internals {
  readonly _runtimeDataModel: {
    readonly models: Readonly<Record<string, { readonly fields: readonly RuntimeField[] }>>
  }
  readonly _engineConfig: {
    readonly inlineSchema: string
    readonly transactionOptions: { readonly timeout: number }
  }
  readonly _activeProvider: string
  readonly _globalOmit?: Readonly<Record<string, Args | undefined>>
  readonly _originalClient: {
    readonly _appliedParent: ExtensibleClient
    $on(...listener: unknown[]): void
  }
  _createPrismaPromise(callback: (transaction?: PrismaTransaction) => Promise<unknown>): PrismaPromise
}

interface ExtensibleClient {
  $extends(extension: object): ExtensibleClient
  $transaction: Transact
}

/** The arguments of a query hook, as Prisma gives them. */
interface HookArguments extends Omit<HookCall, 'params'> {
  readonly __internalParams: QueryParams
}

function internalsOf(client: object): Internals {
  return client as Internals
}

/** A client with one more extension: hooks by operation for all models, and methods of the client. */
export function extendWith<Client extends object>(
  client: Client,
  operations: readonly string[],
  hook: (call: HookCall) => PromiseLike<unknown>,
  methods: object = {},
): Client {
  const onQuery = ({ __internalParams, ...call }: HookArguments) =>
    hook({ ...call, params: __internalParams })
  return (client as unknown as ExtensibleClient).$extends({
    name: 'model-cache',
    query: { $allModels: Object.fromEntries(operations.map((operation) => [operation, onQuery])) },
    client: methods,
  }) as unknown as Client
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

/** `$on` of the client that was constructed. */
export function listenOn(client: object, listener: readonly unknown[]): void {
  internalsOf(client)._originalClient.$on(...listener)
}

/** Takes a client off its database: its transactions are none, and queries must end in a hook. */
export function withoutEngine(client: object): void {
  Object.assign(client, { _engine: { transaction: async () => ({ id: 'model-cache' }) } })
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
