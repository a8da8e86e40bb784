import { modelCaches } from 'model-cache'
import type { Prisma } from './prisma-client'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

export const productCache = defineModelCache('Product', { id: 'id', ttl: '10m', unique: { slug: 'slug' } })
