import { modelCaches } from 'model-cache'
import type { Prisma } from '#prisma/client/client.js'
import { createRandom, type Random } from '#prisma/demo/random.js'
import { cityOf, cityName, userId, type UserVersion, valuesOf } from '../users.ts'
import { LEFT_KEYS } from './problems.ts'

/**
 * The rows of the soak: users with unique keys and in lists, and guests. The version of a user is its `rating`, that of a guest its
 * `email`; both move to another list every few versions.
 */
export const counts = {
  users: 300,
  /** Of each pod, which creates and deletes them. */
  transientEach: 10,
  guests: 100,
  cities: 20,
  /** Ids that no row has. */
  unknown: 100,
} as const

export const transientId = (pod: number, user: number): string => `transient ${pod} ${user}`
export const guestId = (guest: number): string => `guest ${guest}`
export const unknownId = (number: number): string => `nothing ${number}`
/** A user has two addresses in turn. */
export const emailsOf = (id: string): readonly [string, string] => [`${id}@example.org`, `${id}@example.com`]
const emailOf = (id: string, version: number): string => emailsOf(id)[version % 2]!
export const guestName = (guest: number, version: number): string =>
  `guests ${(guest + version) % counts.cities}`

/** A version of a user. */
export const userAt = (id: string, user: number, version: number): UserVersion => ({
  id,
  rating: version,
  city: cityName(cityOf(user, version, counts.cities)),
  email: emailOf(id, version),
})
/** As parameters of SQL. */
export const usersAt = (users: readonly number[], version: number) =>
  valuesOf(users.map((user) => userAt(userId(user), user, version)))

/** Both releases know these columns; the next one reads fewer of them, and has its lists in another order. */
export type Release = 'current' | 'next'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
/** After the longest of its times nothing that was stored is left. */
const times = { ttl: '20s', refreshAhead: '5s', staleFor: '20s', notFoundTtl: '10s' } as const
const common = { ...times, follow: 'required', l1: { ttl: '2s' }, unique: { ofEmail: 'email' } } as const

const users = {
  current: defineModelCache('User', { ...common, lists: { ofCity: { by: 'city', orderBy: { id: 'asc' } } } }),
  next: defineModelCache('User', {
    ...common,
    omit: { phone: true, avatarUrl: true },
    lists: { ofCity: { by: 'city', orderBy: { id: 'desc' } } },
  }),
}

/** What both releases have of the definition. */
export const usersOf = (release: Release): typeof users.next => users[release] as unknown as typeof users.next

export const guests = defineModelCache('GuestUser', {
  ...times,
  rows: 'shared',
  lists: { named: { by: 'name', orderBy: { id: 'asc' } } },
})

/** Keys that reads, writes and the two schemas can leave in the store at most: a value and a guard for each row and entry. */
export const MOST_KEYS = (pods: number): number => {
  const ids = counts.users + pods * counts.transientEach + counts.unknown
  const ofUsers = 2 * (ids + 2 * ids + counts.cities)
  const ofGuests = counts.guests + counts.unknown + counts.cities
  return 2 * (ofUsers + ofGuests) + LEFT_KEYS
}

/** A generator for each process, so that a run repeats. */
export const randomOf = (name: string): Random => createRandom(`model-cache bench soak, ${name}`)
