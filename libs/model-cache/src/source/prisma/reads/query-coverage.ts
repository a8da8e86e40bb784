import { extensionsOf } from '../client-extensions.js'
import { readsOf, readsOn } from './answer-reads.js'
import { Projection } from './projection.js'
import type { ReadDefinition } from './read-options.js'

/** The client whose queries caches answer: the one that they load from; if that has no `reads`, one that reads its replicas. */
export function answeredClientOf(client: object): object {
  return readsOf(client) ? client : (readsOn(client)[0]?.client ?? client)
}

/** Which queries of its model a cache answers, as far as its definition decides. */
export interface QueryCoverage {
  /** `shadow`: the database answers all of them, and the cache is compared. */
  readonly mode: 'answer' | 'shadow'
  /** False if no query is answered: the rows are not scalar fields of one model, or only the database can compare the id. */
  readonly canAnswer: boolean
  /** The fields that a query without `select` asks for and no cache of the model has. The database answers every such query. */
  readonly missing: readonly MissingField[]
}

export interface MissingField {
  readonly field: string
  /** `omitted`: rows do not have the field. `reshaped`: they have some keys of its JSON, which the schema of the cache names. */
  readonly because: 'omitted' | 'reshaped'
}

/**
 * Says which queries a cache answers, as clients like this one send them.
 *
 * @returns undefined if the client answers no queries from this cache: without `reads`, or if `reads` does not name it
 */
export function queryCoverageOf(client: object, { name, model }: ReadDefinition): QueryCoverage | undefined {
  const reads = readsOf(client)
  if (!reads) return undefined
  const { models, settings } = reads
  if (settings.names && !settings.names.get(model)?.has(name)) return undefined
  const mode = settings.isShadow ? 'shadow' : 'answer'
  const answering = models.of(model)?.caches ?? []
  const own = answering.find(({ cache }) => cache.name === name)
  if (!own) return { mode, canAnswer: false, missing: [] }
  const asked = models.extensionsOf(extensionsOf(client)).selectionsOf(model).of({})
  if (!(asked instanceof Projection) || answering.some((readable) => asked.of(readable)))
    return { mode, canAnswer: true, missing: [] }
  const has = new Set(own.cache.fields)
  return {
    mode,
    canAnswer: true,
    missing: asked.fields
      .filter((field) => !own.fields.has(field))
      .map((field) => ({ field, because: has.has(field) ? 'reshaped' : 'omitted' })),
  }
}

/** A report on which queries of a client its caches answer. */
export interface ReadsReport {
  /** The names that `reads` lists. */
  readonly caches: readonly string[] | 'all'
  readonly isShadow: boolean
  /** Whether any query is answered. */
  readonly canAnswer: boolean
  /** The caches that answer none. */
  readonly silent: readonly string[]
  /** The models of whose queries the database answers those without `select`, and the fields that their caches do not have as it does. */
  readonly lacking: ReadonlyMap<string, readonly string[]>
  /** The models of which results of queries are kept. */
  readonly results: readonly string[]
}

/** Describes which queries a client answers from these caches; undefined without `reads`. */
export function describeReads(client: object, caches: readonly ReadDefinition[]): ReadsReport | undefined {
  const reads = readsOf(client)
  if (!reads) return undefined
  const { isShadow, names, results } = reads.settings
  const silent: string[] = []
  const lacking = new Map<string, readonly string[]>()
  let canAnswer = false
  for (const cache of caches) {
    const coverage = queryCoverageOf(client, cache)
    if (coverage?.canAnswer) canAnswer = true
    else if (coverage) silent.push(cache.name)
    const missing = coverage?.missing.map(({ field }) => field) ?? []
    const known = lacking.get(cache.model)
    if (missing.length > 0 && !(known && known.length <= missing.length)) lacking.set(cache.model, missing)
  }
  const listed = names && [...names.values()].flatMap((some) => [...some])
  return { caches: listed ?? 'all', isShadow, canAnswer, silent, lacking, results: [...results.keys()] }
}
