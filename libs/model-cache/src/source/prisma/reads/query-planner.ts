import { mayJoin } from '../capture/capture-client.js'
import { extensionsOf, isUncachedCall } from '../client-extensions.js'
import { joinsRelations, originalOf, type QueryParams, refusesUndefined } from '../internals.js'
import { answerableActions } from '../operations.js'
import type { AnsweredModel, ClientExtensions } from './answered-models.js'
import { copyArguments } from './copy-arguments.js'
import { keyedQueryOf, KnownPlans } from './known-plans.js'
import { planRead } from './plan-read.js'
import type { PlannedRead } from './planned-read.js'
import { answerOf } from './read-answer.js'
import type { GivenRead } from './read-arguments.js'
import { composesFor } from './read-options.js'
import type { ReadParts } from './read-parts.js'
import { cachesIn, type ReadPlan } from './read-plan.js'
import type { PlannedModel, ReadPlanning } from './read-planning.js'
import { Refusals, type ShapeRefusal, type Unplanned } from './refusals.js'
import type { ResultShape } from './known-shapes.js'

/** Returns the shape of a query that rows answer, if results may answer it for less. */
type Preferred = (client: object, read: GivenRead, plan: ReadPlan) => ResultShape | undefined

/** Finds out which caches answer a query of a client, or why none do. */
export class QueryPlanner {
  readonly #parts: ReadParts
  /** The constructed client, of whose database the queries are. */
  readonly #original: object
  readonly #isStrict: boolean
  readonly composes: ReadPlanning['composes']
  readonly #preferred: Preferred
  readonly #plannings = new WeakMap<ClientExtensions, ClientPlanning>()
  /** Set when Prisma turns out to behave differently than expected. */
  isDisabled = false

  constructor(parts: ReadParts, preferred: Preferred) {
    const { client, settings } = parts
    this.#parts = parts
    this.#original = originalOf(client)!
    this.#isStrict = refusesUndefined(client)
    this.composes = composesFor(settings.composing, joinsRelations(client), () => mayJoin(client))
    this.#preferred = preferred
  }

  /** Returns what answers a query of a model, which no cache of the client may have, or why nothing does. */
  plan(client: object, params: QueryParams, model: AnsweredModel | undefined): PlannedRead | Unplanned {
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
    const { caches, models } = this.#parts
    const extensions = models.extensionsOf(extensionsOf(client))
    if (extensions.isUncached || isUncachedCall()) return unplanned.uncached
    if (extensions.replacesSending) return unplanned.unsupported_client
    if (caches.isInTransaction) return unplanned.transaction
    if (extensions.cached) return { reason: 'argument', cached: extensions.cached }
    const mayAnswer = answerableActions.has(action)
    const args = copyArguments(params.args, !this.#isStrict)
    if (args === undefined)
      return !mayAnswer ? unplanned.operation : model ? unplanned.argument : { reason: 'no_cache' }
    const plans = this.#planningFor(extensions)
    const given = { args, params }
    return plans.refusals.plan(given, (left) =>
      mayAnswer ? this.#planWith(plans, given, { client, left, model }) : { reason: 'operation', args },
    )
  }

  #planWith(
    { known, planning, refusals }: ClientPlanning,
    given: GivenRead,
    { client, left, model }: Planned,
  ): PlannedRead | Unplanned {
    const { args, params } = given
    const { action } = params
    if (!model || model.caches.length === 0) return { reason: model ? 'not_registered' : 'no_cache', args }
    const keyed = keyedQueryOf(args)
    const found = keyed && known.find(given, keyed)
    if (found && ('reason' in found || this.#isAnswerable(found))) return found
    const plan = planRead({ model: params.model!, action, args }, planning)
    if (typeof plan === 'string') return { reason: plan, args }
    const planned: PlannedRead = {
      args,
      params,
      plan,
      caches: cachesIn(plan),
      preferred: this.#preferred(client, given, plan),
      answer: () => answerOf(plan, action),
      leave: () => refusals.leave(given),
      stay: () => left?.forget(),
    }
    if (!this.#isAnswerable(planned)) return { reason: 'not_registered', args }
    if (keyed) known.keep(planned, keyed)
    return planned
  }

  /** Whether the caches of a plan load from the client's own database. */
  #isAnswerable({ caches }: PlannedRead): boolean {
    return this.#parts.isReplica || caches.every((cache) => cache.isFrom(this.#original))
  }

  #planningFor(extensions: ClientExtensions): ClientPlanning {
    const { models, settings } = this.#parts
    const { version } = models
    let found = this.#plannings.get(extensions)
    if (!found || found.version !== version) {
      const modelOf = (name: string): PlannedModel | undefined => {
        const caches = models.of(name)?.caches
        if (!caches) return undefined
        return { caches, selections: extensions.selectionsOf(name), relations: models.relationsOf(name) }
      }
      const { isShadow, takesAnyRow, weighsCosts } = settings
      const planning = {
        modelOf,
        isStrict: this.#isStrict,
        composes: this.composes,
        takesAnyRow,
        // The database answers in shadow mode, whatever it costs.
        weighsCosts: weighsCosts && !isShadow,
      }
      found = { version, planning, known: new KnownPlans(), refusals: new Refusals() }
      this.#plannings.set(extensions, found)
    }
    return found
  }
}

const unplanned = {
  operation: { reason: 'operation' },
  transaction: { reason: 'transaction' },
  uncached: { reason: 'uncached' },
  unsupported_client: { reason: 'unsupported_client' },
  argument: { reason: 'argument' },
} as const satisfies Record<string, Unplanned>

/** How queries of clients with the same extensions are planned, until caches come or go. */
interface ClientPlanning {
  readonly version: number
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
