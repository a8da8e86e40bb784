/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
/** What Prisma keeps of the extensions of a client. `verifyReads` checks each assumption when an application starts. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ResultOptions } from '../query-results.js'
import { delegateNameOf, type ExtensibleClient, originalOf, senderOf } from './internals.js'

/** The fields that result extensions add to the rows of a model, and the fields of the model that each is computed from. */
export type ComputedFields = Readonly<
  Record<string, { readonly name: string; readonly needs: readonly string[] }>
>

/** All extensions of a client. A client extended from it has another list. */
export interface ExtensionList {
  getAllComputedFields(model: string): ComputedFields | undefined
  getAllClientExtensions(): object | undefined
  getAllModelExtensions(model: string): object | undefined
  getAllQueryCallbacks(delegate: string, operation: string): readonly unknown[]
  /** Hooks that replace how queries are sent. */
  getAllBatchQueryCallbacks(): readonly unknown[]
  /** The last extension, and those before it. */
  readonly head?: ExtensionNode | undefined
}

interface ExtensionNode {
  readonly extension: { readonly client?: object; readonly query?: { readonly $allOperations?: unknown } }
  readonly previous?: ExtensionNode | undefined
}

interface Extended extends ExtensibleClient {
  readonly _extensions: ExtensionList
  readonly _appliedParent: object
  /** Runs the hooks of extensions, then the query. */
  _request(this: Extended, params: object): Promise<unknown>
  /** Makes the client of a callback, and those of its parents, which are of the same transaction. */
  _createItxClient(this: Extended, ...transaction: unknown[]): object
}

export function extensionsOf(client: object): ExtensionList {
  return (client as Extended)._extensions
}

/**
 * Whether hooks of a client see the queries of an operation, other than the one that only sends them to replicas. They are those of the
 * client whose method the application has put in the place of its own, if it has.
 */
export function hasQueryHooks(client: object, model: string, operation: string): boolean {
  const extensions = extensionsOf(senderOf(client, model, operation) ?? client)
  const sending = new Set<unknown>()
  for (let node = extensions.head; node; node = node.previous) {
    const { client: methods, query } = node.extension
    if (methods && readsReplicas(methods)) sending.add(query?.$allOperations)
  }
  const hooks = extensions.getAllQueryCallbacks(delegateNameOf(model), operation)
  return hooks.some((hook) => !sending.has(hook))
}

/** Whether queries are sent to replicas by `@prisma/extension-read-replicas`, or another extension with its methods. */
export function readsReplicas(client: object): boolean {
  const { $primary, $replica } = client as { readonly $primary?: unknown; readonly $replica?: unknown }
  return typeof $primary === 'function' && typeof $replica === 'function'
}

const uncached = Symbol('model-cache: uncached')

const uncachedCalls = new AsyncLocalStorage<true>()

/** Whether a query is sent for one of a `$uncached`, by an extension that sends it to another client. */
export function isUncachedCall(): boolean {
  return uncachedCalls.getStore() === true
}

/** Whether queries come from a `$uncached` of {@link addUncached}, or from a client extended from it. */
export function isUncached(extensions: ExtensionList): boolean {
  return uncached in (extensions.getAllClientExtensions() ?? {})
}

/** How queries of a client are answered that {@link withCached} has made. */
export interface CachedOptions extends ResultOptions {
  /** The models that raw queries read; `[]` for none. @default raw queries are refused */
  readonly tables?: readonly string[]
  /** The tags by which `invalidateTags` ends results. @default none */
  readonly tags?: readonly string[]
  /** Whether results live until their ttl ends, whatever is written meanwhile. @default false */
  readonly mayBeStale?: boolean
}

const cachedOptions = Symbol('model-cache: cached')
const cachedClients = new WeakMap<ExtensionList, Map<string, object>>()
/** Sets of options, the latest, whose clients are kept: tags may name tenants. A client takes some 50 µs to extend, and 14 kB. */
const maxCached = 1_000

/** The options of the `cached` that queries come from, or that their client was extended from. */
export function cachedOptionsOf(extensions: ExtensionList): CachedOptions | undefined {
  const members = extensions.getAllClientExtensions() as
    { readonly [cachedOptions]?: CachedOptions } | undefined
  return members?.[cachedOptions]
}

/** Returns a client whose queries {@link cachedOptionsOf} has the options of; the same one for the same options. */
export function withCached(client: object, options: CachedOptions): object {
  const extensions = extensionsOf(client)
  const known = cachedClients.get(extensions) ?? new Map<string, object>()
  cachedClients.set(extensions, known)
  const key = JSON.stringify(options)
  const found =
    known.get(key) ??
    extendedWith(client as Extended, {
      name: 'model-cache: cached',
      // A copy: the caller may change its object.
      client: { [cachedOptions]: structuredClone(options) },
    })
  known.delete(key)
  known.set(key, found)
  if (known.size > maxCached) known.delete(known.keys().next().value!)
  return found
}

function extendedWith(client: Extended, extension: object): object {
  const found = client.$extends(extension)
  // Prisma takes this client for the parent, which is here the one without its models.
  Object.defineProperty(found, '_appliedParent', { configurable: true, value: client._appliedParent })
  return found
}

/**
 * Gives all clients of a PrismaClient the property `$uncached`: the same client, with a mark that {@link isUncached} finds; of a
 * transaction, the client itself.
 */
export function addUncached(client: object): void {
  const derived = new WeakMap<ExtensionList, object>()
  const original = originalOf(client)!
  const { _createItxClient: createOfTransaction, _request: request } = client as Extended
  const runUncached = function (this: Extended, params: object): Promise<unknown> {
    if (!isUncached(extensionsOf(this))) return request.call(this, params)
    return uncachedCalls.run(true, () => request.call(this, params))
  }
  Object.defineProperty(original, '_request', { configurable: true, writable: true, value: runUncached })
  Object.defineProperty(original, '_createItxClient', {
    configurable: true,
    writable: true,
    value(this: Extended, ...transaction: unknown[]): object {
      return withUncached(createOfTransaction.apply(this, transaction))
    },
  })
  Object.defineProperty(original, '$uncached', {
    configurable: true,
    get(this: Extended) {
      const extensions = extensionsOf(this)
      let found = derived.get(extensions)
      if (!found) {
        found = extendedWith(this, { name: 'model-cache: uncached', client: { [uncached]: true } })
        derived.set(extensions, found)
      }
      return found
    },
  })
}

const ofTransaction = Symbol('model-cache: of a transaction')

/** Gives the client of a transaction the property `$uncached`: itself, as the database answers all its queries. */
function withUncached(tx: object): object {
  const wrapped: object = new Proxy(tx, {
    get: (target, name): unknown =>
      name === '$uncached' ? wrapped : name === ofTransaction || Reflect.get(target, name),
  })
  return wrapped
}

/** Whether a client is that of a transaction's callback, or a parent of it. */
export function isOfTransaction(client: object): boolean {
  return (client as { readonly [ofTransaction]?: true })[ofTransaction] === true
}
