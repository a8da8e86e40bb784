import type { AnsweringCache, AnsweringLookup } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import { omittedFieldsOf } from '../internals.js'
import { type ClientReads, readsOf, readsOn } from './answer-reads.js'
import type { ModelWrites } from '../written-models.js'
import type { BypassedQuery } from './bypassed-queries.js'
import type { ResultCounts } from './result-shapes.js'

/** What became of the queries of a client since it was extended: plain JSON, without values. */
export interface ClientQueries {
  /** The strategies for which relations come from caches; `'default'` for queries that name none. */
  readonly composed: readonly string[]
  /** Whether findFirst without an order takes any row that a list has. */
  readonly takesAnyRow: boolean
  readonly models: readonly ModelQueries[]
  /** The models of which results of queries are kept; undefined if there are none. */
  readonly kept?: readonly string[]
}

export interface ModelQueries {
  readonly model: string
  /** Queries that caches answered, or that were compared in shadow mode. */
  readonly answered: number
  /** The fields that the client omits from all results. */
  readonly omitted: readonly string[]
  /** The caches that can answer; undefined if the model has none at all. */
  readonly caches?: readonly ReportedCache[]
  /** The most frequent ones first. */
  readonly bypassed: readonly BypassedQuery[]
  /** Queries that results answered, the most frequent ones first; undefined if there are none. */
  readonly results?: readonly ResultCounts[]
  /** What the client has written; undefined if it has not. */
  readonly written?: ModelWrites
}

export interface ReportedCache extends Pick<AnsweringCache, 'name' | 'idFields' | 'fields' | 'exactFields'> {
  readonly lookups: readonly ReportedLookup[]
}

export interface ReportedLookup extends Pick<AnsweringLookup, 'name' | 'kind' | 'by' | 'orderBy'> {
  readonly through?: string
  /** Null if it compares with constants, which queries without values do not show. */
  readonly where: Readonly<Record<string, null | { readonly not: null }>> | null
  readonly limit?: number
}

/** What became of the queries of a client; undefined without `reads`. */
export function clientQueriesOf(client: object): ClientQueries | undefined {
  const reads = readsOf(client)
  return reads && queriesOf(reads)
}

/** What became of the queries of a client, and of those of clients that read its replicas. */
export function allClientQueriesOf(client: object): readonly ClientQueries[] {
  return readsOn(client).map(queriesOf)
}

function queriesOf(reads: ClientReads): ClientQueries {
  const { bypassed, models, resultShapes, runner, settings } = reads
  const byModel = Map.groupBy(bypassed.all(), ({ model }) => model)
  const results = Map.groupBy(resultShapes.all(), ({ model }) => model)
  const written = reads.written.all()
  const known = models.all()
  const named = [...known.keys(), ...byModel.keys(), ...results.keys(), ...written.keys()]
  return {
    composed: ['default', 'query', 'join'].filter((name) =>
      runner.planner.composes(name === 'default' ? undefined : name),
    ),
    takesAnyRow: settings.takesAnyRow,
    ...(settings.results.size > 0 && { kept: [...settings.results.keys()] }),
    models: [...new Set(named)].map((model) => {
      const caches = known.get(model)?.caches.map(({ cache }) => reportedCacheOf(cache))
      return {
        model,
        answered: known.get(model)?.answered ?? 0,
        omitted: Object.entries(omittedFieldsOf(reads.client, model) ?? {}).flatMap(([field, isOmitted]) =>
          isOmitted ? [field] : [],
        ),
        ...(caches && { caches }),
        bypassed: byModel.get(model) ?? [],
        ...(results.has(model) && { results: results.get(model)! }),
        ...(written.has(model) && { written: written.get(model)! }),
      }
    }),
  }
}

/** Describes a cache without what only its process has. */
export function reportedCacheOf({
  exactFields,
  fields,
  idFields,
  lookups,
  name,
}: AnsweringCache): ReportedCache {
  return { name, idFields, fields, exactFields, lookups: lookups.map(describedLookup) }
}

function describedLookup({
  by,
  kind,
  limit,
  name,
  orderBy,
  through,
  where,
}: AnsweringLookup): ReportedLookup {
  const isNullOnly = Object.values(where).every(
    (each) => each === null || (isPlain(each) && Object.keys(each).join() === 'not' && each['not'] === null),
  )
  return {
    name,
    kind,
    by,
    orderBy,
    ...(through !== undefined && { through }),
    where: isNullOnly ? (where as ReportedLookup['where']) : null,
    ...(limit !== undefined && { limit }),
  }
}
