import { invalidOptionError } from '../../../configuration-errors.js'
import { isOwnQuery } from '../../own-queries.js'
import type { AnsweringCache } from '../../read-caches.js'
import { rawSqlOf } from '../capture/sql.js'
import { extensionsOf } from '../client-extensions.js'
import { isNotFound, isTraced, originalOf, type QueryParams } from '../internals.js'
import type { AnsweredModel } from './answered-models.js'
import { comparedRows, Shadow } from './shadow.js'
import { planAt } from './read-plan.js'
import type { PlannedRead } from './planned-read.js'
import { QueryPlanner } from './query-planner.js'
import type { ReadParts } from './read-parts.js'
import type { QueryExplanation } from './query-explanation.js'
import type { BypassReason } from './read-outcome.js'
import type { ShapeRefusal, Unplanned } from './refusals.js'
import { ResultQueries } from './result-queries.js'
import { sentAlone } from './sent-alone.js'

/** Answers queries from caches where that is certain to give what the database would, and passes all others on. */
export class ReadRunner {
  readonly #parts: ReadParts
  /** The constructed client, of whose database the queries are. */
  readonly #original: object
  readonly planner: QueryPlanner
  /** Compares answers with those of the database, which the callers get; undefined if caches answer. */
  readonly #shadow: Shadow | undefined
  /** Undefined if no results of queries are kept. */
  readonly #results: ResultQueries | undefined
  /** Why the query that {@link ask} is sending is not answered, so that it is planned once. */
  #refused: Unplanned | undefined

  constructor(parts: ReadParts) {
    this.#parts = parts
    this.#original = originalOf(parts.client)!
    this.#shadow = parts.settings.isShadow ? new Shadow() : undefined
    this.#results = parts.isReplica ? undefined : new ResultQueries(parts)
    this.planner = new QueryPlanner(parts, (...read) => this.#results?.preferred(...read))
  }

  /** Whether caches may answer queries of a model, now or when they are registered, without asking the database as well. */
  mayAnswer(model: string): boolean {
    const { models } = this.#parts
    return !this.#shadow && (models.areAll || models.of(model) !== undefined)
  }

  /**
   * Answers a query that Prisma has not seen yet, of a client without hooks and computed fields.
   *
   * @param send gives it to Prisma, which passes it on to {@link run}
   */
  ask<Query>(client: object, params: QueryParams, query: Query, send: Send<Query>): Promise<unknown> {
    if (isOwnQuery() || isTraced(this.#original)) return sent(query, send)
    const model = this.#parts.models.of(params.model!)
    const planned = this.planner.plan(client, params, model)
    if (!('reason' in planned)) return this.#answer(client, planned, model!)
    const kept = this.#keptResult(client, params, model, planned)
    if (kept) return kept
    this.#refused = planned
    const result = sent(query, send)
    this.#refused = undefined
    return result
  }

  /** Runs a query of a client that does not write. */
  run(client: object, params: QueryParams): Promise<unknown> {
    if (isOwnQuery()) return this.#parts.query.call(client, params)
    const model = this.#parts.models.of(params.model!)
    if (!model && !this.#parts.models.areAll && !this.#results?.mayAnswer(client))
      return this.#parts.query.call(client, params)
    const refused = this.#refused
    const planned = refused ?? this.planner.plan(client, params, model)
    this.#refused = undefined
    if ('reason' in planned) {
      if (this.#shadow) return this.#compareResult(client, params, planned, this.#shadow)
      const kept = refused ? undefined : this.#keptResult(client, params, model, planned)
      if (kept) return kept
      return this.#bypass(client, params, planned)
    }
    return this.#shadow
      ? this.#compare(client, planned, model!, this.#shadow)
      : this.#answer(client, planned, model!)
  }

  /** Says what answers a query. */
  async explain(client: object, params: QueryParams): Promise<QueryExplanation> {
    const planned = this.planner.plan(client, params, this.#parts.models.of(params.model!))
    if (this.#shadow) return { answeredBy: 'database', reason: 'shadow' }
    if (!('reason' in planned)) {
      const result = planned.preferred && (await this.#results!.explain(client, params, { reason: 'costs' }))
      return { answeredBy: 'rows', ...(result && { result }) }
    }
    const { cached, reason } = planned
    const result = (await this.#results?.explain(client, params, planned)) ?? {
      refusal: 'not_kept' as const,
    }
    const answeredBy = result.refusal === undefined ? 'result' : 'database'
    return cached ? { answeredBy, result } : { answeredBy, reason, result }
  }

  /** The result of the same query; undefined if none is kept. */
  #keptResult(
    client: object,
    params: QueryParams,
    model: AnsweredModel | undefined,
    unplanned: Unplanned,
  ): Promise<unknown> | undefined {
    const kept = this.#results?.answer(client, params, unplanned)
    if (kept) model?.count('result')
    return kept
  }

  /**
   * Answers a raw query that only reads, of a client that `cached` has made; undefined if the database is to answer.
   *
   * @param onlyReads whether a text of SQL does
   * @throws ConfigurationError if it is not known what the query reads
   */
  runRaw(
    client: object,
    params: QueryParams,
    onlyReads: (sql: string) => boolean,
  ): Promise<unknown> | undefined {
    const { cached, isUncached } = this.#parts.models.extensionsOf(extensionsOf(client))
    if (
      !cached ||
      isUncached ||
      !this.#results ||
      this.#shadow ||
      params.action !== 'queryRaw' ||
      params.transaction !== undefined
    )
      return undefined
    const sql = rawSqlOf(params.args)
    if (this.#parts.caches.isInTransaction || isOwnQuery() || !onlyReads(sql)) return undefined
    if (!cached.tables)
      throw invalidOptionError('cached.tables', undefined, 'the models that a raw query reads')
    return this.#results.answerRaw(client, params, cached)
  }

  #countBypassed({ action, model }: QueryParams, { args, reason, refusal }: Unplanned): void {
    if (refusal?.counted && this.#parts.bypassed.keeps(refusal.counted)) return void refusal.counted.count++
    const counted = this.#parts.bypassed.add({ model: model!, action, reason, args })
    if (refusal) refusal.counted = counted
  }

  /** Sends a query that nothing kept answers. */
  #bypass(client: object, params: QueryParams, planned: Unplanned): Promise<unknown> {
    if (planned.reason !== 'no_cache') this.#parts.models.of(params.model!)?.count(planned.reason)
    this.#countBypassed(params, planned)
    return this.#parts.query.call(client, params)
  }

  /** Prisma's result of a query that no rows answer; the result that is kept of it is asked behind it. */
  async #compareResult(
    client: object,
    params: QueryParams,
    planned: Unplanned,
    shadow: Shadow,
  ): Promise<unknown> {
    const kept = this.#results?.shadowed(client, params, planned)
    if (!kept) return this.#bypass(client, params, planned)
    const { action, args, model } = params
    const result = await this.#parts.query.call(client, params)
    const text = (): string => this.#parts.bypassed.textOf({ model: model!, action, args: args ?? {} })
    const count = (reason?: BypassReason): void =>
      this.#parts.models.of(model!)?.count(reason === undefined ? 'shadowed' : reason)
    shadow.compare({ ...kept, text, count }, result)
    return result
  }

  #answer(client: object, planned: PlannedRead, model: AnsweredModel): Promise<unknown> {
    const kept = planned.preferred && this.#results!.answerPreferred(client, planned)
    if (!kept) return this.#answerWithRows(client, planned, model)
    return kept.then(
      (result) => {
        planned.caches[0]!.countRead('result', 1)
        return result
      },
      (error: unknown) => {
        if (isNotFound(error)) throw error
        // The caches may have what the database fails to give.
        return this.#answerWithRows(client, planned, model)
      },
    )
  }

  #answerWithRows(client: object, planned: PlannedRead, model: AnsweredModel): Promise<unknown> {
    const { action, dataPath } = planned.params
    const [cache] = planned.caches as [AnsweringCache]
    // If the database has failed, it gives its error to this query as well.
    const fail = (): Promise<unknown> => this.#pass(client, planned, 'error')
    try {
      return planned.answer().then((answer) => {
        if (typeof answer === 'string') {
          const refusal = answer === 'costs' ? planned.leave() : undefined
          return this.#pass(client, planned, answer, refusal)
        }
        planned.stay()
        if (answer === null && action.endsWith('OrThrow')) return this.#pass(client, planned, 'not_found')
        model.answered++
        cache.countRead('answered', 1)
        return follow(answer, dataPath)
      }, fail)
    } catch {
      return fail()
    }
  }

  /** Sends a query for which the caches have no answer after all. */
  #pass(
    client: object,
    { args, caches, params }: PlannedRead,
    reason: BypassReason,
    refusal?: ShapeRefusal,
  ): Promise<unknown> {
    const kept = this.#results?.answer(client, params, { args, reason })
    if (kept) {
      caches[0]!.countRead('result', 1)
      return kept
    }
    caches[0]!.countRead(reason, 1)
    this.#countBypassed(params, { args, reason, refusal })
    return this.#parts.query.call(client, sentAlone(this.#parts.facts, { ...params, args }))
  }

  /** Prisma's result; the cache is asked behind it. */
  async #compare(
    client: object,
    planned: PlannedRead,
    model: AnsweredModel,
    shadow: Shadow,
  ): Promise<unknown> {
    const { args, params, plan } = planned
    const { action, dataPath } = params
    const query = (): Promise<unknown> => this.#parts.query.call(client, { ...params, args })
    const result = await query()
    const text = (): string => this.#parts.bypassed.textOf({ model: params.model!, action, args })
    const count = (reason?: BypassReason): void => {
      plan.readable.cache.countRead(reason ?? 'shadowed', 1)
      if (reason === undefined) model.answered++
      else this.#parts.bypassed.add({ model: params.model!, action, reason, args })
    }
    const answer = async (): Promise<unknown> => {
      const found = await planned.answer()
      return typeof found === 'string' ? found : follow(found, dataPath)
    }
    shadow.compare({ ...comparedRows(planAt(plan, dataPath)), answer, query, text, count }, result)
    return result
  }
}

/** What the fluent API returns of a row: `['select', 'bids']` stands for `update(…).bids()`. */
function follow(row: unknown, dataPath: readonly string[]): unknown {
  let value = row
  for (let i = 1; i < dataPath.length; i += 2) value &&= (value as Record<string, unknown>)[dataPath[i]!]
  return value
}

/** Sends a query at once: a promise that resolves with one of Prisma's waits until the next microtask. */
function sent<Query>(query: Query, send: Send<Query>): Promise<unknown> {
  return new Promise((resolve, reject) => void send(query).then(resolve, reject))
}

type Send<Query> = (query: Query) => PromiseLike<unknown>
