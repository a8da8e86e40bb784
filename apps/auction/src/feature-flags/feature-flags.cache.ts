import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const featureFlagsCache = defineModelCache('FeatureFlags', { ttl: '10m' })
