import { differingFields } from './compare-results.js'
import type { ListPlan } from './plan-read.js'

const list = (isOrdered: boolean): { readonly plan: ListPlan } => ({
  plan: { isOrdered, list: {}, readable: { id: { fields: [{ name: 'id' }] } } } as unknown as ListPlan,
})
const [one, other] = [
  { id: 1, name: 'same' },
  { id: 2, name: 'same' },
]

it('finds rows of a list that are in another order', () => {
  expect(differingFields(list(true), [one, other], [other, one])).toEqual(['id'])
  expect(differingFields(list(true), [one, other], [one, other])).toEqual([])
})

it('compares rows of a list as a set where the database may return them in any order', () => {
  expect(differingFields(list(false), [one, other], [other, one])).toEqual([])
  expect(differingFields(list(false), [one, other], [other, { ...one, name: 'new' }])).toEqual(['name'])
  expect(differingFields(list(false), [one, other], [other])).toEqual(['(row)'])
})
