import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const fundraiserCache = defineModelCache('Fundraiser', { ttl: '10m' })
