import { defineModelCache } from '../infrastructure/caching/define-model-cache.js'

/** Keyed by fundraiser: each has one configuration. */
export const paddleTipConfigCache = defineModelCache('PaddleTipConfig', { id: 'fundraiserId', ttl: '1h' })
