import { modelCaches } from 'model-cache'
import type { Prisma } from '#prisma/client/client.js'

/** Defines caches of this application's models. Their rows are derived from prisma/schema.prisma. */
export const { defineModelCache } = modelCaches<Prisma.TypeMap>()
