import type { Prisma } from '@prisma/client'
import { modelCaches } from 'model-cache'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

export const productCache = defineModelCache('Product', { ttl: '10m' })
