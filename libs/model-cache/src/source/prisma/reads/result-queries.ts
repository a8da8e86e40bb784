import type { QueryResults, ResultQuery } from '../../query-results.js'
import { type CachedOptions, cachedOptionsOf, extensionsOf } from '../client-extensions.js'
import { type Args, isInvalidQuery, isNotFound, refusesUndefined, type QueryParams } from '../internals.js'
import { unshapedReasons } from './bypassed-queries.js'
import { differingInAny } from './compare-results.js'
import { copyArguments } from './copy-arguments.js'
import { argumentText, hasUndefined, resultTextOf } from './argument-text.js'
import { KnownShapes, type ResultShape } from './known-shapes.js'
import type { PlannedRead } from './planned-read.js'
import type { GivenRead } from './read-arguments.js'
import type { ReadParts } from './read-parts.js'
import type { ShadowedQuery } from './shadow.js'
import type { BypassReason } from './read-outcome.js'
import type { ResultExplanation } from './query-explanation.js'
import type { ReadPlan } from './read-plan.js'
import { type ScopeFields, scopesRead } from './scopes-read.js'
import type { Unplanned } from './refusals.js'
import { always, isComposed, sampleNumberOf } from './result-preference.js'
import { type CountedResults, noteLoaded } from './result-shapes.js'
import { sentFor } from './sent-alone.js'

/** Whether the result of a query may be kept that no rows answer. */
const isAnswerable = (reason: BypassReason | 'no_cache'): boolean =>
  reason !== 'not_found' && !unshapedReasons.has(reason)

/** Operations of MongoDB, whose arguments are those of the database. */
const opaque: ReadonlySet<string> = new Set(['findRaw', 'aggregateRaw'])

interface AskedResult extends GivenRead {
  readonly client: object
  readonly options?: ResultQuery['options']
  readonly shape: ResultShape
  readonly results: QueryResults
}

/** What a query is sent with, and the text that stands for it. */
interface Sendable {
  readonly sent: QueryParams
  readonly text: string
}

/** Whether results may answer queries that went to the database for a reason. */
export function mayKeepResult(action: string, reason: BypassReason | 'no_cache'): boolean {
  return isAnswerable(reason) && !opaque.has(action)
}

/** Has queries answered by results of the same queries: those that rows do not answer, and those that results answer for less. */
export class ResultQueries {
  readonly #parts: ReadParts
  readonly #by: ScopeFields
  /** Otherwise only queries are answered that `cached` asks for. */
  readonly #isKeeping: boolean
  readonly #isStrict: boolean
  readonly #shapes: KnownShapes

  constructor(parts: ReadParts) {
    const { client, facts, settings } = parts
    this.#parts = parts
    this.#by = new Map(
      [...settings.results].flatMap(([model, { by }]) => (by ? [[model, [by].flat()] as const] : [])),
    )
    this.#isKeeping = settings.results.size > 0
    this.#isStrict = refusesUndefined(client)
    this.#shapes = new KnownShapes(facts, settings.results)
  }

  /** The results that this process keeps; undefined before its start, and for a client of another database. */
  get #results(): QueryResults | undefined {
    const { results } = this.#parts.caches
    return results?.isFrom(this.#parts.client) ? results : undefined
  }

  /** Whether results may answer queries of a client. */
  mayAnswer(client: object): boolean {
    return this.#isKeeping || cachedOptionsOf(extensionsOf(client)) !== undefined
  }

  /** Answers a query outside of transactions that no rows answer; undefined if the database is to answer. */
  answer(client: object, params: QueryParams, unplanned: Unplanned): Promise<unknown> | undefined {
    const asked = this.#asked(client, params, unplanned)
    return asked && this.#answerIfFound(asked)
  }

  /** Returns what to ask results for; undefined for a query that no result may answer. */
  #asked(
    client: object,
    params: QueryParams,
    { args: copied, cached, reason }: Unplanned,
  ): AskedResult | undefined {
    if (!this.#isKeeping && !cached) return undefined
    // Prisma refuses null.
    if (params.args === null || params.model === undefined) return undefined
    if (!mayKeepResult(params.action, reason)) return undefined
    const results = this.#results
    const args = results && ((copied as Args | undefined) ?? copyArguments(params.args, false))
    if (!args) return undefined
    const shape = this.#shapes.of(client, { params, args })
    return { client, params, args, options: cached, shape, results }
  }

  /** The shape of a query that rows answer as well, if results may answer it for less. */
  preferred(client: object, { args, params }: GivenRead, plan: ReadPlan): ResultShape | undefined {
    const settings = this.#parts.settings.results.get(params.model!)
    if (!settings || settings.prefer === false || (!settings.prefer && !isComposed(plan))) return undefined
    const shape = this.#shapes.of(client, { params, args })
    return shape.isListed ? shape : undefined
  }

  /** Answers a query that rows answer as well; undefined if these are to. */
  answerPreferred(client: object, { args, params, preferred }: PlannedRead): Promise<unknown> | undefined {
    const results = this.#results
    if (!preferred || !results) return undefined
    return this.#answerIfFound({ client, params, args, shape: preferred, results })
  }

  /** Returns what compares the result that is kept of a query with the database; undefined if none is kept. */
  shadowed(
    client: object,
    params: QueryParams,
    unplanned: Unplanned,
  ): Omit<ShadowedQuery, 'text' | 'count'> | undefined {
    const asked = this.#asked(client, params, unplanned)
    const sendable = asked && this.#sendable(asked)
    if (!sendable) return undefined
    const query = this.#queryOf(asked, sendable)
    const compared = asked.results.comparedOf(query)
    if (!compared) return undefined
    return {
      // A result that could not be stored is not looked for at once.
      answer: () => this.#answerAs(asked, query) ?? Promise.resolve('not_registered' satisfies BypassReason),
      query: query.run,
      compared,
      isCut: false,
      differing: differingInAny,
    }
  }

  /** Says whether a result may answer a query, and what is stored of it. */
  async explain(
    client: object,
    params: QueryParams,
    { cached, reason }: Unplanned,
  ): Promise<ResultExplanation> {
    if (!this.#isKeeping && !cached) return { refusal: 'not_kept' }
    const results = this.#results
    if (!results) return { refusal: 'not_started' }
    if (!isAnswerable(reason)) return { refusal: reason }
    const asked = this.#asked(client, params, { cached, reason })
    const sendable = asked && this.#sendable(asked)
    if (!sendable) return { refusal: asked?.shape.hasKeptOut ? 'kept_out' : 'arguments' }
    const models = [...asked.shape.models]
    const kept = await results.explain(this.#queryOf(asked, sendable))
    if (!kept) return { models, refusal: 'unlisted' }
    const isLeft = !cached && !asked.shape.preference.isOn
    return { models, ...kept, ...(isLeft && { refusal: 'seldom_found' }) }
  }

  /** Answers `$queryRaw`, and typed SQL, of a client that `cached` has made. */
  answerRaw(
    client: object,
    params: QueryParams,
    { tables = [], ...options }: CachedOptions,
  ): Promise<unknown> | undefined {
    const results = this.#results
    const given = results && sentRawOf(params)
    const text = given && argumentText(given.args)
    if (text === undefined) return undefined
    const query = {
      text: `${params.action} ${text}`,
      model: tables[0] ?? '',
      models: new Set(tables),
      options,
      run: () => this.#parts.query.call(client, given!),
    }
    const countsOf = (): CountedResults => this.#parts.resultShapes.of({ ...query, action: '$queryRaw' })
    return this.#counted(results!, query, countsOf)
  }

  /** Has results answer a query, and counts it if they do. */
  #counted(
    results: QueryResults,
    query: ResultQuery,
    countsOf: () => CountedResults,
  ): Promise<unknown> | undefined {
    const answer = results.answer({ ...query, loaded: (length) => noteLoaded(countsOf(), length) })
    if (answer) countsOf().count++
    return answer
  }

  #countsOf({ args, params: { action, model }, shape }: AskedResult): CountedResults {
    const { resultShapes } = this.#parts
    if (!shape.counts || !resultShapes.keeps(shape.counts))
      shape.counts = resultShapes.of({ model: model!, action, args, models: shape.models })
    return shape.counts
  }

  /** Answers a query if those of its shape mostly find a result, or `cached` asks for one. */
  #answerIfFound(asked: AskedResult): Promise<unknown> | undefined {
    const { options, shape } = asked
    if (!shape.isListed && !options) return undefined
    const sendable = this.#sendable(asked)
    if (!sendable) return undefined
    const preference = options ? always : shape.preference
    const sample = sampleNumberOf(sendable.text)
    if (!preference.prefers(sample)) {
      this.#countsOf(asked).left++
      return undefined
    }
    let isFound = true
    const onSent = (): void => {
      isFound = false
    }
    const answer = this.#answerAs(asked, this.#queryOf(asked, sendable, onSent))
    return answer?.finally(() => preference.note(sample, isFound))
  }

  #answerAs(asked: AskedResult, query: ResultQuery): Promise<unknown> | undefined {
    const answer = this.#counted(asked.results, query, () => this.#countsOf(asked))
    return answer?.catch(async (error: unknown) => {
      if (isRefusal(error)) await this.#refuseAsGiven(asked)
      throw error
    })
  }

  /** What Prisma says of arguments that it refuses shows them as they were given. If the caller has changed them since, it may not refuse them. */
  async #refuseAsGiven({ client, params }: AskedResult): Promise<void> {
    await this.#parts.query.call(client, params).catch((error: unknown) => {
      if (isRefusal(error)) throw error
    })
  }

  /** Undefined if only Prisma knows what the query is, or its result must not be kept. */
  #sendable({ args, params, shape: { hasKeptOut, head } }: AskedResult): Sendable | undefined {
    if (hasKeptOut || (this.#isStrict && hasUndefined(args))) return undefined
    const sent = sentFor(this.#parts.facts.models, params, args)
    const text = sent && resultTextOf(head, params.dataPath, args)
    return text === undefined ? undefined : { sent: sent!, text }
  }

  /** @param onSent called when no result was found */
  #queryOf(asked: AskedResult, { sent, text }: Sendable, onSent?: () => void): ResultQuery {
    const { args, client, options, params, shape } = asked
    const { action, dataPath, model } = params
    return {
      text,
      model: model!,
      models: shape.models,
      scopes:
        this.#by.size > 0
          ? scopesRead(this.#parts.facts.models, this.#by, { action, args, model: model! })
          : undefined,
      options,
      rows: dataPath.length === 0 ? shape.rows : undefined,
      run: () => {
        onSent?.()
        return this.#parts.query.call(client, sent)
      },
      isAnswer: isNotFound,
    }
  }
}

/** Whether Prisma refuses the arguments of a query. */
const isRefusal = (error: unknown): boolean => isInvalidQuery(error) || error instanceof TypeError

/** A raw query with what Prisma sends of its arguments, which the caller may change until then. Undefined for those that it refuses. */
function sentRawOf({ argsMapper, ...params }: QueryParams): QueryParams | undefined {
  try {
    return argsMapper && { ...params, args: argsMapper(params.args) }
  } catch {
    return undefined
  }
}
