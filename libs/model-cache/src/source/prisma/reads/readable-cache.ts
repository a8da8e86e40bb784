import type { AnsweringCache, AnsweringLookup } from '../../read-caches.js'
import type { Model, Relation, SchemaFacts } from '../../schema-facts.js'
import { maxIdsPerStatement } from '../max-ids.js'
import {
  idKeyOf,
  type KeyColumn,
  type KeyFacts,
  readableLookupKey,
  type ReadableKey,
} from './readable-key.js'
import { type ReadableList, readableListOf } from './readable-list.js'
import { pageOrderOf } from './row-order.js'
import type { FieldLookup } from './row-test.js'

/** A cache, and what its model says about how its rows are requested. */
export interface ReadableCache {
  readonly cache: AnsweringCache
  readonly id: ReadableKey
  /** The id of the cache, and its unique lookups. */
  readonly keys: readonly ReadableKey[]
  readonly lists: readonly ReadableList[]
  /** The fields of each key that all rows have, and no two the same. */
  readonly uniqueKeys: readonly (readonly string[])[]
  /** The order in which Prisma returns the rows of a page that its query does not order; null if it is not known. */
  readonly pageOrder: readonly object[] | null
  /** The names of unique keys in the `where` of findUnique, which takes a value for each, and no operators. */
  readonly uniqueNames: ReadonlySet<string>
  /** Returns a field that it gives as the database does. */
  readonly fieldOf: FieldLookup
  /** The fields whose values it gives as the database does. */
  readonly fields: ReadonlySet<string>
  /** The {@link fields} that are decimals, or lists of decimals. */
  readonly decimals: ReadonlySet<string>
  /** Returns a decimal of the caller's own. */
  copyDecimal(decimal: object): object
}

/** What a decimal consists of. */
interface Digits {
  readonly s: number
  readonly e: number
  readonly d: readonly number[] | null
}

/** Copies decimals as their constructor does, in a third of its time: those of a row are within its limits. */
function copierOf(Decimal: SchemaFacts['Decimal']): ReadableCache['copyDecimal'] {
  const { prototype } = Decimal
  return (decimal) => {
    const { d, e, s } = decimal as Digits
    const copy = Object.create(prototype) as Record<string, unknown>
    copy['constructor'] = Decimal
    copy['s'] = s
    copy['e'] = e
    copy['d'] = d && d.slice()
    return copy
  }
}

/** The models of a client as queries see them. */
export type ReadModels = ReturnType<typeof readModelsOf>

export function readModelsOf(facts: SchemaFacts) {
  return {
    /** Grows when the database has said more of its columns, after which all that was returned is to be asked again. */
    get version(): number {
      return facts.database.version
    },
    /** The scalar fields of a model, in the order of rows. */
    scalarsOf: (model: string): readonly string[] => [...(facts.models.get(model)?.scalars.keys() ?? [])],
    /** The fields by which a query asks for rows of relations, or for `_count` of them. */
    relationNamesOf(model: string): ReadonlySet<string> {
      const described = facts.models.get(model)
      return described ? relationNamesOf(described) : new Set()
    },
    /** The relations of a model by field; undefined for one whose rows no key leads to. */
    relationsOf(model: string): ReadonlyMap<string, Relation | undefined> {
      const described = facts.models.get(model)
      return described ? readableRelationsOf(facts, described) : new Map()
    },
    /** Returns undefined if the cache cannot answer queries, such as one of rows that Prisma fails to read. */
    readable(cache: AnsweringCache): ReadableCache | undefined {
      const { model, idFields, fields, exactFields, lookups } = cache
      const described = facts.models.get(model)
      if (!described || described.problem !== undefined) return undefined
      const idColumns = keyColumnsOf(described, idFields)
      const isKnown = fields.every((field) => described.scalars.get(field)?.isReadable)
      const names = namesOf(described.uniqueKeys, idFields)
      if (!isKnown || !idColumns || names.length === 0) return undefined
      const id = idKeyOf(cache, keyFactsOf(facts, idColumns, names))
      const keys = [id]
      const lists: ReadableList[] = []
      for (const lookup of lookups) {
        const by = fieldsOf(facts, described, lookup)
        if (!by) continue
        const { nullableKeys, uniqueKeys } = described
        const keyNames = [...namesOf(uniqueKeys, lookup.by), ...namesOf(nullableKeys, lookup.by)]
        if (lookup.kind === 'list') lists.push(readableListOf(lookup, by, cache))
        else if (keyNames.length > 0) keys.push(readableLookupKey(lookup, keyFactsOf(facts, by, keyNames)))
      }
      // As the database has described them so far.
      const columns = new Map(exactFields.map((field) => [field, { ...described.scalars.get(field)! }]))
      return {
        cache,
        id,
        keys,
        lists,
        uniqueKeys: [...described.uniqueKeys.values()],
        pageOrder: pageOrderOf(described),
        uniqueNames: new Set([...described.uniqueKeys.keys(), ...described.nullableKeys.keys()]),
        fieldOf: (name) => columns.get(name),
        fields: new Set(exactFields),
        decimals: new Set(exactFields.filter((field) => described.scalars.get(field)!.type === 'Decimal')),
        // The class takes decimals as well; their type belongs to the client.
        copyDecimal: copierOf(facts.Decimal),
      }
    },
  }
}

/** The fields of the key of a lookup; undefined if one has values of which only the database knows which are equal. */
function fieldsOf(
  facts: SchemaFacts,
  model: Model,
  { by, through }: AnsweringLookup,
): ReadableKey['fields'] | undefined {
  const holder = through === undefined ? model : facts.models.get(model.relationTargets.get(through)!)
  return holder && keyColumnsOf(holder, by)
}

/** Returns the columns of a key; undefined if a query never asks for rows by one of the fields. */
function keyColumnsOf({ scalars }: Model, fields: readonly string[]): readonly KeyColumn[] | undefined {
  const columns = fields.flatMap((field) => {
    const column = scalars.get(field)
    const read = column?.read
    return read ? [{ ...column!, read }] : []
  })
  return columns.length === fields.length ? columns : undefined
}

/** The names of the keys that consist of these fields, in any order; empty if they are not unique. */
function namesOf(keys: Model['uniqueKeys'], keyFields: readonly string[]): readonly string[] {
  return [...keys].filter(([, fields]) => isSame(fields, keyFields)).map(([name]) => name)
}

function keyFactsOf(
  { provider }: SchemaFacts,
  fields: ReadableKey['fields'],
  names: readonly string[],
): KeyFacts {
  const maxKeys = maxIdsPerStatement(provider, fields.length)
  return { fields, names: new Set(fields.length === 1 ? [] : names), maxKeys }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((field) => other.includes(field))
}

/** The relations of a model that clients see, by field; undefined for one of which too little is known. */
function readableRelationsOf(facts: SchemaFacts, model: Model): ReadonlyMap<string, Relation | undefined> {
  const isKnown = model.problem === undefined
  return new Map(
    [...model.relationTargets.keys()].map((field) => {
      const relation = isKnown ? model.relations.get(field) : undefined
      return [field, relation && joinsAsRead(facts, model, relation) ? relation : undefined]
    }),
  )
}

/**
 * Whether Prisma, which joins the rows of relations by the texts of their keys, finds those that are equal here. Rows that a list has found
 * by a join table do not show under which text.
 */
function joinsAsRead({ models }: SchemaFacts, own: Model, relation: Relation): boolean {
  const { keyHolder, ownKey, target: name, targetKey } = relation
  const target = models.get(name)!
  if (keyHolder === 'join-table') {
    const keys = [own, target].flatMap(({ primaryKey, scalars }) => primaryKey.map((key) => scalars.get(key)))
    return keys.every((column) => column?.hasOneText === true && !column.isLoose)
  }
  return ownKey.every((field, i) => {
    const column = own.scalars.get(field)
    return column?.hasOneText === true && column.kind === target.scalars.get(targetKey[i]!)?.kind
  })
}

/** The fields of a model by which clients select rows of relations, or `_count` of them. */
function relationNamesOf({ relationTargets, relations }: Model): ReadonlySet<string> {
  const hasLists = [...relations.values()].some(({ isList, isVisible }) => isList && isVisible)
  return new Set([...relationTargets.keys(), ...(hasLists ? ['_count'] : [])])
}
