/** The definitions whose caches answer reads. */
import { type ModelCacheDefinition, modelCaches } from 'model-cache'
import type { Prisma } from './client/client.ts'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const ttl = '1h'

export const definitions = [
  defineModelCache('Person', { ttl, omit: { secret: true } }),
  defineModelCache('Article', { ttl, rows: 'shared' }),
  defineModelCache('Tag', { ttl, l1: {} }),
  defineModelCache('Review', { ttl, l1: {} }),
  defineModelCache('Pass', { ttl, notFoundTtl: 0 }),
  defineModelCache('Seat', { ttl, l1: {}, rows: 'shared' }),
  defineModelCache('Word', { ttl, id: 'text_mood' }),
  defineModelCache('Code', { ttl }),
  defineModelCache('Everything', { ttl, l1: {} }),
  defineModelCache('Maybe', { ttl, rows: 'shared' }),
  defineModelCache('Lists', { ttl }),
  defineModelCache('Unreadable', { ttl }),
] as unknown as readonly ModelCacheDefinition<object, never>[]
