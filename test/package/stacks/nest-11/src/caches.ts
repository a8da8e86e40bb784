import { modelCaches } from 'model-cache'
import type { Prisma } from './prisma-client'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

export const productCache = defineModelCache('Product', { ttl: '10m' })
