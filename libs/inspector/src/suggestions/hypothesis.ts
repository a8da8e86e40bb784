import {
  type AnsweringCache,
  type AnsweringLookup,
  cachesIn,
  type ClientQueries,
  isCertainAnswer,
  type PlannedModel,
  planRead,
  type ReadableCache,
  type ReadModels,
  readModelsOf,
  type ReadPlanning,
  type ReportedCache,
  type ReportedLookup,
  type SchemaFacts,
  Selections,
} from 'model-cache/internal'
import type { SuggestionRules } from './suggestion-rules.js'
import { type Candidate, type CandidateLookup, isLookup } from './candidate.js'
import type { TypedQuery } from './find-candidates.js'

export interface PlannedAnswer {
  /** The models of the caches. */
  readonly models: ReadonlySet<string>
  /** Whether rows of several lookups are put together, which one result replaces. */
  readonly isJoined: boolean
  /** Whether there is an answer whatever rows there are. */
  readonly isCertain: boolean
}

/** The caches of a client, with further ones, and further lookups and fields of them. Plans queries; has no rows. */
export class Hypothesis {
  readonly #facts: SchemaFacts
  readonly #models: ReadModels
  readonly #queries: ClientQueries
  readonly #rules: SuggestionRules
  readonly #candidates = new Map<string, Set<Candidate>>()
  readonly #planned = new Map<string, PlannedModel | undefined>()
  readonly #planning: Omit<ReadPlanning, 'takesAnyRow'>

  constructor(
    facts: SchemaFacts,
    queries: ClientQueries,
    rules: SuggestionRules,
    candidates: readonly Candidate[],
  ) {
    this.#facts = facts
    this.#models = readModelsOf(facts)
    this.#queries = queries
    this.#rules = rules
    for (const [model, some] of Map.groupBy(candidates, (each) => each.model))
      this.#candidates.set(model, new Set(some))
    this.#planning = {
      modelOf: (model) => this.#modelOf(model),
      isStrict: false,
      weighsCosts: false,
      composes: (strategy) =>
        strategy === undefined || strategy === 'query' || strategy === 'join'
          ? queries.composed.includes(strategy ?? 'default')
          : undefined,
    }
  }

  /** How caches answer a query; undefined if none do. */
  answerTo(query: TypedQuery, takesAnyRow: boolean = this.#queries.takesAnyRow): PlannedAnswer | undefined {
    if (!this.#modelOf(query.model)) return undefined
    const plan = planRead(query, { ...this.#planning, takesAnyRow })
    if (typeof plan === 'string') return undefined
    const caches = cachesIn(plan)
    return {
      models: new Set(caches.map(({ model }) => model)),
      isJoined: caches.length > 1,
      isCertain: isCertainAnswer(plan),
    }
  }

  remove(candidate: Candidate): void {
    this.#candidates.get(candidate.model)!.delete(candidate)
    this.#planned.delete(candidate.model)
  }

  add(candidate: Candidate): void {
    this.#candidates.get(candidate.model)!.add(candidate)
    this.#planned.delete(candidate.model)
  }

  #modelOf(model: string): PlannedModel | undefined {
    if (!this.#planned.has(model)) this.#planned.set(model, this.#plannedModel(model))
    return this.#planned.get(model)
  }

  #plannedModel(model: string): PlannedModel | undefined {
    const known = this.#queries.models.find((each) => each.model === model)
    const candidates = [...(this.#candidates.get(model) ?? [])]
    const own = candidates.some(({ kind }) => kind === 'cache')
      ? this.#newCache(model, known?.omitted ?? [])
      : undefined
    const caches = known?.caches ?? (own && [own])
    if (!caches) return undefined
    const extended = extendedCacheOf(caches)
    return {
      caches: caches.flatMap(
        (cache) => this.#readable(model, cache, cache === extended ? candidates : []) ?? [],
      ),
      relations: this.#models.relationsOf(model),
      selections: new Selections({
        scalars: this.#models.scalarsOf(model),
        relations: this.#models.relationNamesOf(model),
        computed: undefined,
        omitted: Object.fromEntries((known?.omitted ?? []).map((field) => [field, true])),
      }),
    }
  }

  /** Describes the cache of a definition without options. */
  #newCache(name: string, omitted: readonly string[]): ReportedCache | undefined {
    const model = this.#facts.models.get(name)
    const id = this.#rules.idOf(name)
    if (!model || !id) return undefined
    const fields = [...model.scalars].flatMap(([field, { isKeptOut }]) =>
      isKeptOut || omitted.includes(field) ? [] : [field],
    )
    return { name, idFields: id.fields, fields, exactFields: fields, lookups: [] }
  }

  #readable(
    model: string,
    cache: ReportedCache,
    candidates: readonly Candidate[],
  ): ReadableCache | undefined {
    const { exactFields, idFields, lookups } = cache
    const added = candidates.flatMap((each) => (each.kind === 'field' ? [each.field] : []))
    // Another version of the application may have fields that this schema lacks. Planning reads no others than the exact ones.
    const fields = this.#models
      .scalarsOf(model)
      .filter((field) => exactFields.includes(field) || added.includes(field))
    const answering: AnsweringCache = {
      name: cache.name,
      model,
      idFields,
      fields,
      exactFields: fields,
      sharesRows: false,
      holdsRows: false,
      lookups: [
        ...lookups.flatMap((lookup) => (lookup.where ? [answeringLookup(lookup)] : [])),
        ...candidates
          .filter(isLookup)
          .map((candidate) => answeringLookup(this.#described(candidate, idFields))),
      ],
      isFrom: () => true,
      ...unread,
    }
    return this.#models.readable(answering)
  }

  #described(
    { by, kind, limit, model: name, orderBy = [], through, where = {} }: CandidateLookup,
    idFields: readonly string[],
  ): ReportedLookup {
    const model = this.#facts.models.get(name)!
    const ordered = orderBy.flatMap((each) => Object.keys(each))
    const isOrdered = kind === 'list' && (ordered.length > 0 || limit !== undefined)
    const added = idFields.filter((field) => !ordered.includes(field))
    const target =
      through === undefined ? undefined : this.#facts.models.get(model.relationTargets.get(through)!)
    return {
      name: '',
      kind,
      by: target ? target.primaryKey : by,
      where,
      ...(through !== undefined && { through }),
      orderBy: isOrdered ? [...orderBy, ...added.map((field) => ({ [field]: 'asc' }))] : [],
      ...(limit !== undefined && { limit }),
    }
  }
}

/** The cache whose definition gets what is suggested for its model: the first of those with the most fields. */
export function extendedCacheOf(caches: readonly ReportedCache[]): ReportedCache | undefined {
  return caches.toSorted((one, other) => other.exactFields.length - one.exactFields.length)[0]
}

const unread = {
  get: () => Promise.reject(new Error('A hypothetical cache has no rows.')),
  getMany: () => Promise.reject(new Error('A hypothetical cache has no rows.')),
  countRead() {},
  countShadow() {},
  warn() {},
}

function answeringLookup(lookup: ReportedLookup): AnsweringLookup {
  const { by, limit, through, where } = lookup
  return {
    ...lookup,
    through,
    limit,
    where: where!,
    keyOf: (values) => {
      const key = by.map((field) => values[field])
      return key.includes(undefined) ? null : key.join('\0')
    },
    findMany: unread.getMany,
  }
}
