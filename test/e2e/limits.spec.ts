import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { useOpened } from '../support/use-opened.js'
import { post, startAuction } from './auction-server.js'

const lot = buildDemoRows().auctionItems[0]!

describe('a request that is too large or invalid', () => {
  const server = useOpened(startAuction)

  const repeat = (count: number, operation: object): string =>
    JSON.stringify(Array.from({ length: count }, () => operation))

  it('is rejected as a batch of more than ten operations', async () => {
    const ten = await post(server.url, repeat(10, { query: '{ __typename }' }))
    expect(await ten.json()).toEqual(Array.from({ length: 10 }, () => ({ data: { __typename: 'Query' } })))

    const eleven = await post(server.url, repeat(11, { query: '{ __typename }' }))
    expect(eleven.status).toBe(400)
    const answer = (await eleven.json()) as { errors: unknown[] }
    expect(answer.errors).toEqual([
      {
        message: 'A batch may have at most 10 operations. This one has 11',
        extensions: { code: 'BATCH_TOO_LARGE' },
      },
    ])
  })

  it('is rejected beyond eight levels', async () => {
    const deep = (levels: number): string =>
      `{ fundraisers { ${'... on Fundraiser { '.repeat(levels - 2)} id ${'}'.repeat(levels - 2)} } }`
    expect((await server.graphql(deep(8))).errors).toBeUndefined()
    const { status, errors } = await server.graphql(deep(9))
    expect(status).toBe(400)
    expect(errors?.[0]?.message).toContain('query depth (9) exceeds the query depth limit of 8')
  })

  it('is rejected beyond 2000 tokens or 100 kB', async () => {
    const wide = `{ ${Array.from({ length: 1000 }, (_, index) => `a${index}: __typename`).join(' ')} }`
    expect((await server.graphql(wide)).errors?.[0]?.message).toContain('more that 2000 tokens')
    const large = await server.graphql(`{ __typename } #${'x'.repeat(110 * 1024)}`)
    expect(large.errors?.[0]?.message).toContain('too large')
  })

  it.each([
    ['an invalid id', `{ auctionItem(id: "17") { id } }`, 'id must be a UUID (was "17")'],
    [
      'more bids than a page shows',
      `{ auctionItem(id: "${lot.id}") { bids(first: 101) { id } } }`,
      'first must be at most 100 (was 101)',
    ],
    [
      'an amount with three decimals and an invalid bidder id',
      `mutation { placeBid(input: { auctionItemId: "${lot.id}", bidderId: "me", amount: "1.005" }) { bid { id } } }`,
      'amount must be an amount above 0 with at most two decimals (was 1.005); bidderId must be a UUID (was "me")',
    ],
    [
      'an amount as a Float',
      `mutation { placeBid(input: { auctionItemId: "${lot.id}", bidderId: "${lot.id}", amount: 12.5 }) { bid { id } } }`,
      'Decimal must be a string in plain notation, such as "117.5"',
    ],
    [
      'an edit without a change',
      `mutation { editItem(input: { id: "${lot.id}" }) { id } }`,
      'input must be an id and at least one field to change (was an id alone)',
    ],
    [
      'a date in an ambiguous notation',
      `mutation { editItem(input: { id: "${lot.id}", endsAt: "1/2/26" }) { id } }`,
      'DateTime must be a string in ISO 8601, such as "2026-11-21T18:30:00.000Z"',
    ],
  ])('is rejected with the reason: %s', async (_name, query, message) => {
    const { errors } = await server.graphql(query)
    expect(errors).toHaveLength(1)
    expect(errors![0]).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT' } })
  })

  it('cannot read the schema in production, nor open GraphiQL', async () => {
    const { errors } = await server.graphql('{ __schema { types { name } } }')
    expect(errors?.[0]?.message).toContain('introspection has been disabled')
    expect((await fetch(`${server.url}/graphiql`)).status).toBe(404)
  })

  it('is rejected if it comes from a form of another site', async () => {
    const response = await post(server.url, JSON.stringify({ query: '{ __typename }' }), 'text/plain')
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('Cross-Site Request Forgery')
  })

  it('gets no details of an internal error', async () => {
    await server.prisma.$executeRaw`ALTER TABLE "Sponsor" RENAME TO "Gone"`
    const bundle = buildDemoRows().sponsorBundles[0]!
    const { data, errors } = await server.graphql(`{ sponsorBundle(id: "${bundle.id}") { name } }`)
    expect(data).toEqual({ sponsorBundle: null })
    expect(errors).toEqual([
      {
        message: 'Internal server error. The details are in the server log',
        path: ['sponsorBundle'],
        locations: expect.any(Array),
        extensions: { code: 'INTERNAL_SERVER_ERROR' },
      },
    ])
  })
})
