import { Inject, Injectable } from '@nestjs/common'
import type { AuctionItem } from '#prisma/client/client.js'
import type { Database } from '#prisma/database.js'
import { DATABASE } from '../infrastructure/database/database.module.js'
import { PrismaService } from '../infrastructure/database/prisma.service.js'
import type { EditItemInput } from './edit-item.input.js'
import { lockItem } from './lock-item.js'

@Injectable()
export class ItemEditorService {
  constructor(
    private readonly prisma: PrismaService,
    @Inject(DATABASE) private readonly database: Database,
  ) {}

  /** @throws ClientError with the code NOT_FOUND */
  async editItem({ id, ...changes }: EditItemInput): Promise<AuctionItem> {
    return this.prisma.$transaction(async (tx) => {
      const { currentBid } = await lockItem(tx, this.database, id)
      const { minimumIncrement } = changes
      // Once there is a bid to exceed, the minimum of the next bid follows from the increment.
      const minimumNextBid = minimumIncrement && currentBid?.plus(minimumIncrement)
      return tx.auctionItem.update({
        where: { id },
        data: { ...changes, ...(minimumNextBid && { minimumNextBid }) },
      })
    })
  }
}
