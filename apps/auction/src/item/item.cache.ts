import { type } from 'arktype'
import { decimal, defineModelCache } from 'model-cache'
import type { Item } from '#prisma/client/client.js'

export const ItemRow = type({
  id: 'string',
  sku: 'string',
  title: 'string',
  description: 'string',
  category: 'string',
  condition: 'string',
  donorName: 'string',
  donorUrl: 'string | null',
  fairMarketValue: decimal,
  quantity: 'number',
  weightGrams: 'number | null',
  isVirtual: 'boolean',
  restrictions: 'string | null',
  expiresAt: 'Date | null',
  createdAt: 'Date',
  updatedAt: 'Date',
})

export const itemCache = defineModelCache<Item>()({
  model: 'Item',
  schema: ItemRow,
  id: 'id',
  ttl: '1h',
})
