import type { AnsweringLookup, CachedRow } from '../../read-caches.js'
import { readableListOf, type ReadableList } from './readable-list.js'

const listOf = (
  orderBy: readonly CachedRow[],
  { idFields = ['id'], where = {} }: { idFields?: readonly string[]; where?: CachedRow } = {},
): ReadableList =>
  readableListOf({ orderBy, where } as AnsweringLookup, [{}, {}] as unknown as ReadableList['fields'], {
    idFields,
    holdsRows: false,
  })

it('has the order with the id, and without it', () => {
  const { orders, totalOrder } = listOf([{ rank: 'desc' }, { id: 'asc' }])
  expect(totalOrder).toBe('"rank" desc,"id" asc,')
  expect([...orders]).toEqual(['"rank" desc,"id" asc,', '"rank" desc,'])
})

it('has no order where the id alone orders rows', () => {
  expect([...listOf([{ id: 'asc' }]).orders]).toEqual(['"id" asc,', ''])
})

it('has the order without each field of the id at its end', () => {
  const { orders } = listOf([{ a: 'asc' }, { rank: 'asc' }, { a: 'asc' }, { b: 'asc' }], {
    idFields: ['a', 'b'],
  })
  expect([...orders]).toEqual([
    '"a" asc,"rank" asc,"a" asc,"b" asc,',
    '"a" asc,"rank" asc,"a" asc,',
    '"a" asc,"rank" asc,',
  ])
})

it.each<[string, CachedRow]>([
  ['another direction', { id: 'desc' }],
  ['another field', { rank: 'asc' }],
])('has a single order if it ends with %s', (_, end) => {
  expect(listOf([{ id: 'asc' }, end]).orders.size).toBe(1)
})

it('has a condition for each field of its key, and for each of its own', () => {
  expect(listOf([{ id: 'asc' }]).conditions).toBe(2)
  expect(listOf([{ id: 'asc' }], { where: { open: true, deletedAt: null, kind: 'NEW' } }).conditions).toBe(5)
})
