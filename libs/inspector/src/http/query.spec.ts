import { InspectionError } from '../inspection-error.js'
import { cacheIn, Query, targetIn } from './query.js'

const query = (parameters: string) => new Query(`/inspector/api/v1/row?${parameters}`)

const codeOf = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof InspectionError ? `${error.code} ${error.status}` : String(error)
  }
}

describe('a query', () => {
  it('has the parameters of a URL, decoded', () => {
    const parameters = query('id=a%20b%3F?&empty=')
    expect(parameters.required('id')).toBe('a b??')
    expect(parameters.required('empty')).toBe('')
    expect(parameters.optional('root')).toBeUndefined()
    expect(query(`id=${'a'.repeat(1_000)}`).required('id')).toHaveLength(1_000)
  })

  it('has none without a question mark', () => {
    expect(new Query('/inspector/id').optional('d')).toBeUndefined()
    expect(codeOf(() => new Query('/inspector/id').required('id'))).toBe('missing_parameter 400')
  })
})

it('names a cache, of the unnamed root by default', () => {
  expect(cacheIn(query('cache=Lot'))).toEqual({ name: 'Lot', root: null })
  expect(cacheIn(query('cache=Lot&root=billing'))).toEqual({ name: 'Lot', root: 'billing' })
  expect(codeOf(() => cacheIn(query('root=billing')))).toBe('missing_parameter 400')
})

describe('the target of an invalidation', () => {
  it.each([
    ['id=1', { id: '1' }],
    ['lookup=ofHouse&key=north', { lookup: 'ofHouse', key: 'north' }],
    ['all=true', { all: true }],
    ['id=1&all=false', { id: '1' }],
  ])('of %s is %j', (parameters, target) => {
    expect(targetIn(query(parameters))).toEqual(target)
  })

  it.each(['', 'all=1', 'key=a', 'lookup=ofHouse', 'id=1&all=true', 'id=1&lookup=ofHouse&key=a'])(
    'is missing in %j',
    (parameters) => {
      expect(codeOf(() => targetIn(query(parameters)))).toBe('missing_parameter 400')
    },
  )
})
