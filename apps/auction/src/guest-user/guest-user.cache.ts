import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const guestUserCache = defineModelCache('GuestUser', { ttl: '1h' })
