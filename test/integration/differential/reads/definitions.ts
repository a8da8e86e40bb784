/** The definitions whose caches answer reads. */
import { type ModelCacheDefinition, modelCaches } from 'model-cache'
import type { Prisma } from './client/client.ts'
import { lookups } from './lookups.ts'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const ttl = '1h'

export const definitions = [
  defineModelCache('Person', { ttl, omit: { secret: true }, ...(lookups.Person as object) }),
  defineModelCache('Article', { ttl, rows: 'shared', ...(lookups.Article as object) }),
  defineModelCache('Tag', { ttl, l1: {} }),
  defineModelCache('Topic', { ttl, ...(lookups.Topic as object) }),
  defineModelCache('Review', { ttl, l1: {}, ...(lookups.Review as object) }),
  defineModelCache('Pass', { ttl, notFoundTtl: 0, ...(lookups.Pass as object) }),
  defineModelCache('Seat', { ttl, l1: {}, rows: 'shared', ...(lookups.Seat as object) }),
  defineModelCache('Word', { ttl, id: 'text_mood', ...(lookups.Word as object) }),
  defineModelCache('Code', { ttl }),
  defineModelCache('Everything', { ttl, l1: {}, ...(lookups.Everything as object) }),
  defineModelCache('Maybe', { ttl, rows: 'shared', ...(lookups.Maybe as object) }),
  defineModelCache('Lists', { ttl }),
  defineModelCache('Unreadable', { ttl }),
] as unknown as readonly ModelCacheDefinition<object, never>[]
