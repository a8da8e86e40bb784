import { type } from 'arktype'
import { decimal, defineModelCache } from 'model-cache'
import type { GivingLevel } from '#prisma/client/client.js'

export const GivingLevelRow = type({
  id: 'string',
  fundraiserId: 'string',
  name: 'string',
  description: 'string',
  amount: decimal,
  matchedAmount: decimal.or('null'),
  sortOrder: 'number',
  badge: 'string | null',
  imageUrl: 'string | null',
  benefits: 'string[]',
  quantityLimit: 'number | null',
  quantityClaimed: 'number',
  active: 'boolean',
  startsAt: 'Date | null',
  endsAt: 'Date | null',
  createdAt: 'Date',
  updatedAt: 'Date',
})

export const givingLevelCache = defineModelCache<GivingLevel>()({
  model: 'GivingLevel',
  schema: GivingLevelRow,
  id: 'id',
  ttl: '10m',
})
