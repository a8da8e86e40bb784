import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const itemCache = defineModelCache('Item', { ttl: '1h' })
