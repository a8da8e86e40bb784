import type { QueryResults, ResultQuery } from '../../query-results.js'
import { isPlain } from '../../plain.js'
import type { Model, SchemaFacts } from '../../schema-facts.js'
import { type CachedOptions, cachedOptionsOf, extensionsOf } from '../client-extensions.js'
import {
  type Args,
  type ClientMethods,
  isInvalidQuery,
  omittedFieldsOf,
  type QueryParams,
} from '../internals.js'
import { copyArguments } from './copy-arguments.js'
import { argumentText } from './argument-text.js'
import { modelsRead } from './models-read.js'
import { asFindFirst } from './sent-alone.js'
import type { BypassReason } from './read-outcome.js'

/** Reasons of queries that no rows answer, and whose result may be kept. */
const answerable: ReadonlySet<BypassReason | 'no_cache'> = new Set([
  'operation',
  'condition',
  'id_value',
  'too_many_ids',
  'relations',
  'fields',
  'order',
  'paging',
  'costs',
  'argument',
  'apart',
  'not_registered',
  'no_cache',
] as const)

/** Operations of MongoDB, whose arguments are those of the database. */
const opaque: ReadonlySet<string> = new Set(['findRaw', 'aggregateRaw'])

/** Has queries that rows do not answer answered by results of the same queries. */
export class ResultQueries {
  readonly #client: object
  readonly #facts: SchemaFacts
  readonly #query: ClientMethods['query']
  readonly #isKeeping: boolean
  readonly #results: () => QueryResults | undefined

  /**
   * @param sending `query` leads to the database; `isKeeping` if results of any models are kept, and not only those that `cached` asks for
   * @param results those of this process; undefined before its start
   */
  constructor(
    client: object,
    facts: SchemaFacts,
    { isKeeping, query }: { readonly query: ClientMethods['query']; readonly isKeeping: boolean },
    results: () => QueryResults | undefined,
  ) {
    this.#client = client
    this.#facts = facts
    this.#query = query
    this.#isKeeping = isKeeping
    this.#results = results
  }

  /** Whether results may answer queries of a client. */
  mayAnswer(client: object): boolean {
    return this.#isKeeping || cachedOptionsOf(extensionsOf(client)) !== undefined
  }

  /** Answers a query outside of transactions; undefined if the database is to answer. */
  answer(
    client: object,
    params: QueryParams,
    reason: BypassReason | 'no_cache',
    cached?: CachedOptions,
  ): Promise<unknown> | undefined {
    if (!this.#isKeeping && !cached) return undefined
    const { action, model } = params
    const results = this.#results()
    // Prisma refuses null.
    if (!results?.isFrom(this.#client) || params.args === null || model === undefined) return undefined
    if (!answerable.has(reason) || opaque.has(action)) return undefined
    const args = copyOf(params)
    const query = args && this.#describe(client, params, args, cached)
    return (
      query &&
      results.answer(query)?.catch(async (error: unknown) => {
        // What Prisma says of arguments that it refuses shows them as they were given.
        if (isInvalidQuery(error) || error instanceof TypeError) await this.#query.call(client, params)
        throw error
      })
    )
  }

  /**
   * Answers `$queryRaw`, and typed SQL, of a client that `cached` has made.
   *
   * @param text of the SQL
   */
  answerRaw(
    client: object,
    params: QueryParams,
    text: string,
    { tables = [], ...options }: CachedOptions,
  ): Promise<unknown> | undefined {
    const values = argumentText(valuesOf(params.args))
    if (values === undefined) return undefined
    const run = (): Promise<unknown> => this.#query.call(client, params)
    const results = this.#results()
    if (!results?.isFrom(this.#client)) return undefined
    return results.answer({
      text: `${params.action} ${JSON.stringify(text)} ${values}`,
      model: tables[0] ?? '',
      models: new Set(tables),
      options,
      run,
    })
  }

  #describe(
    client: object,
    params: QueryParams,
    args: Args,
    cached: CachedOptions | undefined,
  ): ResultQuery | undefined {
    const { action, dataPath } = params
    const model = params.model!
    const sent = this.#sent(params, args)
    if (!sent) return undefined
    const text = argumentText(args)
    if (text === undefined) return undefined
    const models = modelsRead(this.#facts.models, { action, args, model })
    // Prisma selects also what computed fields need, and an extension may be that of one client only.
    const extensions = extensionsOf(client)
    const computed = [...models].map((name) => extensions.getAllComputedFields(name))
    const needs = computed.some((fields) => fields !== undefined)
      ? computed.map((fields) => Object.entries(fields ?? {}).map(([field, { needs }]) => [field, needs]))
      : []
    const omitted = [...models].map((name) => omittedFieldsOf(this.#client, name) ?? null)
    return {
      text: `${model}.${action} ${JSON.stringify([dataPath, needs, omitted])} ${text}`,
      model,
      models,
      options: cached,
      run: () => this.#query.call(client, sent),
    }
  }

  /**
   * What is sent for a query. Prisma puts each findUnique together with others of its turn, whose errors it then has as well: those that
   * were sent in several turns leave in one.
   */
  #sent(params: QueryParams, args: Args): QueryParams | undefined {
    const { models } = this.#facts
    if (!params.action.startsWith('findUnique')) return { ...params, args }
    return isByKey(models.get(params.model!)!, args) ? asFindFirst(models, { ...params, args }) : undefined
  }
}

/** The values of a raw query: those of `Prisma.sql`, or the arguments behind the text. */
function valuesOf(args: unknown): unknown {
  const [first = args, ...others] = Array.isArray(args) ? (args as unknown[]) : []
  const { values } = Object(first) as { readonly values?: unknown }
  return [values ?? [], others]
}

/** With what is undefined, which errors show. Undefined if only Prisma knows what it reads in the arguments. */
function copyOf({ args: given }: QueryParams): Args | undefined {
  try {
    const { args, isComplete } = copyArguments(given)
    return isComplete ? args : undefined
  } catch {
    return undefined
  }
}

/** Whether a findUnique has a key, and nothing but values, so that a findFirst finds what it does. */
function isByKey({ nullableKeys, scalars, uniqueKeys }: Model, { where }: Args): boolean {
  if (!isPlain(where)) return false
  const fieldsOf = (name: string): readonly string[] | undefined =>
    uniqueKeys.get(name) ?? nullableKeys.get(name)
  if (!Object.keys(where).some(fieldsOf)) return false
  return Object.entries(where).every(([name, value]) =>
    isPlain(value) && !scalars.has(name)
      ? fieldsOf(name)?.every((field) => isValue(value[field]))
      : isValue(value),
  )
}

function isValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value !== undefined && value !== null && !isPlain(value) && !Array.isArray(value)
}
