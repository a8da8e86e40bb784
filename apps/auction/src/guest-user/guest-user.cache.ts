import { type } from 'arktype'
import { defineModelCache } from 'model-cache'
import type { GuestUser } from '#prisma/client/client.js'

export const GuestUserRow = type({
  id: 'string',
  name: 'string',
  email: 'string',
  createdAt: 'Date',
})

export const guestUserCache = defineModelCache<GuestUser>()({
  model: 'GuestUser',
  schema: GuestUserRow,
  id: 'id',
  ttl: '1h',
})
