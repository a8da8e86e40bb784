import type { Codec } from '../../codec/codec.js'
import type { WirePlan } from '../../codec/wire-plan.js'
import type { AnsweringCache, AnsweringLookup } from '../../source/read-caches.js'
import { lookupKeyOf } from '../../protocol/index.js'
import type { ModelContext, Telemetry } from '../context.js'
import type { CachedLookup } from '../lookups/cached-lookup.js'
import type { ModelCache } from '../model-cache.js'
import type { AnyModelCacheDefinition } from '../policy/definition.js'
import type { BoundLookup } from '../policy/lookup-options.js'

export interface AnsweringCacheDependencies<Row, Id> {
  readonly definition: Pick<AnyModelCacheDefinition, 'model' | 'load' | 'include' | 'sharesRows' | 'l1'>
  readonly idFields: readonly string[]
  readonly lookups: readonly AnsweredLookup<Row>[]
  readonly codec: Pick<Codec<Row>, 'plan'>
  readonly model: Pick<ModelContext<Row, Id>, 'name' | 'source'>
  readonly telemetry: Pick<Telemetry<Id>, 'observer' | 'log'>
}

type AnyRow = Readonly<Record<string, unknown>>
type AnsweredLookup<Row> = Pick<CachedLookup<Row, unknown>, 'bound' | 'findMany'>

/**
 * Describes a cache to clients whose queries it can answer. Returns undefined if its rows may be something else than fields of the
 * model: a `load` makes them, or they hold relations, or they are of several shapes.
 */
export function answeringCacheOf<Row, Id>(
  cache: Pick<ModelCache<Row, Id>, 'get' | 'getMany'>,
  { codec, definition, idFields, lookups, model, telemetry }: AnsweringCacheDependencies<Row, Id>,
): AnsweringCache | undefined {
  const { name, source } = model
  const { plan } = codec
  if (definition.load || definition.include || plan.kind !== 'object') return undefined
  if (plan.fields.some(({ optional }) => optional)) return undefined
  return {
    name,
    model: definition.model,
    idFields,
    fields: plan.fields.map((field) => field.name),
    exactFields: plan.fields.filter((field) => !hasNamedKeys(field.plan)).map((field) => field.name),
    lookups: lookups.map((lookup) => answeringLookupOf(lookup.bound, lookup)),
    sharesRows: definition.sharesRows,
    holdsRows: definition.sharesRows && definition.l1 !== undefined,
    isFrom: (client) => !source.isFromReplicas?.() && (source.isOwnTransaction?.(client) ?? true),
    get: (id) => cache.get(id as Id) as Promise<AnyRow | null>,
    getMany: (ids) => cache.getMany(ids as Id[]) as Promise<(AnyRow | null)[]>,
    countRead: (outcome, count) => telemetry.observer.prismaReads(outcome, count),
    countShadow: (outcome) => telemetry.observer.prismaShadow(outcome),
    warn: (message) => telemetry.log.warn(message),
  }
}

/** Whether decoding gives objects whose keys the schema names: it orders them, and leaves out keys that only the database has. */
function hasNamedKeys(plan: WirePlan): boolean {
  switch (plan.kind) {
    case 'array':
      return hasNamedKeys(plan.items)
    case 'object':
    case 'tuple':
    case 'record':
    case 'union':
      return true
    default:
      return false
  }
}

/** Describes a lookup to clients whose queries it can answer. */
export function answeringLookupOf<Row>(
  bound: BoundLookup,
  lookup: Pick<AnsweredLookup<Row>, 'findMany'>,
): AnsweringLookup {
  const { description, isCompound, kind, limit, name, orderBy, through, where } = bound
  const { key } = description
  const keyFor = isCompound
    ? (fields: AnyRow): unknown => fields
    : (fields: AnyRow): unknown => fields[key[0]!.name]
  return {
    name,
    kind,
    by: key.map((field) => field.name),
    through,
    where,
    orderBy,
    limit,
    keyOf: (values) => lookupKeyOf(key, values),
    findMany: (keys) => lookup.findMany(keys.map(keyFor)) as Promise<readonly (readonly AnyRow[])[]>,
  }
}
