import { randomUUID } from 'node:crypto'
import { Inject, Injectable } from '@nestjs/common'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { AuctionBid, AuctionItem } from '#prisma/client/client.js'
import type { Database } from '#prisma/database.js'
import { DATABASE } from '../infrastructure/database/database.module.js'
import { PrismaService } from '../infrastructure/database/prisma.service.js'
import { ClientError } from '../infrastructure/graphql/errors.js'
import { userCache } from '../user/user.cache.js'
import { lockItem } from './lock-item.js'
import type { PlaceBidInput } from './place-bid.input.js'

@Injectable()
export class BiddingService {
  constructor(
    private readonly prisma: PrismaService,
    @Inject(DATABASE) private readonly database: Database,
    @InjectModelCache(userCache) private readonly users: CacheOf<typeof userCache>,
  ) {}

  /** @throws ClientError with the code NOT_FOUND, AUCTION_NOT_OPEN or BID_TOO_LOW */
  async placeBid(input: PlaceBidInput): Promise<AuctionBid> {
    if (!(await this.users.get(input.bidderId)))
      throw new ClientError('NOT_FOUND', `No user ${input.bidderId}`)
    return this.write(input)
  }

  /** Locks the item's row, so that the second of two concurrent equal bids sees the price of the first. */
  private write({ auctionItemId, bidderId, amount }: PlaceBidInput): Promise<AuctionBid> {
    return this.prisma.$transaction(async (tx) => {
      const item = await lockItem(tx, this.database, auctionItemId)
      const placedAt = new Date()
      assertOpen(item, placedAt)
      if (amount.lessThan(item.minimumNextBid)) {
        const minimumNextBid = item.minimumNextBid.toFixed()
        throw new ClientError('BID_TOO_LOW', `The next bid must be at least ${minimumNextBid}`, {
          minimumNextBid,
        })
      }

      const id = randomUUID()
      const minimumNextBid = amount.plus(item.minimumIncrement)
      const bid = await tx.auctionBid.create({
        data: {
          id,
          auctionItemId,
          bidderId,
          amount,
          minimumNextBid,
          status: 'WINNING',
          source: 'api',
          placedAt,
        },
      })
      const outbidId = item.currentBidId
      if (outbidId !== null)
        await tx.auctionBid.update({ where: { id: outbidId }, data: { status: 'OUTBID' } })
      await tx.auctionItem.update({
        where: { id: auctionItemId },
        data: {
          currentBid: amount,
          currentBidId: id,
          currentBidderId: bidderId,
          minimumNextBid,
          outbidBidderIds: outbid(item, bidderId),
          bidCount: { increment: 1 },
          lastBidAt: placedAt,
        },
      })
      return bid
    })
  }
}

function assertOpen({ status, startsAt, endsAt }: AuctionItem, now: Date): void {
  if (status === 'OPEN' && startsAt <= now && (endsAt === null || now < endsAt)) return
  const state = now < startsAt ? `opens at ${startsAt.toISOString()}` : 'is over'
  throw new ClientError('AUCTION_NOT_OPEN', `The auction of this item ${state}`)
}

/** All bidders on the item, except the new winner. */
function outbid({ outbidBidderIds, currentBidderId }: AuctionItem, winnerId: string): string[] {
  const bidders = new Set(outbidBidderIds)
  if (currentBidderId !== null) bidders.add(currentBidderId)
  bidders.delete(winnerId)
  return [...bidders]
}
