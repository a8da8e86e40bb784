import { type } from 'arktype'
import { decimal, defineModelCache } from 'model-cache'
import type { User } from '#prisma/client/client.js'

export const UserRow = type({
  id: 'string',
  email: 'string',
  firstName: 'string',
  lastName: 'string',
  displayName: 'string',
  phone: 'string | null',
  avatarUrl: 'string | null',
  city: 'string | null',
  country: 'string',
  locale: 'string',
  timezone: 'string',
  paddleNumber: 'number | null',
  rating: 'number',
  isVerified: 'boolean',
  marketingOptIn: 'boolean',
  lifetimeGiven: decimal,
  lastSeenAt: 'Date | null',
  createdAt: 'Date',
  updatedAt: 'Date',
})

export const userCache = defineModelCache<User>()({
  model: 'User',
  schema: UserRow,
  id: 'id',
  ttl: '10m',
})
