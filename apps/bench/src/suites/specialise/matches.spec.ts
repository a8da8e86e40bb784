import { auctionBidSchema } from '../../harness/fixtures/models.ts'
import { bidCodec, bids } from './reads.ts'
import { compileMatches, matches } from './matches.ts'

describe.each([
  ['a walk over the plan', (value: unknown) => matches(bidCodec.plan, value)],
  ['functions made of the plan', compileMatches(bidCodec.plan)],
])('%s', (_, check) => {
  const [bid] = bids

  it('takes rows as the schema does', () => {
    for (const row of bids) expect([check(row), auctionBidSchema.allows(row)]).toEqual([true, true])
  })

  it.each([
    { ...bid, id: 1 },
    { ...bid, isProxy: 'no' },
    { ...bid, amount: '12.00' },
    { ...bid, placedAt: 'yesterday' },
    { ...bid, bidderId: null },
    { ...bid, guestId: undefined },
    null,
  ])('refuses what the schema refuses: %j', (value) => {
    expect([check(value), auctionBidSchema.allows(value)]).toEqual([false, false])
  })
})

describe('checks of kinds that no row here has', () => {
  it('are refused by both', () => {
    const plan = { kind: 'json', nullable: false, undefinable: false } as const
    expect(() => matches(plan, {})).toThrow('check of a json')
    expect(() => compileMatches(plan)).toThrow('check of a json')
  })
})
