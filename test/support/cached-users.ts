import { type } from 'arktype'
import {
  defineModelCache,
  type ModelCacheOptions,
} from '../../libs/model-cache/src/cache/policy/definition.js'

/** Users, whose rows have a date that callers can change. */
export interface User {
  id: string
  name: string
  bornAt: Date
}

export const userSchema = type({ id: 'string', name: 'string', bornAt: 'Date' })

export const defineUsers = (options: Partial<ModelCacheOptions<User, typeof userSchema, 'id'>> = {}) =>
  defineModelCache<User>()({ model: 'User', schema: userSchema, id: 'id', ttl: '10m', ...options })

export const user = (id: string, name = `name of ${id}`): User => ({ id, name, bornAt: new Date(7) })
