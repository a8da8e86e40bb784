import { modelCaches } from 'model-cache'
import type { Prisma } from '#prisma/client/client.js'
import { ROWS } from './judge-reads.ts'

const TTL_MS = 3_600_000

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

/** The followed rows, with lists. @param hasMemory whether they have a memory layer */
export const defineUsers = (hasMemory: boolean) =>
  defineModelCache('User', {
    ttl: TTL_MS,
    follow: 'required',
    ...(hasMemory && { l1: { ttl: TTL_MS, maxEntries: 2 * ROWS } }),
    lists: { ofCity: { by: 'city', orderBy: { id: 'asc' }, caseSensitive: true } },
  })

export type UsersDefinition = ReturnType<typeof defineUsers>
