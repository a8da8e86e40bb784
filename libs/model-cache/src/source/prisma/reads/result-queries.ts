import type { Column } from '../../columns/column.js'
import type { QueryResults, ResultQuery, Scope } from '../../query-results.js'
import { isPlain } from '../../plain.js'
import type { Model, SchemaFacts } from '../../schema-facts.js'
import {
  type CachedOptions,
  cachedOptionsOf,
  type ExtensionList,
  extensionsOf,
} from '../client-extensions.js'
import {
  type Args,
  type ClientMethods,
  isInvalidQuery,
  omittedFieldsOf,
  refusesUndefined,
  type QueryParams,
} from '../internals.js'
import { Unanswered } from './read-answer.js'
import { differingInAny } from './compare-results.js'
import { copyArguments } from './copy-arguments.js'
import { argumentText, hasUndefined } from './argument-text.js'
import { returnsKeptOut } from './kept-out-fields.js'
import { modelsRead } from './models-read.js'
import { asFindFirst } from './sent-alone.js'
import type { GivenRead, PlannedRead } from './planned-read.js'
import type { ReadSettings } from './read-options.js'
import type { ShadowedQuery } from './shadow.js'
import type { BypassReason } from './read-outcome.js'
import type { ResultExplanation } from './query-explanation.js'
import type { ReadPlan } from './read-plan.js'
import { type ScopeFields, scopesRead } from './scopes-read.js'
import { literalShapeOf, type Unplanned } from './refusals.js'
import {
  always,
  isComposed,
  ResultPreference,
  type ResultShape,
  sampleNumberOf,
} from './result-preference.js'
import { resultRows } from './result-rows.js'
import { type CountedResults, noteLoaded, type ResultShapes } from './result-shapes.js'

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

/** Shapes of queries that are kept for a client. */
const maxShapes = 500

interface AskedResult {
  readonly client: object
  /** With the arguments as they were given. */
  readonly params: QueryParams
  readonly args: Args
  readonly options?: ResultQuery['options']
}

/** What a query is sent with, and the text that stands for it. */
interface Sendable {
  readonly sent: QueryParams
  readonly text: string
}

/** @property hasNeeds whether computed fields read fields of its rows */
type DescribedShape = ResultShape & { readonly hasNeeds: boolean }

type ShadowedResult = Pick<ShadowedQuery, 'answer' | 'query' | 'compared' | 'isCut' | 'differing'>

interface ResultsOfClient {
  /** Leads to the database. */
  readonly query: ClientMethods['query']
  /** By model; empty if only queries are answered that `cached` asks for. */
  readonly settings: ReadSettings['results']
  /** Counts what results answer. */
  readonly shapes: ResultShapes
}

/** Whether results may answer queries that went to the database for a reason. */
export function mayKeepResult(action: string, reason: BypassReason | 'no_cache'): boolean {
  return answerable.has(reason) && !opaque.has(action)
}

/** Has queries answered by results of the same queries: those that rows do not answer, and those that results answer for less. */
export class ResultQueries {
  readonly #client: object
  readonly #facts: SchemaFacts
  readonly #query: ClientMethods['query']
  readonly #settings: ReadSettings['results']
  readonly #by: ScopeFields
  readonly #isKeeping: boolean
  readonly #isStrict: boolean
  readonly #counts: ResultShapes
  /** By model, operation and literal shape, of the clients with the same extensions. */
  readonly #shapes = new WeakMap<ExtensionList, Map<string, ResultShape>>()
  readonly #results: () => QueryResults | undefined

  /**
   * @param results those of this process; undefined before its start
   */
  constructor(
    client: object,
    facts: SchemaFacts,
    { query, settings, shapes }: ResultsOfClient,
    results: () => QueryResults | undefined,
  ) {
    this.#client = client
    this.#facts = facts
    this.#query = query
    this.#settings = settings
    this.#by = new Map(
      [...settings].flatMap(([model, { by }]) => (by ? [[model, [by].flat()] as const] : [])),
    )
    this.#isKeeping = settings.size > 0
    this.#isStrict = refusesUndefined(client)
    this.#counts = shapes
    this.#results = results
  }

  /** Whether results may answer queries of a client. */
  mayAnswer(client: object): boolean {
    return this.#isKeeping || cachedOptionsOf(extensionsOf(client)) !== undefined
  }

  /** Answers a query outside of transactions that no rows answer; undefined if the database is to answer. */
  answer(
    client: object,
    params: QueryParams,
    unplanned: Pick<Unplanned, 'args' | 'cached' | 'reason'>,
  ): Promise<unknown> | undefined {
    const asked = this.#asked(client, params, unplanned)
    if (!asked || !this.#hasStarted()) return undefined
    const shape = this.#shapeOf(client, asked)
    return this.#answerIfFound(shape, asked)
  }

  /** Undefined for a query that no result may answer. */
  #asked(
    client: object,
    params: QueryParams,
    { args: copied, cached, reason }: Pick<Unplanned, 'args' | 'cached' | 'reason'>,
  ): AskedResult | undefined {
    if (!this.#isKeeping && !cached) return undefined
    // Prisma refuses null.
    if (params.args === null || params.model === undefined) return undefined
    if (!mayKeepResult(params.action, reason)) return undefined
    const args = (copied as Args | undefined) ?? copyOf(params)
    return args && { client, params, args, options: cached }
  }

  /** The shape of a query that rows answer as well, if results may answer it for less. */
  preferred(client: object, { args, params }: GivenRead, plan: ReadPlan): ResultShape | undefined {
    const settings = this.#settings.get(params.model!)
    if (!settings || settings.prefer === false || (!settings.prefer && !isComposed(plan))) return undefined
    const shape = this.#shapeOf(client, { params, args })
    return shape.isListed ? shape : undefined
  }

  /** Answers a query that rows answer as well; undefined if these are to. */
  answerPreferred(
    client: object,
    { args, params, preferred }: Pick<PlannedRead, 'args' | 'params' | 'preferred'>,
  ): Promise<unknown> | undefined {
    if (!preferred || !this.#hasStarted()) return undefined
    return this.#answerIfFound(preferred, { client, params, args })
  }

  /** Returns what compares the result that is kept of a query with the database; undefined if none is kept. */
  shadowed(
    client: object,
    params: QueryParams,
    unplanned: Pick<Unplanned, 'args' | 'cached' | 'reason'>,
  ): ShadowedResult | undefined {
    const asked = this.#asked(client, params, unplanned)
    const results = this.#results()
    if (!asked || !results?.isFrom(this.#client)) return undefined
    const shape = this.#shapeOf(client, asked)
    const sendable = this.#sendable(shape, asked)
    const query = sendable && this.#queryOf(shape, asked, sendable)
    if (!query || !results.keeps(query)) return undefined
    return {
      // A result that could not be stored is not looked for at once.
      answer: () => this.#answerAs(shape, asked, query) ?? Promise.resolve(new Unanswered('not_registered')),
      query: query.run,
      compared: results.comparedOf(query.model),
      isCut: false,
      differing: differingInAny,
    }
  }

  /** Says whether a result may answer a query, and what is stored of it. */
  async explain(
    client: object,
    params: QueryParams,
    { cached, reason }: Pick<Unplanned, 'cached' | 'reason'>,
  ): Promise<ResultExplanation> {
    if (!this.#isKeeping && !cached) return { refusal: 'not_kept' }
    const results = this.#results()
    if (!results?.isFrom(this.#client)) return { refusal: 'not_started' }
    const { action, model } = params
    if (!answerable.has(reason)) return { refusal: reason }
    const args = opaque.has(action) || model === undefined ? undefined : copyOf(params)
    const shape = args && this.#shapeOf(client, { params, args })
    const asked = shape && { client, params, args, options: cached }
    const sendable = asked && this.#sendable(shape, asked)
    if (!sendable) return { refusal: shape?.hasKeptOut ? 'kept_out' : 'arguments' }
    const models = [...shape.models]
    const kept = await results.explain(this.#queryOf(shape, asked, sendable))
    if (!kept) return { models, refusal: 'unlisted' }
    const isLeft = !cached && !shape.preference.isOn
    return { models, ...kept, ...(isLeft && { refusal: 'seldom_found' }) }
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
    const query = {
      text: `${params.action} ${JSON.stringify(text)} ${values}`,
      model: tables[0] ?? '',
      models: new Set(tables),
      options,
      run,
    }
    return this.#counted(results, query, () => this.#counts.of({ ...query, action: '$queryRaw' }))
  }

  /** Has results answer a query, and counts it if they do. */
  #counted(
    results: QueryResults,
    query: ResultQuery,
    countsOf: () => CountedResults,
  ): Promise<unknown> | undefined {
    let known: CountedResults | undefined
    const counts = (): CountedResults => (known ??= countsOf())
    const answer = results.answer({ ...query, loaded: (length) => noteLoaded(counts(), length) })
    if (answer) counts().count++
    return answer
  }

  #countsOf(shape: ResultShape, { args, params: { action, model } }: AskedResult): CountedResults {
    return (shape.counts ??= this.#counts.of({ model: model!, action, args, models: shape.models }))
  }

  #hasStarted(): boolean {
    return this.#results()?.isFrom(this.#client) === true
  }

  /** Answers a query if those of its shape mostly find a result, or `cached` asks for one. */
  #answerIfFound(shape: ResultShape, asked: AskedResult): Promise<unknown> | undefined {
    if (!shape.isListed && !asked.options) return undefined
    const sendable = this.#sendable(shape, asked)
    if (!sendable) return undefined
    const preference = asked.options ? always : shape.preference
    const sample = sampleNumberOf(sendable.text)
    if (!preference.prefers(sample)) {
      this.#countsOf(shape, asked).left++
      return undefined
    }
    const { run, ...query } = this.#queryOf(shape, asked, sendable)
    let isFound = true
    const load = (): Promise<unknown> => {
      isFound = false
      return run()
    }
    const answer = this.#answerAs(shape, asked, { ...query, run: load })
    return answer?.finally(() => preference.note(sample, isFound))
  }

  #answerAs(shape: ResultShape, asked: AskedResult, query: ResultQuery): Promise<unknown> | undefined {
    const answer = this.#counted(this.#results()!, query, () => this.#countsOf(shape, asked))
    return answer?.catch(async (error: unknown) => {
      const { client, params } = asked
      if (isRefusal(error)) await this.#refuseAsGiven(client, params)
      throw error
    })
  }

  /** What Prisma says of arguments that it refuses shows them as they were given. If the caller has changed them since, it may not refuse them. */
  async #refuseAsGiven(client: object, params: QueryParams): Promise<void> {
    await this.#query.call(client, params).catch((error: unknown) => {
      if (isRefusal(error)) throw error
    })
  }

  /** Undefined if only Prisma knows what the query is, or its result must not be kept. */
  #sendable({ hasKeptOut, head }: ResultShape, { args, params }: AskedResult): Sendable | undefined {
    if (hasKeptOut || (this.#isStrict && hasUndefined(args))) return undefined
    const sent = this.#sent(params, args)
    const text = sent && argumentText(args)
    return text === undefined
      ? undefined
      : { sent: sent!, text: `${head} ${params.dataPath.join('.')} ${text}` }
  }

  #queryOf(
    { models, rows }: ResultShape,
    { args, client, options, params: { action, dataPath, model } }: AskedResult,
    { sent, text }: Sendable,
  ): ResultQuery {
    return {
      text,
      model: model!,
      models,
      scopes: this.#by.size > 0 ? this.#scopesOf({ action, args, model: model! }) : undefined,
      options,
      rows: dataPath.length === 0 ? rows : undefined,
      run: () => this.#query.call(client, sent),
    }
  }

  /** The scopes whose values are stored as the query has them. */
  #scopesOf(query: {
    readonly model: string
    readonly action: string
    readonly args: Args
  }): ResultQuery['scopes'] {
    const found = new Map<string, readonly Scope[]>()
    for (const [name, scopes] of scopesRead(this.#facts.models, this.#by, query)) {
      const { scalars } = this.#facts.models.get(name)!
      const stored = scopes.map(({ field, value }) => ({
        field,
        value: storedValue(scalars.get(field)!, value),
      }))
      if (stored.every(({ value }) => value !== undefined)) found.set(name, stored)
    }
    return found
  }

  /** Queries of one shape share it, if their arguments have one. */
  #shapeOf(client: object, asked: Pick<AskedResult, 'args' | 'params'>): ResultShape {
    const text = literalShapeOf(asked.args)
    if (text === undefined) return this.#describe(client, asked)
    const extensions = extensionsOf(client)
    const known = this.#shapes.get(extensions) ?? new Map<string, ResultShape>()
    this.#shapes.set(extensions, known)
    const key = `${asked.params.model}.${asked.params.action} ${text}`
    let shape = known.get(key)
    if (!shape) {
      if (known.size >= maxShapes) known.clear()
      known.set(key, (shape = this.#withRows(this.#describe(client, asked), asked)))
    }
    return shape
  }

  /** Computed fields have Prisma select more than a query asks for. */
  #withRows(shape: DescribedShape, { args, params }: Pick<AskedResult, 'args' | 'params'>): ResultShape {
    if (shape.hasNeeds || shape.hasKeptOut) return shape
    const omittedOf = (name: string): Args | undefined => omittedFieldsOf(this.#client, name)
    const { action, model } = params
    const rows = resultRows({ models: this.#facts.models, omittedOf }, { action, args, model: model! })
    return { ...shape, rows }
  }

  #describe(
    client: object,
    { args, params: { action, model } }: Pick<AskedResult, 'args' | 'params'>,
  ): DescribedShape {
    const query = { model: model!, action, args }
    const models = modelsRead(this.#facts.models, query)
    // Prisma selects also what computed fields need, and an extension may be that of one client only.
    const extensions = extensionsOf(client)
    const computed = [...models].map((name) => extensions.getAllComputedFields(name))
    const needs = computed.some((fields) => fields !== undefined)
      ? computed.map((fields) => Object.entries(fields ?? {}).map(([field, { needs }]) => [field, needs]))
      : []
    const omitted = [...models].map((name) => omittedFieldsOf(this.#client, name) ?? null)
    const hasKeptOut = returnsKeptOut(
      {
        models: this.#facts.models,
        omittedOf: (name) => omittedFieldsOf(this.#client, name),
        neededOf: (name) =>
          Object.values(extensions.getAllComputedFields(name) ?? {}).flatMap((of) => of.needs),
      },
      query,
    )
    return {
      models,
      isListed: [...models].every((name) => this.#settings.has(name)),
      head: `${query.model}.${query.action} ${JSON.stringify([needs, omitted])}`,
      hasKeptOut,
      hasNeeds: needs.length > 0,
      preference: this.#settings.get(query.model)?.prefer ? always : new ResultPreference(query.action),
    }
  }

  /**
   * What is sent for a query. Prisma puts each findUnique together with others of its turn, whose errors it then has as well: those that
   * were sent in several turns leave in one.
   */
  #sent(params: QueryParams, args: Args): QueryParams | undefined {
    const { models } = this.#facts
    if (!params.action.startsWith('findUnique')) return { ...params, args }
    if (!Object.keys(args).every((name) => ofFindUnique.has(name))) return undefined
    return isByKey(models.get(params.model!)!, args) ? asFindFirst(models, { ...params, args }) : undefined
  }
}

/** Whether Prisma refuses the arguments of a query. */
const isRefusal = (error: unknown): boolean => isInvalidQuery(error) || error instanceof TypeError

/** A value as rows have it, by which a write names them; undefined if the database may compare it with other ones. */
function storedValue({ hasOneText, isLoose, read }: Column, value: unknown): unknown {
  return hasOneText && !isLoose ? read?.(value) : undefined
}

/** The arguments of findUnique. findFirst takes others as well, which Prisma refuses in the former. */
const ofFindUnique: ReadonlySet<string> = new Set([
  'where',
  'select',
  'include',
  'omit',
  'relationLoadStrategy',
])

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
  return Object.entries(where).every(([name, value]) => {
    const fields = scalars.has(name) ? undefined : fieldsOf(name)
    return fields ? isKey(value, fields) : isValue(value)
  })
}

/** Whether an object has values for these fields, and no other field. */
function isKey(value: unknown, fields: readonly string[]): boolean {
  return (
    isPlain(value) &&
    Object.keys(value).length === fields.length &&
    fields.every((field) => isValue(value[field]))
  )
}

function isValue(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return value !== undefined && value !== null && !isPlain(value) && !Array.isArray(value)
}
