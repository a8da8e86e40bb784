import {
  type BypassedQuery,
  equalTo,
  isEquality,
  isPage,
  isPlain,
  membersOf,
  type Model,
  pageOrderOf,
  relationFilters,
  type SchemaFacts,
  valuesOf,
  type WhereMember,
} from 'model-cache/internal'
import { foldOption } from './fold-option.js'
import { type Candidate, type CandidateLookup, isLookup } from './candidate.js'

type Args = Readonly<Record<string, unknown>>

/** A query whose arguments have values of the right types. */
export interface TypedQuery extends Pick<BypassedQuery, 'action'> {
  readonly model: string
  readonly args: Args
}

/**
 * Finds what could be declared for a query: too much on purpose. Which of it answers queries, and which is not needed beside the rest,
 * is decided by planning the queries with it.
 *
 * @param omittedBy the fields of a model that its caches lack, and queries ask for unless they say otherwise
 */
export function findCandidates(
  { action, args, model }: TypedQuery,
  facts: SchemaFacts,
  omittedBy: (model: string) => readonly string[],
): readonly Candidate[] {
  const finder = new CandidateFinder(facts, omittedBy)
  finder.addQuery(model, action, args)
  return finder.found.map((each) =>
    isLookup(each) ? { ...each, ...foldOption(facts.models, facts.models.get(each.model)!, each) } : each,
  )
}

class CandidateFinder {
  readonly found: Candidate[] = []
  readonly #facts: SchemaFacts
  readonly #omittedBy: (model: string) => readonly string[]

  constructor(facts: SchemaFacts, omittedBy: (model: string) => readonly string[]) {
    this.#facts = facts
    this.#omittedBy = omittedBy
  }

  addQuery(name: string, action: string, args: Args): void {
    const model = this.#facts.models.get(name)
    const members = membersOf(args['where'] ?? {})
    if (!model || !members) return
    this.#addModel(model, args)
    if (!this.#addKeys(model, members, action) && !action.startsWith('findUnique'))
      this.#addLists(model, members, action, args)
    this.#addConditions(model, members)
    this.#addRelations(model, args)
  }

  /** What decides conditions on relations for the rows that were found, or finds the rows by them. */
  #addConditions(model: Model, members: readonly WhereMember[]): void {
    for (const { condition, name } of members) {
      for (const branch of name === 'OR' || name === 'NOT' ? [condition].flat() : [])
        this.#addConditions(model, membersOf(branch) ?? [])
      const relation = model.relations.get(name)
      if (!relation || !isPlain(condition)) continue
      const written = Object.entries(condition).filter(([operator]) => relationFilters.has(operator))
      for (const where of written.length > 0 ? written.map(([, inner]) => inner) : [condition]) {
        if (!isPlain(where)) continue
        this.#addRelation(model, name, {}, 'count')
        this.addQuery(relation.target, 'findMany', { where })
        this.#addRelation(this.#facts.models.get(relation.target)!, relation.targetField, {}, 'count')
      }
    }
  }

  #addModel({ name }: Model, { omit, select }: Args): void {
    this.found.push({ kind: 'cache', model: name })
    const isAsked = (field: string): boolean =>
      isPlain(select) ? select[field] === true : !(isPlain(omit) && omit[field] === true)
    for (const field of this.#omittedBy(name).filter(isAsked))
      this.found.push({ kind: 'field', model: name, field })
  }

  /** Unique keys for which the query has values; true if it names any, the primary key included. */
  #addKeys(
    { name, nullableKeys, primaryKey, uniqueKeys }: Model,
    members: readonly WhereMember[],
    action: string,
  ): boolean {
    const valued = valuedFields(members)
    const branches = anyOf(members)?.map((branch) => valuedFields(branch))
    let isFound = false
    for (const [key, fields] of [...uniqueKeys, ...nullableKeys]) {
      const isNamed = action.startsWith('findUnique') && members.some((member) => member.name === key)
      const hasAll = (all: ReadonlySet<string>): boolean => fields.every((field) => all.has(field))
      if (!isNamed && !hasAll(valued) && !branches?.every(hasAll)) continue
      isFound = true
      if (!isSame(fields, primaryKey)) this.found.push({ kind: 'unique', model: name, by: fields })
    }
    return isFound
  }

  #addLists(model: Model, members: readonly WhereMember[], action: string, args: Args): void {
    const valued = valuedFields(members)
    const equal = members.filter(({ condition, name }) => valued.has(name) && isEquality(condition))
    const exact = [...new Set(equal.map(({ name }) => name))]
    if (exact.length > 0) this.#addLimited(model, exact, members, args, action)
    const by = narrowest(model, [...valued], this.#facts)
    if (by.length > 0) this.#addList(model, { by }, args, action)
  }

  /** A whole list, whose rows show further conditions and give other orders. */
  #addList(
    model: Model,
    { by, through }: Pick<CandidateLookup, 'by' | 'through'>,
    args: Args,
    action: string,
  ): void {
    const own = through !== undefined && { through }
    const list: CandidateLookup = { kind: 'list', model: model.name, by, ...own }
    this.found.push(list)
    const orderBy = orderOf(model, args)
    if (orderBy.length > 0 && action !== 'count') this.found.push({ ...list, orderBy })
  }

  /** The first rows of a list, if all conditions of the query are those of the list. */
  #addLimited(
    model: Model,
    by: readonly string[],
    members: readonly WhereMember[],
    args: Args,
    action: string,
  ): void {
    const others = members.filter((member) => !by.includes(member.name))
    const orderBy = orderOf(model, args)
    const { skip = 0, take = action.startsWith('findFirst') ? 1 : undefined } = args
    if (action === 'count' || typeof take !== 'number' || typeof skip !== 'number') return
    if (orderBy.length === 0 || !others.every(({ condition }) => isNullTest(condition)) || 'cursor' in args)
      return
    const limit = limits.find((each) => each >= take + skip)
    if (limit === undefined) return
    const where = Object.fromEntries(others.map((member) => [member.name, equalTo(member.condition)]))
    this.found.push({
      kind: 'list',
      model: model.name,
      by,
      ...(others.length > 0 && { where: where as NonNullable<CandidateLookup['where']> }),
      orderBy,
      limit,
    })
  }

  #addRelations(model: Model, { include, select }: Args): void {
    const selection = select ?? include
    if (!isPlain(selection)) return
    for (const [name, given] of Object.entries(selection)) {
      if (given === false) continue
      if (name === '_count') this.#addCounts(model, given)
      else this.#addRelation(model, name, isPlain(given) ? given : {}, 'findMany')
    }
  }

  #addCounts(model: Model, given: unknown): void {
    if (!isPlain(given) || !isPlain(given['select'])) return
    for (const [name, each] of Object.entries(given['select']))
      if (each !== false) this.#addRelation(model, name, isPlain(each) ? each : {}, 'count')
  }

  #addRelation(model: Model, name: string, args: Args, action: string): void {
    const relation = model.relations.get(name)
    const target = relation && this.#facts.models.get(relation.target)
    if (!target) return
    this.#addModel(target, args)
    const back = target.relations.get(relation.targetField)
    if (relation.keyHolder === 'this') {
      if (!isSame(relation.references, target.primaryKey))
        this.found.push({ kind: 'unique', model: target.name, by: relation.references })
    } else if (!relation.isList) {
      if (back && !isSame(back.fields, target.primaryKey))
        this.found.push({ kind: 'unique', model: target.name, by: back.fields })
    } else {
      const members = membersOf(args['where'] ?? {}) ?? []
      const { fields: by = [] } = back ?? {}
      if (relation.keyHolder === 'join-table') {
        this.#addList(target, { by: [], through: relation.targetField }, args, action)
      } else {
        this.#addLimited(target, by, members, args, action)
        this.#addList(target, { by }, args, action)
      }
    }
    this.#addRelations(target, args)
  }
}

/** The limits of suggested lists. */
const limits = [1, 5, 10, 20, 50, 100, 200, 500, 1_000]

/** The fields that have one of some values. */
function valuedFields(members: readonly WhereMember[]): ReadonlySet<string> {
  const valued = members.filter(({ condition, name }) => {
    const values = name === 'OR' || name === 'NOT' ? undefined : valuesOf(condition)
    return Array.isArray(values) && !values.includes(null)
  })
  return new Set(valued.map(({ name }) => name))
}

/** The branches of an `OR`. */
function anyOf(members: readonly WhereMember[]): readonly (readonly WhereMember[])[] | undefined {
  const condition = members.find(({ name }) => name === 'OR')?.condition
  return Array.isArray(condition) && condition.length > 0
    ? condition.map((each) => membersOf(each) ?? [])
    : undefined
}

/** `null`, `{ not: null }` or `{ equals: null }`. */
function isNullTest(condition: unknown): boolean {
  const value = equalTo(condition)
  return value === null || (isPlain(value) && Object.keys(value).join() === 'not' && value['not'] === null)
}

/**
 * The fields by which a list of all rows is not too long: without those of few values, and of several foreign keys only the one of the
 * model to which the fewest others belong, as the whole tenant is too much to read.
 */
function narrowest(
  { relations, scalars }: Model,
  fields: readonly string[],
  { models }: SchemaFacts,
): readonly string[] {
  const known = fields.filter((field) => scalars.has(field))
  const manyValued = known.filter((field) => !/^(Enum|Boolean)$/.test(scalars.get(field)!.type))
  if (manyValued.length === 0) return known
  const parents = new Map(
    [...relations.values()]
      .filter(({ fields, keyHolder }) => keyHolder === 'this' && fields.length === 1)
      .map(({ fields, target }) => [fields[0]!, models.get(target)?.children.length ?? 0]),
  )
  const foreign = manyValued.filter((field) => parents.has(field))
  const own = manyValued.filter((field) => !parents.has(field))
  if (own.length > 0 || foreign.length < 2) return manyValued
  return foreign.toSorted((one, other) => parents.get(one)! - parents.get(other)!).slice(0, 1)
}

/** The members of `orderBy`, or of what Prisma orders a page by without one, if all are orders of fields. */
function orderOf(model: Model, args: Args): readonly Readonly<Record<string, unknown>>[] {
  const members = [args['orderBy'] ?? []].flat() as unknown as readonly Readonly<Record<string, unknown>>[]
  if (members.length === 0 && isPage(args)) return pageOrderOf(model) ?? []
  return members.every((member) => isPlain(member) && Object.keys(member).length === 1) ? members : []
}

function isSame(fields: readonly string[], others: readonly string[]): boolean {
  return fields.length === others.length && fields.every((field) => others.includes(field))
}
