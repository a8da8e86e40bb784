import { invalidOptionError } from '../../../configuration-errors.js'
import { isOwnQuery } from '../../own-queries.js'
import type { AnsweringCache, ReadCaches } from '../../read-caches.js'
import type { SchemaFacts } from '../../schema-facts.js'
import { rawSqlOf } from '../capture/sql.js'
import { extensionsOf, isUncachedCall } from '../client-extensions.js'
import {
  type Args,
  type ClientMethods,
  isNotFound,
  isTraced,
  joinsRelations,
  originalOf,
  type QueryParams,
  refusesUndefined,
} from '../internals.js'
import type { AnsweredModel, AnsweredModels, ClientExtensions } from './answered-models.js'
import type { BypassedQueries } from './bypassed-queries.js'
import { comparedRows, type Shadow } from './shadow.js'
import { keyedQueryOf, KnownPlans } from './known-plans.js'
import { planRead } from './plan-read.js'
import { planAt } from './read-plan.js'
import { type GivenRead, type PlannedRead, plannedRead, type ShapeCosts } from './planned-read.js'
import type { PlannedModel, ReadPlanning } from './read-planning.js'
import { composesFor, type ReadSettings } from './read-options.js'
import { copyArguments } from './copy-arguments.js'
import { follow } from './follow.js'
import { answerableActions } from '../operations.js'
import { Unanswered } from './read-answer.js'
import type { QueryExplanation } from './query-explanation.js'
import type { BypassReason } from './read-outcome.js'
import { Refusals, type ShapeRefusal, type Unplanned } from './refusals.js'
import { ResultQueries } from './result-queries.js'
import type { ResultShapes } from './result-shapes.js'
import { sentAlone } from './sent-alone.js'

/** Answers queries from caches where that is certain to give what the database would, and passes all others on. */
export class ReadRunner {
  /** The constructed client, of whose database the queries are. */
  readonly #original: object
  readonly #query: ClientMethods['query']
  readonly #caches: ReadCaches
  readonly #models: AnsweredModels
  readonly #isStrict: boolean
  /** Whether the client reads a replica, whose queries caches of the database answer. */
  readonly #isReplica: boolean
  readonly composes: ReadPlanning['composes']
  readonly #takesAnyRow: boolean
  readonly #weighsCosts: boolean
  readonly #plannings = new WeakMap<ClientExtensions, ClientPlanning>()
  readonly #shadow: Shadow | undefined
  readonly #bypassed: BypassedQueries
  readonly #facts: SchemaFacts
  /** Undefined if no results of queries are kept. */
  readonly #results: ResultQueries | undefined
  /** Why the query that {@link ask} is sending is not answered, so that it is planned once. */
  #refused: Unplanned | undefined
  /** Set when Prisma turns out to behave differently than expected. */
  isDisabled = false

  constructor(
    client: object,
    { query, isReplica }: AnsweredClient,
    caches: ReadCaches,
    models: AnsweredModels,
    { bypassed, composing, facts, resultShapes, results, shadow, takesAnyRow, weighsCosts }: AnsweringOptions,
  ) {
    this.#original = originalOf(client)!
    this.#query = query
    this.#caches = caches
    this.#models = models
    this.#isStrict = refusesUndefined(client)
    this.#isReplica = isReplica
    this.composes = composesFor(composing, joinsRelations(client))
    this.#takesAnyRow = takesAnyRow
    this.#weighsCosts = weighsCosts && !shadow
    this.#shadow = shadow
    this.#bypassed = bypassed
    this.#facts = facts
    this.#results = isReplica
      ? undefined
      : new ResultQueries(
          client,
          facts,
          { query, settings: results, shapes: resultShapes },
          () => caches.results,
        )
  }

  /** Whether caches may answer queries of a model, now or when they are registered, without asking the database as well. */
  mayAnswer(model: string): boolean {
    return !this.#shadow && (this.#models.areAll || this.#models.of(model) !== undefined)
  }

  /**
   * Answers a query that Prisma has not seen yet, of a client without hooks and computed fields.
   *
   * @param send gives it to Prisma, which passes it on to {@link run}
   */
  ask<Query>(client: object, params: QueryParams, query: Query, send: Send<Query>): Promise<unknown> {
    if (isOwnQuery() || isTraced(this.#original)) return sent(query, send)
    const model = this.#models.of(params.model!)
    const planned = this.#plan(client, params, model)
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
    if (isOwnQuery()) return this.#query.call(client, params)
    const model = this.#models.of(params.model!)
    if (!model && !this.#models.areAll && !this.#results?.mayAnswer(client))
      return this.#query.call(client, params)
    const refused = this.#refused
    const planned = refused ?? this.#plan(client, params, model)
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
    const planned = this.#plan(client, params, this.#models.of(params.model!))
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
    const { cached, isUncached } = this.#models.extensionsOf(extensionsOf(client))
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
    if (this.#caches.isInTransaction || isOwnQuery() || !onlyReads(sql)) return undefined
    if (!cached.tables)
      throw invalidOptionError('cached.tables', undefined, 'the models that a raw query reads')
    return this.#results.answerRaw(client, params, sql, cached)
  }

  #countBypassed({ action, model }: QueryParams, { args, reason, refusal }: Unplanned): void {
    if (refusal?.counted) return void refusal.counted.count++
    const counted = this.#bypassed.add({ model: model!, action, reason, args })
    if (refusal) refusal.counted = counted
  }

  #plan(client: object, params: QueryParams, model: AnsweredModel | undefined): PlannedRead | Unplanned {
    try {
      return this.#planned(client, params, model)
    } catch {
      // Prisma's internals are not what `verifyReads` checks for.
      return unplanned.unsupported_client
    }
  }

  #planned(client: object, params: QueryParams, model: AnsweredModel | undefined): PlannedRead | Unplanned {
    const { action } = params
    if (this.isDisabled) return unplanned.unsupported_client
    if (params.transaction !== undefined) return unplanned.transaction
    const extensions: ClientExtensions = this.#models.extensionsOf(extensionsOf(client))
    if (extensions.isUncached || isUncachedCall()) return unplanned.uncached
    if (extensions.replacesSending) return unplanned.unsupported_client
    if (this.#caches.isInTransaction) return unplanned.transaction
    if (extensions.cached) return { reason: 'argument', cached: extensions.cached }
    const mayAnswer = answerableActions.has(action)
    const args = argumentsOf(params, this.#isStrict)
    if (args === undefined)
      return !mayAnswer ? unplanned.operation : model ? unplanned.argument : { reason: 'no_cache' }
    const plans = this.#planningFor(extensions)
    const { clientMethod } = params
    return plans.refusals.plan({ args, clientMethod }, this.#models.version, (left) =>
      mayAnswer
        ? this.#planWith(plans, { args, params }, { client, left, model })
        : { reason: 'operation', args },
    )
  }

  #planWith(
    { known, planning, refusals }: ClientPlanning,
    { args, params }: GivenRead,
    { client, left, model }: Planned,
  ): PlannedRead | Unplanned {
    const { action } = params
    if (!model || model.caches.length === 0) return { reason: model ? 'not_registered' : 'no_cache', args }
    const keyed = keyedQueryOf(args)
    const found = keyed && known.find({ args, params }, keyed, this.#models.version)
    if (found && ('reason' in found || this.#isAnswerable(found))) return found
    const plan = planRead({ model: params.model!, action, args }, planning)
    if (typeof plan === 'string') return { reason: plan, args }
    const costs: ShapeCosts = {
      leave: () => refusals.leave({ args, clientMethod: params.clientMethod }),
      stay: () => left?.forget(),
      preferred: this.#results?.preferred(client, { args, params }, plan),
    }
    const planned = plannedRead(plan, { args, params }, costs)
    if (!this.#isAnswerable(planned)) return { reason: 'not_registered', args }
    if (keyed) known.keep(planned, keyed)
    return planned
  }

  /** Whether the caches of a plan load from the client's own database. */
  #isAnswerable({ caches }: PlannedRead): boolean {
    return this.#isReplica || caches.every((cache) => cache.isFrom(this.#original))
  }

  #planningFor(extensions: ClientExtensions): ClientPlanning {
    let found = this.#plannings.get(extensions)
    if (!found) {
      const modelOf: ReadPlanning['modelOf'] = (name) => this.#plannedModel(name, extensions)
      const { composes } = this
      const planning = {
        modelOf,
        isStrict: this.#isStrict,
        composes,
        takesAnyRow: this.#takesAnyRow,
        weighsCosts: this.#weighsCosts,
      }
      found = { planning, known: new KnownPlans(), refusals: new Refusals() }
      this.#plannings.set(extensions, found)
    }
    return found
  }

  #plannedModel(name: string, extensions: ClientExtensions): PlannedModel | undefined {
    const caches = this.#models.of(name)?.caches
    if (!caches) return undefined
    return { caches, selections: extensions.selectionsOf(name), relations: this.#models.relationsOf(name) }
  }

  /** Sends a query that nothing kept answers. */
  #bypass(client: object, params: QueryParams, planned: Unplanned): Promise<unknown> {
    if (planned.reason !== 'no_cache') this.#models.of(params.model!)?.count(planned.reason)
    this.#countBypassed(params, planned)
    return this.#query.call(client, params)
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
    const result = await this.#query.call(client, params)
    const text = (): string => this.#bypassed.textOf({ model: model!, action, args: args ?? {} })
    const count = (reason?: BypassReason): void =>
      this.#models.of(model!)?.count(reason === undefined ? 'shadowed' : reason)
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
        if (answer instanceof Unanswered) {
          const refusal = answer.reason === 'costs' ? planned.leave() : undefined
          return this.#pass(client, planned, answer.reason, refusal)
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
    return this.#query.call(client, sentAlone(this.#facts, { ...params, args }))
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
    const query = (): Promise<unknown> => this.#query.call(client, { ...params, args })
    const result = await query()
    const text = (): string => this.#bypassed.textOf({ model: params.model!, action, args })
    const count = (reason?: BypassReason): void => {
      plan.readable.cache.countRead(reason ?? 'shadowed', 1)
      if (reason === undefined) model.answered++
      else this.#bypassed.add({ model: params.model!, action, reason, args })
    }
    const answer = async (): Promise<unknown> => {
      const found = await planned.answer()
      return found instanceof Unanswered ? found : follow(found, dataPath)
    }
    shadow.compare({ ...comparedRows(planAt(plan, dataPath)), answer, query, text, count }, result)
    return result
  }
}

interface AnsweringOptions extends Pick<
  ReadSettings,
  'composing' | 'results' | 'takesAnyRow' | 'weighsCosts'
> {
  /** Compares answers with those of the database, which the callers get; undefined if caches answer. */
  readonly shadow: Shadow | undefined
  /** Counts the queries that the database answers. */
  readonly bypassed: BypassedQueries
  /** Counts those that results answer. */
  readonly resultShapes: ResultShapes
  readonly facts: SchemaFacts
}

/** A client whose queries are answered. */
export interface AnsweredClient {
  /** Leads to the database. */
  readonly query: ClientMethods['query']
  /** Whether the client reads a replica of the database that the caches load from. */
  readonly isReplica: boolean
}

const unplanned = {
  operation: { reason: 'operation' },
  transaction: { reason: 'transaction' },
  uncached: { reason: 'uncached' },
  unsupported_client: { reason: 'unsupported_client' },
  argument: { reason: 'argument' },
} as const satisfies Record<string, Unplanned>

interface ClientPlanning {
  readonly planning: ReadPlanning
  readonly known: KnownPlans
  readonly refusals: Refusals
}

/** A query while it is planned. */
interface Planned {
  readonly client: object
  readonly model: AnsweredModel | undefined
  /** What is known of queries of the same shape that were left to the database. */
  readonly left: ShapeRefusal | undefined
}

/** Sends a query at once: a promise that resolves with one of Prisma's waits until the next microtask. */
function sent<Query>(query: Query, send: Send<Query>): Promise<unknown> {
  return new Promise((resolve, reject) => void send(query).then(resolve, reject))
}

type Send<Query> = (query: Query) => PromiseLike<unknown>

/** Returns undefined for arguments of which only Prisma knows what it reads in them, or that it refuses. */
function argumentsOf({ args: given }: QueryParams, isStrict: boolean): Args | undefined {
  try {
    const { args, isComplete } = copyArguments(given, { dropsUndefined: !isStrict })
    return isComplete ? args : undefined
  } catch {
    // Prisma meets the error, too.
    return undefined
  }
}
