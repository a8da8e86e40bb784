import { cachesNamed, lookupNamed, typedFields } from './named-caches.js'

const cache = (name: string, fingerprint: string) => ({
  name,
  fingerprint,
  affectedBy: undefined,
  description: undefined,
  layout: '',
})

describe('cachesNamed', () => {
  it('finds each schema version', () => {
    const caches = [cache('Lot', 'a'), cache('Bid', 'b'), cache('Lot', 'c')]
    expect(cachesNamed(caches, 'Lot', 'mc').map(({ fingerprint }) => fingerprint)).toEqual(['a', 'c'])
  })

  it('names those that there are', () => {
    const caches = [cache('Lot', 'a'), cache('Bid', 'b'), cache('Lot', 'c')]
    expect(() => cachesNamed(caches, 'Log', 'mc')).toThrow(
      'The namespace "mc" has no cache "Log"; it has Bid, Lot.',
    )
    expect(() => cachesNamed([], 'Log', 'mc')).toThrow(
      'The namespace "mc" has no caches. Start the application',
    )
  })
})

describe('lookupNamed', () => {
  const described = { name: 'Lot', model: 'Lot', id: [], buckets: 1, dependsOn: [], tables: undefined }
  const lookup = (name: string) => ({ name, fingerprint: 'f', key: [], watched: [] })

  it('finds a lookup, or names those that there are', () => {
    const lookups = [lookup('code'), lookup('ofTeam')]
    expect(lookupNamed({ ...described, lookups }, 'ofTeam').name).toBe('ofTeam')
    expect(() => lookupNamed({ ...described, lookups }, 'of')).toThrow(
      'The cache "Lot" has no lookup "of"; it has code, ofTeam.',
    )
    expect(() => lookupNamed({ ...described, lookups: [] }, 'of')).toThrow(
      'The cache "Lot" has no lookup "of"; it has none.',
    )
  })
})

describe('typedFields', () => {
  const one = [{ name: 'id', kind: 'string' }] as const
  const two = [
    { name: 'orgId', kind: 'number' },
    { name: 'slug', kind: 'string' },
  ] as const

  it.each([
    [one, '{"id":"7"}', { id: '{"id":"7"}' }],
    [one, 'a=b', { id: 'a=b' }],
    [two, '{"orgId":7,"slug":"tea"}', { orgId: 7, slug: 'tea' }],
    [two, ' \n{"orgId":7,"slug":"a=b"}', { orgId: 7, slug: 'a=b' }],
    [two, 'orgId=7,slug=tea', { orgId: 7, slug: 'tea' }],
    [two, 'slug=a=b,  orgId=7', { orgId: 7, slug: 'a=b' }],
    [two, 'orgId=7\nslug=', { orgId: 7, slug: '' }],
  ])('reads %# as it is typed', (fields, text, values) => {
    expect(typedFields(fields, text, 'The id')).toEqual(values)
  })

  it.each(['7', 'orgId=7', 'orgId=x,slug=tea', 'orgId,slug=tea', '{"orgId":7}', '{'])(
    'refuses %s for several fields',
    (text) => {
      expect(() => typedFields(two, text, 'The id')).toThrow(
        `The id is ${JSON.stringify(text)}; expected JSON with "orgId" (number), "slug" (string), or orgId=…,slug=….`,
      )
    },
  )
})
