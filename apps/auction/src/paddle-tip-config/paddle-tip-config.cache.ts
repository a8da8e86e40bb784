import { type } from 'arktype'
import { decimal, defineModelCache } from 'model-cache'
import type { PaddleTipConfig } from '#prisma/client/client.js'

export const PaddleTipConfigRow = type({
  id: 'string',
  fundraiserId: 'string',
  enabled: 'boolean',
  headline: 'string',
  explanation: 'string',
  suggestedPercentages: 'number[]',
  defaultPercentage: decimal,
  minimumAmount: decimal,
  maximumAmount: decimal.or('null'),
  coverFeesByDefault: 'boolean',
  roundUp: 'boolean',
  createdAt: 'Date',
  updatedAt: 'Date',
})

/** Keyed by fundraiser: each has one configuration. */
export const paddleTipConfigCache = defineModelCache<PaddleTipConfig>()({
  model: 'PaddleTipConfig',
  schema: PaddleTipConfigRow,
  id: 'fundraiserId',
  ttl: '1h',
})
