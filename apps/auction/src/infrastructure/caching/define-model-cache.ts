import { modelCaches } from 'model-cache'
import type { Prisma } from '#prisma/client/client.js'

/** Defines caches of this application's models. Their rows are derived from prisma/schema.prisma. */
export const { defineModelCache } = modelCaches<Prisma.TypeMap>()

/** Text is compared byte by byte. On MySQL only the migrations say so, so each key of text repeats it. */
export const caseSensitive = true
