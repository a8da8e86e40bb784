import type { CallSite } from '../ask.ts'

const byBid = [{ amount: 'desc' }, { placedAt: 'asc' }]
const head = { id: true, name: true, tagline: true, charityName: true, currency: true, locale: true } as const

/** What the demo asks Prisma where it does not inject caches, and what the resolvers of its page ask without them. */
export const demo: readonly CallSite[] = [
  ['fundraiser.findMany', () => ({ select: { id: true }, orderBy: [{ startsAt: 'desc' }, { id: 'asc' }], take: 100 })],
  ['fundraiser.findUnique', (a) => ({ where: { id: a('fundraiser.id') }, select: head })],
  ['fundraiser.count', () => ({})],
  ['auctionItem.findMany', () => ({ orderBy: { id: 'asc' }, take: 107 })],
  ['auctionItem.findMany', (a) => ({ where: { fundraiserId: a('fundraiser.id') }, orderBy: { sortOrder: 'asc' } })],
  ['auctionItem.findUnique', (a) => ({ where: { id: a('auctionItem.id') } })],
  ['auctionItem.findUnique', (a) => ({ where: { id: a('auctionItem.id') }, include: { bids: { orderBy: byBid, include: { bidder: true } } } })],
  ['auctionBid.findMany', (a) => ({ where: { auctionItemId: a('auctionItem.id') }, orderBy: byBid, take: 10 })],
  ['user.findUnique', (a) => ({ where: { id: a('user.id') } })],
  ['user.findUnique', (a) => ({ where: { email: a('user.email') } })],
  ['givingLevel.findMany', (a) => ({ where: { fundraiserId: a('fundraiser.id') }, orderBy: { sortOrder: 'asc' } })],
  ['sponsorBundle.findMany', (a) => ({ where: { fundraiserId: a('fundraiser.id') }, orderBy: { sortOrder: 'asc' }, include: { sponsors: true } })],
]
