import { extensionsOf } from '../client-extensions.js'
import {
  type Args,
  delegateNameOf,
  hasPlainErrors,
  type PrismaPromise,
  type PrismaTransaction,
  type QueryParams,
  type RuntimeField,
  runtimeModelsOf,
  senderOf,
} from '../internals.js'
import { findActions } from '../operations.js'
import type { ReadRunner } from './read-runner.js'

/**
 * Has the find methods of a client ask the caches first. Prisma prepares each query with proxies, spans and an asynchronous scope, which
 * takes many times as long as an answer from memory. Queries that no cache answers run as before.
 *
 * That is certain to be the same only where Prisma would add nothing of its own: no hooks, computed fields or methods of extensions, and
 * no line of the call in errors. Clients that are extended from this one have methods of their own, also where the application has given
 * such a method to this client.
 */
export function answerDirectly(client: object, runner: ReadRunner): void {
  const extensions = extensionsOf(client)
  const models = Object.entries(runtimeModelsOf(client))
  const isComputed = models.some(([model]) => extensions.getAllComputedFields(model) !== undefined)
  if (!hasPlainErrors(client) || isComputed) return
  const relations = new Map(models.map(([model, { fields }]) => [model, relationsIn(fields)]))
  for (const [model] of models) {
    if (!runner.mayAnswer(model)) continue
    const name = delegateNameOf(model)
    const delegate = (client as Readonly<Record<string, Readonly<Record<string, Find>>>>)[name]!
    for (const action of findActions) {
      const isHooked = extensions.getAllQueryCallbacks(name, action).length > 0
      const sender = senderOf(client, model, action)
      if (isHooked || !sender || extensionsOf(sender) !== extensions) continue
      const find = delegate[action]!
      const method: Method = {
        client,
        runner,
        params: { model, action, jsModelName: name, clientMethod: `${name}.${action}`, callsite: noPlace },
        find,
        relations,
      }
      Object.defineProperty(delegate, action, {
        configurable: true,
        writable: true,
        value: (args?: Args) => DirectQuery.of(method, args),
      })
    }
  }
}

/** A find method of a model. */
type Find = (args?: Args) => PrismaPromise

/** A query with the methods of the fluent API, one for each relation. */
type Fluent = Readonly<Record<string, Find>>

interface Method {
  readonly client: object
  readonly runner: ReadRunner
  /** The parameters of all queries of the method, as Prisma's own passes them on. */
  readonly params: Omit<QueryParams, 'args' | 'dataPath'>
  /** Prisma's own. */
  readonly find: Find
  /** The relations of each model. */
  readonly relations: ReadonlyMap<string, Relations>
}

/** The relation fields of a model, by name. */
type Relations = ReadonlyMap<string | symbol, RuntimeField>

function relationsIn(fields: readonly RuntimeField[]): Relations {
  return new Map(fields.flatMap((field) => (field.kind === 'object' ? [[field.name, field]] : [])))
}

/** A relation that the fluent API follows from a query with these arguments. */
interface Followed {
  readonly from: Args
  readonly relation: string
  readonly args: Args | undefined
}

/**
 * A query as Prisma's methods return it: it runs once, when it is awaited, or in the transaction that it is given. This is the handler of a
 * proxy, so that its methods are bound and its own, as Prisma's are, and are made for those who ask for them.
 */
class DirectQuery implements ProxyHandler<object> {
  readonly #method: Method
  readonly #params: QueryParams
  /** The relations that may be followed from its row. */
  readonly #relations: Relations
  readonly #followed: Followed | undefined
  #result: Promise<unknown> | undefined

  private constructor(method: Method, params: QueryParams, relations: Relations, followed?: Followed) {
    this.#method = method
    this.#params = params
    this.#relations = relations
    this.#followed = followed
  }

  static of(method: Method, args: Args | undefined): PrismaPromise {
    const { action, callsite, clientMethod, jsModelName, model } = method.params
    // Not spread, as there are many of them.
    const params = {
      model,
      action,
      jsModelName,
      clientMethod,
      callsite,
      args,
      dataPath: noPath,
    } as QueryParams
    // Prisma follows no relation of several rows.
    const relations = action === 'findMany' ? noRelations : method.relations.get(model!)!
    return promiseOf(new DirectQuery(method, params, relations))
  }

  get(own: object, name: string | symbol): unknown {
    const relation = this.#relations.get(name)
    if (relation) return (args?: Args) => this.#follow(relation, args)
    // The caller may have put another method in the place of one of these.
    const member: unknown = Reflect.get(own, name)
    return member === undefined ? this.#member(name) : member
  }

  has(own: object, name: string | symbol): boolean {
    return this.#relations.has(name) || members.has(name) || Reflect.has(own, name)
  }

  ownKeys(own: object): (string | symbol)[] {
    return [...new Set([...this.#relations.keys(), ...members, ...Reflect.ownKeys(own)])]
  }

  getOwnPropertyDescriptor(own: object, name: string | symbol): PropertyDescriptor | undefined {
    if (!this.#relations.has(name) && !members.has(name)) return Reflect.getOwnPropertyDescriptor(own, name)
    return { configurable: true, enumerable: true, writable: true, value: this.get(own, name) }
  }

  #member(name: string | symbol): unknown {
    switch (name) {
      case 'then':
        return (...handlers: Handlers) => this.#run().then(...handlers)
      case 'catch':
        return (onFailed: Handlers[1]) => this.#run().catch(onFailed)
      case 'finally':
        return (onEnd?: () => void) => this.#run().finally(onEnd)
      case 'requestTransaction':
        return (transaction: PrismaTransaction) => DirectQuery.#prismaOf(this).requestTransaction(transaction)
      case 'spec':
        return DirectQuery.#prismaOf(this).spec
      case Symbol.toStringTag:
        return 'PrismaPromise'
      default:
        return undefined
    }
  }

  /** `findUnique(…).bids(…)`. */
  #follow({ name, type }: RuntimeField, args: Args | undefined): PrismaPromise {
    const method = this.#method
    if (this.#followed) return fluent(DirectQuery.#prismaOf(this))[name]!(args)
    // As it is now: Prisma copies the outer arguments, too.
    const given = this.#params.args
    const from: Args = { ...given }
    const select = { ...(given?.['select'] as Args | undefined), [name]: args || true }
    const params = { ...method.params, args: { ...from, select }, dataPath: ['select', name] }
    const followed = { from, relation: name, args }
    return promiseOf(new DirectQuery(method, params, method.relations.get(type)!, followed))
  }

  /** Returns the query that Prisma makes of it. */
  static readonly #prismaOf = (query: DirectQuery): PrismaPromise => {
    const { find } = query.#method
    const followed = query.#followed
    return followed
      ? fluent(find(followed.from))[followed.relation]!(followed.args)
      : find(query.#params.args as Args | undefined)
  }

  #run(): Promise<unknown> {
    const { client, runner } = this.#method
    return (this.#result ??= runner.ask(client, this.#params, this, DirectQuery.#prismaOf))
  }
}

type Handlers = Parameters<Promise<unknown>['then']>

/** What each promise of Prisma has, in its order. */
const members: ReadonlySet<string | symbol> = new Set([
  'spec',
  'then',
  'catch',
  'finally',
  'requestTransaction',
  Symbol.toStringTag,
])

function promiseOf(query: DirectQuery): PrismaPromise {
  return new Proxy({}, query) as PrismaPromise
}

const noPath: readonly string[] = []
const noPlace = { getLocation: () => null }
const noRelations: Relations = new Map()

function fluent(query: PrismaPromise): Fluent {
  return query as object as Fluent
}
