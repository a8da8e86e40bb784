import type pg from 'pg'
import { cityName, numbers, userId } from '../users.ts'
import { counts, emailsOf, guestId, guestName, transientId, unknownId } from './rows.ts'
import type { PodCaches } from './workload.ts'

type Fields = Readonly<Record<string, unknown>>
type Answer = Fields | null | readonly Fields[]

/** Pods of a run, at most. */
const PODS = 3

const ofUser = ['id', 'email', 'city', 'rating', 'displayName'] as const
const ofGuest = ['id', 'name', 'email'] as const

/** Compares all answers of the caches of a process with the database. @returns how many rows and lists differ, of how many */
export async function compareCaches({ guests, users }: PodCaches, database: pg.Pool) {
  const read = async (table: string): Promise<Fields[]> =>
    (await database.query<Fields>(`SELECT * FROM "${table}"`)).rows
  const [inUsers, inGuests] = [await read('User'), await read('GuestUser')]
  const compared: (readonly [key: string, cached: string, stored: string])[] = []
  const compare = async (
    keys: readonly string[],
    answers: Promise<readonly Answer[]>,
    [rows, by, fields]: readonly [readonly Fields[], string, readonly string[]],
  ): Promise<void> => {
    const textOf = (found: readonly Fields[]): string =>
      found
        .map((row) => fields.map((field) => row[field]).join())
        .toSorted()
        .join('; ') || 'none'
    const stored = Map.groupBy(rows, (row) => row[by])
    for (const [i, answer] of (await answers).entries()) {
      const cached = answer === null ? [] : [answer].flat()
      compared.push([keys[i]!, textOf(cached), textOf(stored.get(keys[i]) ?? [])])
    }
  }

  const transient = numbers(PODS).flatMap((pod) =>
    numbers(counts.transientEach).map((user) => transientId(pod, user)),
  )
  const userIds = [
    ...numbers(counts.users).map(userId),
    ...transient,
    ...numbers(counts.unknown).map(unknownId),
  ]
  const emails = userIds.flatMap(emailsOf)
  const guestIds = numbers(counts.guests + counts.unknown).map(guestId)
  const cities = numbers(counts.cities).map(cityName)
  const names = numbers(counts.cities).map((name) => guestName(name, 0))
  await compare(userIds, users.getMany(userIds), [inUsers, 'id', ofUser])
  await compare(emails, users.getManyBy('ofEmail', emails), [inUsers, 'email', ofUser])
  await compare(cities, users.listMany('ofCity', cities), [inUsers, 'city', ofUser])
  await compare(guestIds, guests.getMany(guestIds), [inGuests, 'id', ofGuest])
  await compare(names, guests.listMany('named', names), [inGuests, 'name', ofGuest])
  const stale = compared.filter(([, cached, stored]) => cached !== stored)
  const [first] = stale
  return {
    compared: compared.length,
    stale: stale.length,
    ...(first && { firstStale: `${first[0]}: cached ${first[1]}, stored ${first[2]}` }),
  }
}
