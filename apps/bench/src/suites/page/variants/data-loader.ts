import DataLoader from 'dataloader'
import type { PrismaClient } from '#prisma/client/client.js'
import type { OpenPageRows } from '../page-rows.ts'
import { bidsOf, lotsOf, usersOf } from './load.ts'
import { findUnique } from './prisma.ts'

/** New loaders for each request, as their documentation asks for: they also keep its rows. */
export const openDataLoader = (prisma: PrismaClient): OpenPageRows => {
  const { head } = findUnique(prisma)
  return () => {
    const lots = new DataLoader((ids: readonly string[]) => lotsOf(prisma, ids))
    const bids = new DataLoader((ids: readonly string[]) => bidsOf(prisma, ids))
    const users = new DataLoader((ids: readonly string[]) => usersOf(prisma, ids))
    return {
      head,
      lots: ({ id }) => lots.load(id),
      bids: ({ id }) => bids.load(id),
      bidder: ({ bidderId }) => users.load(bidderId),
    }
  }
}
