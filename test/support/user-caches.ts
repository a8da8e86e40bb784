import { type } from 'arktype'
import { type CacheOptions, modelCaches } from 'model-cache/prisma'

const { defineModelCache } = modelCaches()

export interface User {
  id: string
  name: string
  bornAt: Date
}
export const userSchema = type({ id: 'string', name: 'string', bornAt: 'Date' })

/** A cache of users, and what else it is to be. */
export const defineUsers = (options: Partial<CacheOptions> = {}) =>
  defineModelCache<User>()({ model: 'User', schema: userSchema, id: 'id', ttl: '10m', ...options })

export const user = (id: string, name = `name of ${id}`): User => ({ id, name, bornAt: new Date(7) })
