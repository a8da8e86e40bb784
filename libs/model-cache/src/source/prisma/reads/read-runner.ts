import { isOwnQuery } from '../../own-queries.js'
import type { ReadCaches } from '../../read-caches.js'
import { extensionsOf } from '../client-extensions.js'
import type { ClientMethods, QueryParams } from '../internals.js'
import type { AnsweredModel, AnsweredModels, ClientExtensions } from './answered-models.js'
import type { Shadow } from './shadow.js'
import { planRead, type ReadPlan } from './plan-read.js'
import { copyPlain } from '../copy-plain.js'
import { answerOf } from './read-answer.js'
import { answerableActions, type BypassReason, otherReads } from './read-outcome.js'

export interface ReadRunnerDependencies {
  /** The constructed client, of whose database the queries are. */
  readonly original: object
  readonly caches: ReadCaches
  readonly models: AnsweredModels
  /** Leads to the database. */
  readonly query: ClientMethods['query']
  readonly isStrict: boolean
  /** Compares answers with those of the database, which the callers get; undefined if caches answer. */
  readonly shadow: Shadow | undefined
}

/** Answers queries from caches where that is certain to give what the database would, and passes all others on. */
export class ReadRunner {
  readonly #dependencies: ReadRunnerDependencies
  /** Set when Prisma turns out to behave differently than expected. */
  isDisabled = false

  constructor(dependencies: ReadRunnerDependencies) {
    this.#dependencies = dependencies
  }

  /** Runs a query of a client that does not write. */
  run(client: object, params: QueryParams): Promise<unknown> {
    const { models, query } = this.#dependencies
    const model = models.of(params.model!)
    if (!model || isOwnQuery()) return query.call(client, params)
    const plan = this.#plan(client, params, model)
    if (typeof plan === 'string') {
      model.count(plan)
      return query.call(client, params)
    }
    const { shadow } = this.#dependencies
    return shadow ? this.#compare(client, params, { plan, shadow }) : this.#answer(client, params, plan)
  }

  #plan(client: object, params: QueryParams, model: AnsweredModel): ReadPlan | BypassReason {
    try {
      return this.#planned(client, params, model)
    } catch {
      // Prisma's internals are not what `verifyReads` checks for.
      return 'unsupported_client'
    }
  }

  #planned(client: object, params: QueryParams, model: AnsweredModel): ReadPlan | BypassReason {
    const { caches, models, isStrict, original } = this.#dependencies
    const { action } = params
    if (!answerableActions.has(action)) return 'operation'
    if (this.isDisabled) return 'unsupported_client'
    if (params.transaction !== undefined) return 'transaction'
    if (params.dataPath.length > 0) return 'fluent'
    const extensions: ClientExtensions = models.extensionsOf(extensionsOf(client))
    if (extensions.isUncached) return 'uncached'
    if (extensions.replacesSending) return 'unsupported_client'
    if (caches.isInTransaction) return 'transaction'
    if (model.caches.length === 0) return 'not_registered'
    const selections = extensions.selectionsOf(params.model!)
    const plan = planRead(params, { caches: model.caches, selections, isStrict })
    if (typeof plan === 'string' || plan.readable.cache.isFrom(original)) return plan
    return 'not_registered'
  }

  async #answer(client: object, params: QueryParams, plan: ReadPlan): Promise<unknown> {
    const { action } = params
    const { cache } = plan.readable
    // The caller may change the arguments while the cache is asked.
    const args = copyPlain(params.args) as QueryParams['args']
    let reason: BypassReason
    try {
      const answer = await answerOf(plan, action)
      if (answer !== undefined && (answer !== null || !action.endsWith('OrThrow'))) {
        cache.countRead('answered', 1)
        return answer
      }
      reason = answer === undefined ? 'id_value' : 'not_found'
    } catch {
      // If the database has failed, it gives its error to this query as well.
      reason = 'error'
    }
    cache.countRead(reason, 1)
    return this.#dependencies.query.call(client, { ...params, args })
  }

  /** Prisma's result; the cache is asked behind it. */
  async #compare(
    client: object,
    params: QueryParams,
    { plan, shadow }: { readonly plan: ReadPlan; readonly shadow: Shadow },
  ): Promise<unknown> {
    const { action } = params
    // The caller may change the arguments later.
    const again = { ...params, args: copyPlain(params.args) as QueryParams['args'] }
    const result = await this.#dependencies.query.call(client, params)
    plan.readable.cache.countRead('shadowed', 1)
    const query = (): Promise<unknown> => this.#dependencies.query.call(client, again)
    shadow.compare({ plan, action, answer: () => answerOf(plan, action), query }, result)
    return result
  }
}

/** Whether an operation reads rows of a model. */
export function isRead(action: string): boolean {
  return answerableActions.has(action) || otherReads.has(action)
}
