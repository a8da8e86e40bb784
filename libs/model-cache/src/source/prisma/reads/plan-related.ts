import type { CachedRow } from '../../read-caches.js'
import { isPlain } from '../../plain.js'
import type { Relation } from '../../schema-facts.js'
import { betterOf, planSelection, type SelectionRequest } from './plan-selection.js'
import { noArguments } from './read-arguments.js'
import { type BypassReason, closestOf } from './read-outcome.js'
import { cachesOf, type RelatedKey, type RelatedList, type RelatedOne } from './read-plan.js'
import type { ReadPlanning } from './read-planning.js'
import { findListed, findRow, ofExisting, truthsOf } from './read-related.js'
import type { ReadableCache } from './readable-cache.js'
import type { ReadableKey } from './readable-key.js'
import { equalTo, isEquality, membersWithout } from './requested-ids.js'
import { restOf } from './requested-list.js'
import { allRows, isCertain, type RowSelection } from './row-selection.js'
import {
  compileRowTest,
  type NullTest,
  type RelationLookup,
  type RelationTest,
  type RowTest,
  type Truth,
} from './row-test.js'
import { membersOf, type WhereMember } from './where.js'

/** Finds the key of a cache by which rows of a relation are read. */
export function planKeyOf(relation: Relation, { keys }: ReadableCache): RelatedKey | undefined {
  const key = keys.find(({ fields }) => isKeyOf(fields, relation))
  return (
    key && {
      key,
      from: relation.ownKey,
      keyOf: keyReaderOf(relation, key),
      isCertain: relation.keyHolder === 'this',
    }
  )
}

/** The lists of some rows. */
export interface RequestedLists extends Pick<SelectionRequest, 'action' | 'args' | 'readable'> {
  readonly members: readonly WhereMember[]
  /** Whether it is the list of one row, of which the result is the whole. */
  readonly isOneList: boolean
}

/** Finds what has the rows of a relation: a unique key of which the conditions have all other fields, or a list. Or says why nothing does. */
export function planListed(
  relation: Relation,
  request: RequestedLists,
  planning: ReadPlanning,
): RelatedList | RelatedOne | BypassReason {
  return planOneListed(relation, request, planning) ?? planListOf(relation, request, planning)
}

/** Finds the list of a cache that has the rows of a relation, or says why none does. */
export function planListOf(
  relation: Relation,
  { isOneList, members, ...request }: RequestedLists,
  planning: ReadPlanning,
): RelatedList | BypassReason {
  const { readable } = request
  const relationOf = conditionsOn(readable, planning)
  const through = relation.keyHolder === 'join-table' ? relation.targetField : undefined
  let reason: BypassReason | undefined
  let best: RelatedList | undefined
  for (const list of readable.lists) {
    if (list.lookup.through !== through || !isKeyOf(list.fields, relation)) continue
    const others = restOf(members, list)
    const selection = others
      ? planSelection({ ...request, others, planning, relationOf }, { list, isOneList })
      : 'condition'
    if (typeof selection === 'string') reason = closestOf(reason, selection)
    else {
      const found = { list, from: relation.ownKey, keyOf: keysReaderOf(relation, list.fields), selection }
      best = best ? betterOf(best, found) : found
    }
  }
  return best ?? reason ?? 'relations'
}

function isKeyOf(fields: ReadableKey['fields'], { targetKey }: Relation): boolean {
  return fields.length === targetKey.length && fields.every(({ name }) => targetKey.includes(name))
}

type KeyReader = (row: CachedRow) => CachedRow | null | undefined

/** Reads a key of the other side in a row of this one. */
function keyReaderOf(
  relation: Relation,
  { fields }: ReadableKey,
  fixed?: CachedRow,
): (row: CachedRow) => unknown {
  if (fields.length > 1) return keysReaderOf(relation, fields, fixed)
  const [{ read }] = fields as [ReadableKey['fields'][number]]
  const [from] = relation.ownKey as [string]
  return (row) => {
    const value = row[from]
    return value === null ? null : read(value)
  }
}

/** Reads it as an object of its fields. @param fixed values of fields that the relation does not have */
function keysReaderOf(
  { ownKey, targetKey }: Relation,
  keyFields: ReadableKey['fields'],
  fixed: CachedRow = {},
): KeyReader {
  const parts = keyFields
    .filter(({ name }) => targetKey.includes(name))
    .map(({ name, read }) => ({ name, read, from: ownKey[targetKey.indexOf(name)]! }))
  return (row) => {
    const key: Record<string, unknown> = { ...fixed }
    for (const { from, name, read } of parts) {
      const value = row[from]
      if (value === null) return null
      if ((key[name] = read(value)) === undefined) return undefined
    }
    return key
  }
}

/** Plans tests of conditions on relations of a cache's rows: `{ users: { some: { userId } } }`, `{ author: { is: { name } } }`. */
export function conditionsOn({ cache, fields }: ReadableCache, planning: ReadPlanning): RelationLookup {
  return (name, condition) => {
    const relation = planning.modelOf(cache.model)!.relations.get(name)
    if (!relation || !relation.ownKey.every((field) => fields.has(field))) return undefined
    const operators = relation.isList ? condition : singleOf(condition)
    if (!isPlain(operators)) return undefined
    const testOf = relation.isList ? testOfRows : testOfRow
    const tests = Object.entries(operators).map(([operator, inner]) =>
      testOf(relation, { operator, inner }, planning),
    )
    return tests.every((test) => test !== undefined) ? tests : undefined
  }
}

const ofSingle = new Set(['is', 'isNot'])
const ofLists = new Set(['some', 'none', 'every'])

/** `{ is: x }` for x, unless it is written so. */
export function singleOf(condition: unknown): unknown {
  const isWritten = isPlain(condition) && Object.keys(condition).every((name) => ofSingle.has(name))
  return isWritten ? condition : { is: condition }
}

interface Operation {
  /** `is`, `isNot`; `some`, `none`, `every`. */
  readonly operator: string
  readonly inner: unknown
}

function testOfRow(
  relation: Relation,
  { inner, operator }: Operation,
  planning: ReadPlanning,
): RelationTest | NullTest | undefined {
  const { isNullable, keyHolder, ownKey, target } = relation
  if (inner === null && !isNullable) return undefined
  if (inner === null && keyHolder === 'this') return { fields: ownKey, isNull: operator === 'is' }
  // To have no row is not to have any.
  const members = membersOf(inner === null ? {} : inner)
  const isNegated = (operator === 'isNot') !== (inner === null)
  for (const readable of planning.modelOf(target)?.caches ?? []) {
    const related = members && planKeyOf(relation, readable)
    const relationOf = conditionsOn(readable, planning)
    const test = related && compileRowTest(members, { fieldOf: readable.fieldOf, relationOf })
    if (typeof test === 'string' || !related) continue
    return testWith(readable, { ...allRows, test }, 0, async (rows) => {
      const found = await findRow(related, rows)
      return typeof found === 'string' ? found : truthsOfEach(found, test, isNegated)
    })
  }
  return undefined
}

/** What is true of each row that another one leads to. Null is no row: it fulfils no condition, and so each that is negated. */
async function truthsOfEach(
  found: readonly (CachedRow | null)[],
  test: RowTest | undefined,
  isNegated: boolean,
): Promise<readonly Truth[] | BypassReason> {
  const truths = await ofExisting<Truth>(found, false, async (rows) =>
    test ? truthsOf(test, rows) : rows.map(() => true),
  )
  if (typeof truths === 'string') return truths
  return truths.map((truth) => (truth === undefined ? undefined : truth !== isNegated))
}

function testOfRows(
  relation: Relation,
  { inner, operator }: Operation,
  planning: ReadPlanning,
): RelationTest | undefined {
  const members = membersOf(inner)
  if (!members || !ofLists.has(operator)) return undefined
  // `every` fails for a row of which the conditions are false, but not if null makes them unknown.
  const searched = operator === 'every' ? membersOf({ NOT: inner })! : members
  const isFound = operator === 'some'
  for (const readable of planning.modelOf(relation.target)?.caches ?? []) {
    const request = { action: 'count', args: noArguments, isOneList: true, members: searched, readable }
    const related = planListed(relation, request, planning)
    if (typeof related === 'string') continue
    const values = 'key' in related ? related.key.fields.length - relation.ownKey.length : 0
    return testWith(readable, related.selection, values, async (rows) => {
      const found = await findListed(related, rows)
      return typeof found === 'string' ? found : found.map(({ length }) => length > 0 === isFound)
    })
  }
  return undefined
}

/** Finds the one row that can fulfil conditions with values for all other fields of a unique key. */
function planOneListed(
  relation: Relation,
  { members, ...request }: RequestedLists,
  planning: ReadPlanning,
): RelatedOne | undefined {
  const { readable } = request
  const relationOf = conditionsOn(readable, planning)
  for (const { related, used } of keysWithin(relation, readable, members)) {
    const others = membersWithout(members, used)
    const selection = planSelection({ ...request, others, planning, relationOf }, { most: 1 })
    if (typeof selection !== 'string') return { ...related, selection }
  }
  return undefined
}

interface KeyWithin {
  readonly related: RelatedKey
  /** The conditions that the key has. */
  readonly used: readonly WhereMember[]
}

/** The unique keys of a relation's fields and of others that conditions have values for. */
function keysWithin(
  relation: Relation,
  { keys }: ReadableCache,
  members: readonly WhereMember[],
): readonly KeyWithin[] {
  const { keyHolder, ownKey, targetKey } = relation
  if (keyHolder === 'join-table') return []
  return keys.flatMap((key) => {
    const others = key.fields.filter(({ name }) => !targetKey.includes(name))
    if (key.fields.length !== targetKey.length + others.length) return []
    const fixed: Record<string, unknown> = {}
    const used: WhereMember[] = []
    for (const { name, read } of others) {
      const found = members.find((member) => member.name === name && isEquality(member.condition))
      const value = found && read(equalTo(found.condition))
      if (value === undefined) return []
      fixed[name] = value
      used.push(found!)
    }
    const related = { key, from: ownKey, keyOf: keyReaderOf(relation, key, fixed), isCertain: false }
    return [{ related, used }]
  })
}

/**
 * @param selection of the rows that the relation leads to
 * @param values the number of values by which these rows are found
 */
function testWith(
  { cache }: ReadableCache,
  selection: RowSelection,
  values: number,
  truthsOf: RelationTest['truthsOf'],
): RelationTest {
  const { test } = selection
  return {
    caches: [cache, ...cachesOf(test)],
    values: values + (test?.values ?? 0),
    isCertain: isCertain(selection),
    truthsOf,
  }
}
