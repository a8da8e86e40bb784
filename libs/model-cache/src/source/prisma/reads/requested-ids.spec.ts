import { describeSchemaText } from '../schema/describe-schema.js'
import { readModelsOf } from './readable-cache.js'
import type { ReadableKey } from './readable-key.js'
import { equalTo, idOfUnique, idsOf, isEquality, membersWithout } from './requested-ids.js'
import { membersOf } from './where.js'

const { readable } = readModelsOf(
  describeSchemaText(`
datasource db { provider = "postgresql" }
model Post {
  id   Int @id
  org  Int
  slug String
  @@unique([org, slug])
}`),
)
/** A key of which a statement takes three. */
const keyOf = (idFields: readonly string[]): ReadableKey => {
  const fields = ['id', 'org', 'slug']
  const cache = { model: 'Post', idFields, fields, exactFields: fields, lookups: [] }
  return { ...readable(cache as never)!.id, maxKeys: 3 }
}
const [single, pair] = [keyOf(['id']), keyOf(['org', 'slug'])]
const pairOf = (org: number, slug: string): object => ({ org, slug })

/** Only Prisma knows what it reads of one. */
class Key {
  org = 1
  slug = 'a'
}

const found = (requested: ReturnType<typeof idsOf>) =>
  typeof requested === 'string' ? requested : [requested.ids, requested.others.map(({ name }) => name)]

it.each<[object, unknown]>([
  [{ id: 1 }, [[1], []]],
  [{ id: { equals: 1 }, slug: 'a' }, [[1], ['slug']]],
  [{ id: { in: [1, 2, 3] } }, [[1, 2, 3], []]],
  [{ id: { in: [1, 2, 3, 4] } }, 'too_many_ids'],
  [{ id: { in: 1 } }, 'id_value'],
  [{ id: 'a' }, 'id_value'],
  [{ id: { gt: 1 } }, 'condition'],
  [{ id: { in: [1], gt: 1 } }, 'condition'],
  [{ slug: 'a' }, 'condition'],
  [{ OR: [{ id: 1 }, { id: 2 }, { id: 1 }], slug: 'a' }, [[1, 2], ['slug']]],
  [{ slug: 'a', OR: [{ id: 1 }] }, [[1], ['slug']]],
  [{ OR: [{ id: 1 }, { id: 1 }, { id: 1 }, { id: 1 }] }, 'too_many_ids'],
  [{ OR: [{ id: { in: [1, 2] } }, { id: { in: [3, 4] } }] }, 'too_many_ids'],
  [{ OR: [{ id: { in: [1, 2] } }, { id: 3 }] }, [[1, 2, 3], []]],
  [{ OR: [{ id: 1, slug: 'a' }] }, 'condition'],
  [{ OR: [{ slug: 'a' }] }, 'condition'],
  [{ OR: [{}] }, 'condition'],
  [{ OR: [{ id: 'a' }] }, 'id_value'],
  [{ OR: [{ OR: [{ id: 1 }] }] }, 'condition'],
  [{ OR: Array.from({ length: 4 }, () => ({ id: { in: [] } })) }, 'too_many_ids'],
  [{ OR: ['id'] }, 'condition'],
  [{ OR: { id: 1 } }, 'condition'],
  [{ OR: [] }, [[], []]],
  [{ AND: { OR: [] } }, 'condition'],
  [{ AND: { OR: [{ id: 1 }] } }, [[1], []]],
])('finds the ids of %j', (where, expected) => {
  expect(found(idsOf(membersOf(where)!, single))).toEqual(expected)
})

it.each<[object, unknown]>([
  [{ org: 1, slug: 'a' }, [[pairOf(1, 'a')], []]],
  [{ slug: { equals: 'a' }, org: 1, id: 1 }, [[pairOf(1, 'a')], ['id']]],
  [{ org: 1, slug: { in: ['a', 'b', 'a'] } }, [[pairOf(1, 'a'), pairOf(1, 'b')], []]],
  [{ org: { in: [1, 2, 3] }, slug: 'a' }, [[pairOf(1, 'a'), pairOf(2, 'a'), pairOf(3, 'a')], []]],
  [{ org: { in: [1, 2] }, slug: { in: ['a'] } }, 'condition'],
  [{ org: { in: [] }, slug: 'a\0' }, 'id_value'],
  [{ org: { in: [1] }, slug: { in: ['a'] } }, 'condition'],
  [{ org: 1, slug: { in: ['a', 'b', 'c', 'd'] } }, 'too_many_ids'],
  [{ org: 1, slug: { in: 'a' } }, 'id_value'],
  [{ org: 'a', slug: 'a' }, 'id_value'],
  [{ org: 1, slug: { in: ['a', 1] } }, 'id_value'],
  [{ org: 1 }, 'condition'],
  [{ org: 1, slug: { contains: 'a' } }, 'condition'],
  [{ OR: [pairOf(1, 'a'), pairOf(2, 'b')] }, [[pairOf(1, 'a'), pairOf(2, 'b')], []]],
  [{ OR: [{ org: 1, slug: 'a', id: 1 }] }, 'condition'],
  [{ OR: [{ org: 1 }] }, 'condition'],
])('finds the ids of several fields of %j', (where, expected) => {
  expect(found(idsOf(membersOf(where)!, pair))).toEqual(expected)
})

it.each<[ReadableKey, object, unknown]>([
  [single, { id: 1, slug: 'a' }, [[1], ['slug']]],
  [single, { AND: { id: 1 } }, 'condition'],
  [single, { id: { in: [1] } }, 'id_value'],
  [pair, { org_slug: pairOf(1, 'a'), id: 1 }, [[pairOf(1, 'a')], ['id']]],
  [pair, { org_slug: { slug: 'a', org: 1 } }, [[pairOf(1, 'a')], []]],
  [pair, { org_slug: { org: 1, id: 1 } }, 'id_value'],
  [pair, { org_slug: { org: 1, slug: 'a', id: 1 } }, 'id_value'],
  [pair, { org_slug: { org: 'a', slug: 'a' } }, 'id_value'],
  [pair, { org_slug: null }, 'id_value'],
  [pair, { org_slug: new Key() }, 'id_value'],
  [pair, { org: 1, slug: 'a' }, 'condition'],
])('finds the id of a unique key: %#', (key, where, expected) => {
  expect(found(idOfUnique(membersOf(where)!, key))).toEqual(expected)
})

it('keeps the conditions that are not used', () => {
  const members = membersOf({ id: 1, slug: 'a' })!
  expect(membersWithout(members, [members[0]!])).toEqual([members[1]])
  expect(membersWithout(members, members)).toEqual([])
})

it('takes `equals` for the value itself', () => {
  expect([{ equals: 1 }, 1, null].map(equalTo)).toEqual([1, 1, null])
  expect(equalTo({ equals: 1, mode: 'insensitive' })).toEqual({ equals: 1, mode: 'insensitive' })
  expect([{ equals: 1 }, 1, { in: [1] }, { equals: {} }].map(isEquality)).toEqual([true, true, false, false])
})
