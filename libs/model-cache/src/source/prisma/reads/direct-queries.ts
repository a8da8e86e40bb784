import { extensionsOf } from '../client-extensions.js'
import {
  type Args,
  delegateNameOf,
  hasPlainErrors,
  type PrismaPromise,
  type PrismaTransaction,
  type QueryParams,
  type QuerySpec,
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
  const queries = new Map(
    models.map(([model, { fields }]) => [
      model,
      queryClassOf(fields.filter(({ kind }) => kind === 'object')),
    ]),
  )
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
        queries,
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
  /** The classes of queries, by the model of their rows. */
  readonly queries: ReadonlyMap<string, typeof DirectQuery>
}

/** A relation that the fluent API follows from a query with these arguments. */
interface Followed {
  readonly from: Args
  readonly relation: string
  readonly args: Args | undefined
}

/** A query as Prisma's methods return it: it runs once, when it is awaited, or in the transaction that it is given. */
class DirectQuery implements PrismaPromise {
  readonly #method: Method
  readonly #params: QueryParams
  readonly #followed: Followed | undefined
  #result: Promise<unknown> | undefined

  constructor(method: Method, params: QueryParams, followed?: Followed) {
    this.#method = method
    this.#params = params
    this.#followed = followed
  }

  static of(method: Method, args: Args | undefined): DirectQuery {
    const { action, callsite, clientMethod, jsModelName, model } = method.params
    // Prisma follows no relation of several rows.
    const Query = action === 'findMany' ? DirectQuery : method.queries.get(model!)!
    // Not spread, as there are many of them.
    return new Query(method, {
      model,
      action,
      jsModelName,
      clientMethod,
      callsite,
      args,
      dataPath: noPath,
    } as QueryParams)
  }

  /** `findUnique(…).bids(…)`. */
  static follow(query: DirectQuery, { name, type }: RuntimeField, args: Args | undefined): PrismaPromise {
    const method = query.#method
    if (query.#followed) return fluent(DirectQuery.prismaOf(query))[name]!(args)
    // As it is now: Prisma copies the outer arguments, too.
    const given = query.#params.args
    const from: Args = { ...given }
    const select = { ...(given?.['select'] as Args | undefined), [name]: args || true }
    const params = { ...method.params, args: { ...from, select }, dataPath: ['select', name] }
    const Query = method.queries.get(type)!
    return new Query(method, params, { from, relation: name, args })
  }

  /** The same query of Prisma. */
  static prismaOf(query: DirectQuery): PrismaPromise {
    const { find } = query.#method
    const followed = query.#followed
    return followed
      ? fluent(find(followed.from))[followed.relation]!(followed.args)
      : find(query.#params.args as Args | undefined)
  }

  get [Symbol.toStringTag](): 'PrismaPromise' {
    return 'PrismaPromise'
  }

  get spec(): QuerySpec | undefined {
    return DirectQuery.prismaOf(this).spec
  }

  // oxlint-disable-next-line unicorn/no-thenable -- as Prisma's
  then<Found = unknown, Failed = never>(
    onFound?: ((value: unknown) => Found | PromiseLike<Found>) | null,
    onFailed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Found | Failed> {
    return this.#run().then(onFound, onFailed)
  }

  catch<Failed = never>(
    onFailed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<unknown> {
    return this.#run().catch(onFailed)
  }

  finally(onEnd?: (() => void) | null): Promise<unknown> {
    return this.#run().finally(onEnd)
  }

  requestTransaction(transaction: PrismaTransaction): PromiseLike<unknown> {
    return DirectQuery.prismaOf(this).requestTransaction(transaction)
  }

  #run(): Promise<unknown> {
    const { client, runner } = this.#method
    return (this.#result ??= runner.ask(client, this.#params, this, DirectQuery.prismaOf))
  }
}

const noPath: readonly string[] = []
const noPlace = { getLocation: () => null }

function fluent(query: PrismaPromise): Fluent {
  return query as object as Fluent
}

/** The class of queries for rows that have these relations. */
function queryClassOf(relations: readonly RuntimeField[]): typeof DirectQuery {
  class FluentQuery extends DirectQuery {}
  for (const relation of relations) {
    Object.defineProperty(FluentQuery.prototype, relation.name, {
      value(this: DirectQuery, args?: Args) {
        return DirectQuery.follow(this, relation, args)
      },
    })
  }
  return FluentQuery
}
