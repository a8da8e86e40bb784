import { cachesNamed, cachesWithLookup, typedFields } from './named-caches.js'

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

describe('cachesWithLookup', () => {
  const described = { name: 'Lot', model: 'Lot', id: [], buckets: 1, dependsOn: [], tables: undefined }
  const version = (...names: readonly string[]) => ({
    ...cache('Lot', names.join()),
    description: {
      ...described,
      lookups: names.map((name) => ({ name, fingerprint: 'f', key: [], watched: [] })),
    },
  })

  it('finds the versions that have a lookup, and those that may, or names the lookups that there are', () => {
    const [none, one, two, unknown] = [
      version(),
      version('code'),
      version('code', 'ofTeam'),
      cache('Lot', ''),
    ]
    expect(cachesWithLookup([none, one, two], 'code')).toEqual([one, two])
    expect(cachesWithLookup([none, two, unknown], 'ofTeam')).toEqual([two, unknown])
    expect(() => cachesWithLookup([none, one, two], 'of')).toThrow(
      'The cache "Lot" has no lookup "of"; it has code, ofTeam.',
    )
    expect(() => cachesWithLookup([none], 'of')).toThrow('The cache "Lot" has no lookup "of"; it has none.')
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
    [two, 'slug=tea, green or black,orgId=7', { orgId: 7, slug: 'tea, green or black' }],
    [two, 'orgId=7,slug=tea of=x', { orgId: 7, slug: 'tea of=x' }],
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
