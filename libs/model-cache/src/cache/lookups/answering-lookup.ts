import type { AnsweringLookup } from '../../source/read-caches.js'
import { lookupKeyOf } from '../../protocol/index.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import type { Lookup } from './lookups.js'

type Fields = Readonly<Record<string, unknown>>

/** Describes a lookup to clients whose queries it can answer; undefined if its key is not one of fields. */
export function answeringLookupOf<Row>(
  bound: BoundLookup,
  lookup: Pick<Lookup<Row>, 'findMany'>,
): AnsweringLookup | undefined {
  const { description, isCompound, kind, limit, name, orderBy, through, where } = bound
  const { key } = description
  if (!key) return undefined
  const keyFor = isCompound
    ? (fields: Fields): unknown => fields
    : (fields: Fields): unknown => fields[key[0]!.name]
  return {
    name,
    kind,
    by: key.map((field) => field.name),
    through,
    where,
    orderBy,
    limit,
    keyOf: (values) => lookupKeyOf(key, values),
    findMany: (keys) => lookup.findMany(keys.map(keyFor)) as Promise<readonly (readonly Fields[])[]>,
  }
}
