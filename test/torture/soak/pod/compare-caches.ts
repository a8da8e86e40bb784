import type pg from 'pg'
import {
  CITIES,
  cityName,
  emailsOf,
  guestId,
  guestName,
  GUESTS,
  TRANSIENT_EACH,
  transientId,
  UNKNOWN,
  unknownId,
  userId,
  USERS,
} from './users.ts'
import type { PodCaches } from './workload.ts'

interface User {
  readonly id: string
  readonly email: string
  readonly city: string | null
  readonly rating: number
  readonly displayName: string
}
interface Guest {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** Pods of a run, at most. */
const PODS = 3

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number)

/** Compares all answers of the caches of a process with the database. @returns how many rows and lists differ, of how many */
export async function compareCaches({ guests, users }: PodCaches, database: pg.Pool) {
  const sql = 'SELECT id, email, city, rating, "displayName" FROM "User"'
  const { rows: inUsers } = await database.query<User>(sql)
  const { rows: inGuests } = await database.query<Guest>('SELECT id, name, email FROM "GuestUser"')
  const transient = numbers(PODS).flatMap((pod) =>
    numbers(TRANSIENT_EACH).map((user) => transientId(pod, user)),
  )
  const userIds = [...numbers(USERS).map(userId), ...transient, ...numbers(UNKNOWN).map(unknownId)]
  const emails = userIds.flatMap(emailsOf)
  const guestIds = numbers(GUESTS + UNKNOWN).map(guestId)
  const cities = numbers(CITIES).map(cityName)
  const names = numbers(CITIES).map((name) => guestName(name, 0))

  const compared: (readonly [what: string, cached: string, stored: string])[] = []
  const userById = new Map(inUsers.map((user) => [user.id, user]))
  const userByEmail = new Map(inUsers.map((user) => [user.email, user]))
  const guestById = new Map(inGuests.map((guest) => [guest.id, guest]))
  const listOf = <Row extends { readonly id: string }>(
    rows: readonly Row[],
    text: (row: Row) => string,
  ): string => rows.map(text).toSorted().join('; ')

  for (const [i, user] of (await users.getMany(userIds)).entries()) {
    compared.push([userIds[i]!, textOfUser(user), textOfUser(userById.get(userIds[i]!))])
  }
  for (const [i, user] of (await users.getManyBy('ofEmail', emails)).entries()) {
    compared.push([emails[i]!, textOfUser(user), textOfUser(userByEmail.get(emails[i]!))])
  }
  for (const [i, list] of (await users.listMany('ofCity', cities)).entries()) {
    const inCity = inUsers.filter(({ city }) => city === cities[i])
    compared.push([cities[i]!, listOf(list, textOfUser), listOf(inCity, textOfUser)])
  }
  for (const [i, guest] of (await guests.getMany(guestIds)).entries()) {
    compared.push([guestIds[i]!, textOfGuest(guest), textOfGuest(guestById.get(guestIds[i]!))])
  }
  for (const [i, list] of (await guests.listMany('named', names)).entries()) {
    const named = inGuests.filter(({ name }) => name === names[i])
    compared.push([names[i]!, listOf(list, textOfGuest), listOf(named, textOfGuest)])
  }
  const stale = compared.filter(([, cached, stored]) => cached !== stored)
  const [first] = stale
  return {
    compared: compared.length,
    stale: stale.length,
    ...(first && { firstStale: `${first[0]}: cached ${first[1]}, stored ${first[2]}` }),
  }
}

const textOfUser = (user: User | null | undefined): string =>
  user ? [user.id, user.email, user.city, user.rating, user.displayName].join() : 'none'

const textOfGuest = (guest: Guest | null | undefined): string =>
  guest ? [guest.id, guest.name, guest.email].join() : 'none'
