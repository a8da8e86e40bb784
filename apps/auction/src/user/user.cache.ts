import { caseSensitive, defineModelCache } from '../infrastructure/caching/define-model-cache.js'

export const userCache = defineModelCache('User', {
  ttl: '10m',
  unique: { email: { by: 'email', caseSensitive } },
})
