import { setTimeout as sleep } from 'node:timers/promises'
import type { CacheOf } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import {
  CITIES,
  cityName,
  cityOf,
  emailOf,
  emailsOf,
  guestId,
  guestName,
  GUESTS,
  type guests,
  TRANSIENT_EACH,
  transientId,
  UNKNOWN,
  unknownId,
  userId,
  USERS,
  type usersOf,
} from './users.ts'

export interface PodCaches {
  readonly users: CacheOf<ReturnType<typeof usersOf>>
  readonly guests: CacheOf<typeof guests>
}

export interface WorkloadDependencies {
  readonly caches: PodCaches
  readonly prisma: PrismaClient
  readonly pod: number
  readonly random: Random
}

export interface Workload {
  /** Reads and writes, one after another, until this time of `performance.now()`. */
  run(until: number): Promise<void>
  progress(): {
    readonly reads: number
    readonly writes: number
    /** Writes that the database has refused, as another one holds their rows. */
    readonly conflicts: number
    /** Reads and writes that were rejected, and reads of another row. */
    readonly errors: number
    readonly firstError?: string
  }
}

/** Milliseconds between two works of a loop, at most. */
const MOST_PAUSE_MS = 40
const WRITES_PART = 0.2
const ID_OF_A_USER = { id: true } as const

export function createWorkload({ caches, pod, prisma, random }: WorkloadDependencies): Workload {
  let [reads, writes, conflicts, errors] = [0, 0, 0, 0]
  let firstError: string | undefined
  const fail = (error: string): void => {
    errors++
    firstError ??= error
  }
  const expect = (isRight: boolean, what: string): void => {
    if (!isRight) fail(`another row was read: ${what}`)
  }
  const oneOf = (count: number): number => random.integer(0, count - 1)
  const anyId = (): string =>
    random.chance(0.1)
      ? unknownId(oneOf(UNKNOWN))
      : random.chance(0.1)
        ? transientId(pod, oneOf(TRANSIENT_EACH))
        : userId(oneOf(USERS))
  const expectUsers = (ids: readonly string[], found: readonly ({ id: string } | null)[]): void =>
    expect(
      found.every((row, i) => row === null || row.id === ids[i]),
      ids.join(', '),
    )

  const reading = [
    async () => {
      const ids = Array.from({ length: random.integer(1, 20) }, anyId)
      expectUsers(ids, await caches.users.getMany(ids))
    },
    async () => {
      const email = random.pick(emailsOf(anyId()))
      const user = await caches.users.getBy('ofEmail', email)
      expect(user === null || user.email === email, email)
    },
    async () => {
      const city = cityName(oneOf(CITIES))
      const found = await caches.users.list('ofCity', city)
      expect(
        found.every((user) => user.city === city),
        city,
      )
    },
    async () => {
      const ids = Array.from({ length: random.integer(1, 10) }, () => guestId(oneOf(GUESTS + UNKNOWN)))
      expectUsers(ids, await caches.guests.getMany(ids))
    },
    async () => {
      const name = guestName(oneOf(GUESTS), 0)
      const found = await caches.guests.list('named', name)
      expect(
        found.every((guest) => guest.name === name),
        name,
      )
    },
    async () => {
      const id = anyId()
      expectUsers([id], [await prisma.user.findUnique({ where: { id } })])
    },
    async () => {
      const city = cityName(oneOf(CITIES))
      const found = await prisma.user.findMany({ where: { city }, orderBy: { id: 'asc' } })
      expect(
        found.every((user) => user.city === city),
        city,
      )
    },
  ]

  /** The next version of a row, as far as this loop knows; the database has the last word. */
  const versionOf = async (id: string): Promise<number> => {
    const [row] = await prisma.$queryRaw<{ rating: number }[]>`SELECT rating FROM "User" WHERE id = ${id}`
    return (row?.rating ?? 0) + 1
  }
  const changeOf = (id: string, user: number, version: number) => ({
    rating: version,
    city: cityOf(user, version),
    email: emailOf(id, version),
  })
  const newUser = (id: string, user: number) => ({
    id,
    ...changeOf(id, user, 1),
    firstName: 'A',
    lastName: 'bidder',
    displayName: 'A bidder',
    country: 'NZ',
    locale: 'en',
    timezone: 'UTC',
  })
  const writing = [
    async () => {
      const user = oneOf(USERS)
      const id = userId(user)
      await prisma.user.update({ where: { id }, data: changeOf(id, user, await versionOf(id)) })
    },
    async () => {
      const city = cityName(oneOf(CITIES))
      await prisma.user.updateMany({ where: { city }, data: { displayName: `pod ${pod}` } })
    },
    async () => {
      const user = oneOf(TRANSIENT_EACH)
      const id = transientId(pod, user)
      const data = newUser(id, user)
      if (random.chance(0.5)) await prisma.user.deleteMany({ where: { id } })
      else await prisma.user.upsert({ where: { id }, create: data, update: { rating: { increment: 2 } } })
    },
    async () => {
      const [user, guest] = [oneOf(USERS), oneOf(GUESTS)]
      const id = userId(user)
      const version = await versionOf(id)
      await prisma.$transaction(async (tx) => {
        await tx.user.update({ where: { id }, data: changeOf(id, user, version), select: ID_OF_A_USER })
        await tx.guestUser.update({
          where: { id: guestId(guest) },
          data: { name: guestName(guest, version), email: `version ${version}` },
        })
      })
    },
    async () => {
      const id = guestId(oneOf(GUESTS))
      await prisma.$executeRaw`UPDATE "GuestUser" SET email = 'by hand' WHERE id = ${id}`
      await caches.guests.invalidate(id)
    },
  ]

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (isConflict(error)) conflicts++
      else fail(String(error))
    }
  }

  return {
    async run(until) {
      while (performance.now() < until) {
        if (random.chance(WRITES_PART)) {
          writes++
          await attempt(random.pick(writing))
        } else {
          reads++
          await attempt(random.pick(reading))
        }
        await sleep(random.integer(0, MOST_PAUSE_MS))
      }
    },
    progress: () => ({ reads, writes, conflicts, errors, ...(firstError !== undefined && { firstError }) }),
  }
}

/**
 * What other writers cause, with or without caches: a deadlock, a transaction that waited too long, a row that another loop has just
 * created, and an update of a row that a transaction has deleted and inserted again.
 */
const CONFLICTS = ['P2002', 'P2025', 'P2028', 'P2034']

const isConflict = (error: unknown): boolean =>
  CONFLICTS.includes((error as { code?: string }).code ?? '') || /deadlock|40P01/.test(String(error))
