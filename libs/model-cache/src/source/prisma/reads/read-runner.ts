import { isOwnQuery } from '../../own-queries.js'
import type { ReadCaches } from '../../read-caches.js'
import type { SchemaFacts } from '../../schema-facts.js'
import { extensionsOf, isUncachedCall } from '../client-extensions.js'
import {
  type Args,
  type ClientMethods,
  joinsRelations,
  originalOf,
  type QueryParams,
  refusesUndefined,
} from '../internals.js'
import type { AnsweredModel, AnsweredModels, ClientExtensions } from './answered-models.js'
import type { Bypassed, BypassedQueries } from './bypassed-queries.js'
import type { Shadow } from './shadow.js'
import { planRead } from './plan-read.js'
import { cachesIn, planAt, type ReadPlan } from './read-plan.js'
import type { PlannedModel, ReadPlanning } from './read-planning.js'
import { composesFor, type ReadSettings } from './read-options.js'
import { copyArguments } from '../copy-arguments.js'
import { follow } from '../follow.js'
import { answerableActions } from '../operations.js'
import { answerOf, Unanswered } from './read-answer.js'
import type { BypassReason } from './read-outcome.js'
import { sendingAlone } from './sent-alone.js'

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
  readonly #plannings = new WeakMap<ClientExtensions, ReadPlanning>()
  readonly #shadow: Shadow | undefined
  readonly #bypassed: BypassedQueries
  readonly #sentAlone: (params: QueryParams) => QueryParams
  /** Set when Prisma turns out to behave differently than expected. */
  isDisabled = false

  constructor(
    client: object,
    { query, isReplica }: AnsweredClient,
    caches: ReadCaches,
    models: AnsweredModels,
    { bypassed, composing, facts, shadow, takesAnyRow }: AnsweringOptions,
  ) {
    this.#original = originalOf(client)!
    this.#query = query
    this.#caches = caches
    this.#models = models
    this.#isStrict = refusesUndefined(client)
    this.#isReplica = isReplica
    this.composes = composesFor(composing, joinsRelations(client))
    this.#takesAnyRow = takesAnyRow
    this.#shadow = shadow
    this.#bypassed = bypassed
    this.#sentAlone = sendingAlone(facts)
  }

  /** Runs a query of a client that does not write. */
  run(client: object, params: QueryParams): Promise<unknown> {
    if (isOwnQuery()) return this.#query.call(client, params)
    const model = this.#models.of(params.model!)
    if (!model && !this.#models.areAll) return this.#query.call(client, params)
    const planned = this.#plan(client, params, model)
    if ('reason' in planned) {
      const { action, model: name } = params
      if (planned.reason !== 'no_cache') model?.count(planned.reason)
      this.#bypassed.add({ model: name!, action, ...planned })
      return this.#query.call(client, params)
    }
    return this.#shadow
      ? this.#compare(client, planned, model!, this.#shadow)
      : this.#answer(client, planned, model!)
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
    if (!answerableActions.has(action)) return unplanned.operation
    if (this.isDisabled) return unplanned.unsupported_client
    if (params.transaction !== undefined) return unplanned.transaction
    const extensions: ClientExtensions = this.#models.extensionsOf(extensionsOf(client))
    if (extensions.isUncached || isUncachedCall()) return unplanned.uncached
    if (extensions.replacesSending) return unplanned.unsupported_client
    if (this.#caches.isInTransaction) return unplanned.transaction
    const args = argumentsOf(params, this.#isStrict)
    if (!model || model.caches.length === 0) return { reason: model ? 'not_registered' : 'no_cache', args }
    if (args === undefined) return unplanned.argument
    const plan = planRead({ model: params.model!, action, args }, this.#planningFor(extensions))
    if (typeof plan === 'string') return { reason: plan, args }
    return this.#isReplica || cachesIn(plan).every((cache) => cache.isFrom(this.#original))
      ? { plan, params: { ...params, args } }
      : { reason: 'not_registered', args }
  }

  #planningFor(extensions: ClientExtensions): ReadPlanning {
    let known = this.#plannings.get(extensions)
    if (!known) {
      const modelOf: ReadPlanning['modelOf'] = (name) => this.#plannedModel(name, extensions)
      known = { modelOf, isStrict: this.#isStrict, composes: this.composes, takesAnyRow: this.#takesAnyRow }
      this.#plannings.set(extensions, known)
    }
    return known
  }

  #plannedModel(name: string, extensions: ClientExtensions): PlannedModel | undefined {
    const caches = this.#models.of(name)?.caches
    if (!caches) return undefined
    return { caches, selections: extensions.selectionsOf(name), relations: this.#models.relationsOf(name) }
  }

  async #answer(client: object, { params, plan }: PlannedRead, model: AnsweredModel): Promise<unknown> {
    const { action } = params
    const { cache } = plan.readable
    let reason: BypassReason
    try {
      const answer = await answerOf(plan, action)
      const isAnswered = !(answer instanceof Unanswered)
      if (isAnswered && (answer !== null || !action.endsWith('OrThrow'))) {
        model.answered++
        cache.countRead('answered', 1)
        return follow(answer, params.dataPath)
      }
      reason = isAnswered ? 'not_found' : answer.reason
    } catch {
      // If the database has failed, it gives its error to this query as well.
      reason = 'error'
    }
    cache.countRead(reason, 1)
    this.#bypassed.add({ model: params.model!, action, reason, args: params.args ?? undefined })
    return this.#query.call(client, this.#sentAlone(params))
  }

  /** Prisma's result; the cache is asked behind it. */
  async #compare(
    client: object,
    { params, plan }: PlannedRead,
    model: AnsweredModel,
    shadow: Shadow,
  ): Promise<unknown> {
    const { action, dataPath } = params
    const query = (): Promise<unknown> => this.#query.call(client, params)
    const result = await query()
    model.answered++
    plan.readable.cache.countRead('shadowed', 1)
    const answer = async (): Promise<unknown> => {
      const found = await answerOf(plan, action)
      return found instanceof Unanswered ? found : follow(found, dataPath)
    }
    shadow.compare({ plan: planAt(plan, dataPath), action, answer, query }, result)
    return result
  }
}

interface AnsweringOptions extends Pick<ReadSettings, 'composing' | 'takesAnyRow'> {
  /** Compares answers with those of the database, which the callers get; undefined if caches answer. */
  readonly shadow: Shadow | undefined
  /** Counts the queries that the database answers. */
  readonly bypassed: BypassedQueries
  readonly facts: SchemaFacts
}

/** A client whose queries are answered. */
export interface AnsweredClient {
  /** Leads to the database. */
  readonly query: ClientMethods['query']
  /** Whether the client reads a replica of the database that the caches load from. */
  readonly isReplica: boolean
}

/** Why no cache answers a query, and its arguments if that has to do with them. */
type Unplanned = Pick<Bypassed, 'reason' | 'args'>

const unplanned = {
  operation: { reason: 'operation' },
  transaction: { reason: 'transaction' },
  uncached: { reason: 'uncached' },
  unsupported_client: { reason: 'unsupported_client' },
  argument: { reason: 'argument' },
} as const satisfies Record<string, Unplanned>

/** A query that a cache can answer. */
interface PlannedRead {
  readonly plan: ReadPlan
  /** Has the arguments that were planned with, which the caller cannot change. */
  readonly params: QueryParams
}

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
