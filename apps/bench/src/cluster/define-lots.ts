import { defineModelCache } from 'model-cache'
import type { AuctionItem } from '#prisma/client/client.js'
import { auctionItemSchema } from '../codec/fixtures/lots.ts'

export const defineLots = (name: string) =>
  defineModelCache<AuctionItem>()({
    model: 'AuctionItem',
    name,
    schema: auctionItemSchema,
    id: 'id',
    ttl: '1h',
  })
