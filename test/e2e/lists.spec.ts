import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { Registry } from 'prom-client'
import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { createApp } from '../../apps/auction/src/create-app.js'
import { type AuctionServer, post, startAuction } from './auction-server.js'

const demo = buildDemoRows()
const lot = demo.auctionItems.find(({ status, bidCount }) => status === 'OPEN' && bidCount > 1)!

const BIDS = `query { auctionItem(id: "${lot.id}") { bids(first: 3) { amount status bidder { displayName } } all: bids(first: 100) { amount } } }`

describe('two applications of one auction', () => {
  let server: AuctionServer
  let other: NestFastifyApplication
  let otherUrl: string
  beforeAll(async () => {
    server = await startAuction()
    other = await createApp({ ...server.config, metrics: new Registry() })
    await other.listen(0, '127.0.0.1')
    otherUrl = await other.getUrl()
  })
  afterAll(async () => {
    await other.close()
    await server.close()
  })

  const ask = async (query: string) => {
    const response = await post(otherUrl, JSON.stringify({ query }))
    // eslint-disable-next-line typescript/no-explicit-any -- each test knows the shape of its query
    return ((await response.json()) as { data: any }).data
  }

  it('show a bid that one of them took in the lists of both, at once', async () => {
    const before = await ask(BIDS)
    expect((await server.graphql(BIDS)).data).toEqual(before)
    const amount = lot.minimumNextBid.toFixed()
    const place = `mutation { placeBid(input: { auctionItemId: "${lot.id}", bidderId: "${demo.users[3]!.id}", amount: "${amount}" }) { bid { id } } }`
    expect((await server.graphql(place)).errors).toBeUndefined()
    const [afterHere, afterThere] = [(await server.graphql(BIDS)).data, await ask(BIDS)]
    expect(afterThere).toEqual(afterHere)
    const [highest, outbid] = afterThere.auctionItem.bids
    expect(highest).toMatchObject({ amount, status: 'WINNING' })
    expect(outbid).toEqual({ ...before.auctionItem.bids[0], status: 'OUTBID' })
    expect(afterThere.auctionItem.all).toHaveLength(before.auctionItem.all.length + 1)
  })

  it('find a user by e-mail and a lot by its place', async () => {
    const user = demo.users[5]!
    const byEmail = (email: string) => `{ userByEmail(email: "${email}") { id } }`
    const at = (place: string) =>
      `{ auctionItemAt(fundraiserId: "${lot.fundraiserId}", lot: "${place}") { id } }`
    expect(await ask(byEmail(user.email))).toEqual({ userByEmail: { id: user.id } })
    expect(await ask(byEmail('nobody@example.org'))).toEqual({ userByEmail: null })
    expect(await ask(at(lot.lot))).toEqual({ auctionItemAt: { id: lot.id } })
    expect(await ask(at('no such lot'))).toEqual({ auctionItemAt: null })
  })
})
