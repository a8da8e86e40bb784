import { type } from 'arktype'
import { defineModelCache, json } from 'model-cache'
import type { FeatureFlags } from '#prisma/client/client.js'

export const FeatureFlagsRow = type({
  id: 'string',
  revision: 'number',
  flags: json,
  updatedAt: 'Date',
})

export const featureFlagsCache = defineModelCache<FeatureFlags>()({
  model: 'FeatureFlags',
  schema: FeatureFlagsRow,
  id: 'id',
  ttl: '10m',
})
