import type { PrismaClient } from '#prisma/client/client.js'
import { linesOf, type RecordingCoordinator } from './recording-coordinator.js'
import { openWritesFixture, type WritesFixture } from './writes-fixture.js'

let fixture: WritesFixture
let prisma: PrismaClient
let recorder: RecordingCoordinator

beforeAll(async () => {
  fixture = await openWritesFixture({ maxRows: 5 })
  ;({ prisma, recorder } = fixture)
})
afterAll(() => fixture.close())

let runs = 0
let guestId: string
let bidIds: string[]
const bidder = {
  firstName: 'a',
  lastName: 'b',
  displayName: 'c',
  country: 'NL',
  locale: 'nl',
  timezone: 'UTC',
}

/** Creates a guest with two bids for one test. */
beforeEach(async () => {
  guestId = `guest-${++runs}`
  const { id: _id, guestId: _guest, ...bid } = await fixture.plain.auctionBid.findFirstOrThrow()
  bidIds = [`${guestId}-a`, `${guestId}-b`]
  await fixture.plain.guestUser.create({ data: { id: guestId, name: 'old', email: '' } })
  await fixture.plain.auctionBid.createMany({
    data: bidIds.map((id) => ({ ...bid, id, guestId, source: 'old' })),
  })
  recorder.caches = { AuctionBid: [['id']] }
  recorder.refusal = undefined
  recorder.look = () =>
    fixture.value('SELECT "guestId" || \' \' || source FROM "AuctionBid" WHERE id = $1', [bidIds[0]])
  await recorder.take()
  fixture.statements()
})
const marked = (...ids: string[]) => `markWritten AuctionBid ${ids.map((id) => `{"id":"${id}"}`).join(' ')}`

describe('a referential action', () => {
  it('of a deleted parent reaches its children, which are selected first', async () => {
    await prisma.guestUser.delete({ where: { id: guestId } })
    expect(await recorder.take()).toEqual(linesOf(marked(...bidIds), `${guestId} old`, 'null'))
  })

  it('of a parent whose key changes reaches its children', async () => {
    await prisma.guestUser.update({ where: { id: guestId }, data: { id: `${guestId}-new`, name: 'new' } })
    expect(await recorder.take()).toEqual(linesOf(marked(...bidIds), `${guestId} old`, `${guestId}-new old`))
    await prisma.guestUser.update({ where: { id: `${guestId}-new` }, data: { name: 'newer' } })
    expect(await recorder.take()).toEqual([])
  })

  it('reaches children of parents that are deleted in bulk, or in a transaction', async () => {
    recorder.caches.GuestUser = [['id']]
    await prisma.guestUser.deleteMany({ where: { id: { startsWith: guestId } } })
    expect(await recorder.take()).toEqual(
      linesOf([`markWritten GuestUser {"id":"${guestId}"}`, marked(...bidIds)], `${guestId} old`, 'null'),
    )
    const other = await fixture.plain.guestUser.create({ data: { name: 'other', email: '' } })
    await fixture.plain.auctionBid.update({ where: { id: bidIds[0]! }, data: { guestId: other.id } })
    await prisma.$transaction([prisma.guestUser.delete({ where: { id: other.id } })])
    expect(await recorder.take()).toEqual(
      linesOf([`markWritten GuestUser {"id":"${other.id}"}`, marked(bidIds[0]!)], `${other.id} old`, 'null'),
    )
  })

  it('affects all rows of the children above the limit', async () => {
    const bid = await fixture.plain.auctionBid.findUniqueOrThrow({
      where: { id: bidIds[0]! },
      omit: { id: true },
    })
    await fixture.plain.auctionBid.createMany({
      data: [1, 2, 3, 4].map((n) => ({ ...bid, id: `${guestId}-${n}` })),
    })
    await prisma.guestUser.delete({ where: { id: guestId } })
    expect(await recorder.take()).toEqual(
      linesOf('markWritten all AuctionBid: cascade', `${guestId} old`, 'null'),
    )
  })

  it('that restricts a delete keeps the parent, and only the parent is announced', async () => {
    recorder.caches = { AuctionItem: [['id']], AuctionBid: [['id']] }
    const { auctionItemId: id } = await fixture.plain.auctionBid.findUniqueOrThrow({
      where: { id: bidIds[0]! },
    })
    await expect(prisma.auctionItem.delete({ where: { id } })).rejects.toMatchObject({ code: 'P2003' })
    expect(await recorder.take()).toEqual(
      linesOf(`markWritten AuctionItem {"id":"${id}"}`, `${guestId} old`, `${guestId} old`),
    )
  })
})

describe('nested writes', () => {
  it('are announced by the rows that they write, and by no others', async () => {
    recorder.caches = { AuctionBid: [['id']], User: [['id']], GuestUser: [['id']] }
    const [a] = bidIds as [string]
    const fenced = [expect.stringContaining('fence'), expect.stringContaining('end')]
    await prisma.auctionBid.update({ where: { id: a }, data: { guest: { disconnect: true } } })
    expect(await recorder.take()).toEqual([marked(a), ...fenced])
    await prisma.auctionBid.update({ where: { id: a }, data: { guest: { connect: { id: guestId } } } })
    expect(await recorder.take()).toEqual([marked(a), ...fenced])
    await prisma.auctionBid.update({
      where: { id: a },
      data: { bidder: { create: { ...bidder, id: `user-${guestId}`, email: guestId } } },
    })
    expect(await recorder.take()).toEqual([`markWritten User {"id":"user-${guestId}"}`, marked(a), ...fenced])
  })
})
