import { breaksBoth } from './broken-constraints.ts'
import type { Query, Write } from './random-write.ts'

const query = (args: Query['args']): Query => ({ form: 'query', model: 'User', operation: 'update', args })
const nested = query({ where: { id: 1 }, data: { posts: [{ deleteMany: { id: 2 } }] } })
const plain = query({ where: { id: 1 }, data: { posts: { create: { id: 2 } } } })
const batch = (...queries: Query[]): Write => ({ form: 'batch', queries, isAbandoned: false })

describe('a nested deleteMany that breaks two constraints', () => {
  it.each([nested, batch(plain, nested)])('may report either of them', (write) => {
    expect(breaksBoth(write, { expected: 'P2002', actual: 'P2003' })).toBe(true)
    expect(breaksBoth(write, { expected: 'P2003', actual: 'P2002' })).toBe(true)
  })

  it.each([
    ['P2003', 'P2003'],
    ['P2003', undefined],
    [undefined, 'P2002'],
    ['P2003', 'P2025'],
  ])('may not report %s and %s', (expected, actual) => {
    expect(breaksBoth(nested, { expected, actual })).toBe(false)
  })

  it.each([plain, batch(plain)])('is not another write', (write) => {
    expect(breaksBoth(write, { expected: 'P2002', actual: 'P2003' })).toBe(false)
  })
})
