import { setTimeout as sleep } from 'node:timers/promises'
import type { CacheOf } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'
import type { Random } from '#prisma/demo/random.js'
import { Errors } from '../errors.ts'
import { cityName, COMMON_FIELDS, numbers, userId } from '../users.ts'
import {
  counts,
  userAt,
  emailsOf,
  guestId,
  guestName,
  type guests,
  transientId,
  unknownId,
  type usersOf,
} from './rows.ts'

export interface PodCaches {
  readonly users: CacheOf<ReturnType<typeof usersOf>>
  readonly guests: CacheOf<typeof guests>
}

/** Milliseconds between two works of a loop, at most. */
const MOST_PAUSE_MS = 40
const WRITES_PART = 0.2

/** Errors are reads and writes that were rejected, and reads of another row. */
export function createWorkload(
  { guests, users }: PodCaches,
  prisma: PrismaClient,
  pod: number,
  random: Random,
) {
  let [reads, writes, conflicts] = [0, 0, 0]
  const errors = new Errors()
  const oneOf = (count: number): number => random.integer(0, count - 1)
  const anyOf = (most: number, idOf: () => string): string[] => numbers(random.integer(1, most)).map(idOf)
  const anyId = (): string => {
    if (random.chance(0.1)) return unknownId(oneOf(counts.unknown))
    return random.chance(0.1) ? transientId(pod, oneOf(counts.transientEach)) : userId(oneOf(counts.users))
  }
  /** Whether rows are those of their keys, or missing. */
  const expectRows = <Row extends object>(
    keys: readonly string[],
    rows: readonly (Row | null)[],
    field: keyof Row,
  ): void => {
    const isRight = rows.every((row, i) => row === null || row[field] === keys[i])
    if (!isRight) errors.note(`another row was read: ${keys.join(', ')}`)
  }
  const expectList = <Row extends object>(key: string, rows: readonly Row[], field: keyof Row): void =>
    expectRows(
      rows.map(() => key),
      rows,
      field,
    )

  const reading = [
    async () => {
      const ids = anyOf(20, anyId)
      expectRows(ids, await users.getMany(ids), 'id')
    },
    async () => {
      const email = random.pick(emailsOf(anyId()))
      expectRows([email], [await users.getBy('ofEmail', email)], 'email')
    },
    async () => {
      const city = cityName(oneOf(counts.cities))
      expectList(city, await users.list('ofCity', city), 'city')
    },
    async () => {
      const ids = anyOf(10, () => guestId(oneOf(counts.guests + counts.unknown)))
      expectRows(ids, await guests.getMany(ids), 'id')
    },
    async () => {
      const name = guestName(oneOf(counts.guests), 0)
      expectList(name, await guests.list('named', name), 'name')
    },
    async () => {
      const id = anyId()
      expectRows([id], [await prisma.user.findUnique({ where: { id } })], 'id')
    },
    async () => {
      const city = cityName(oneOf(counts.cities))
      expectList(city, await prisma.user.findMany({ where: { city }, orderBy: { id: 'asc' } }), 'city')
    },
  ]

  /** The next version of a row, as far as this loop knows; the database has the last word. */
  const nextVersionOf = async (id: string): Promise<number> => {
    const [row] = await prisma.$queryRaw<{ rating: number }[]>`SELECT rating FROM "User" WHERE id = ${id}`
    return (row?.rating ?? 0) + 1
  }
  const writing = [
    async () => {
      const user = oneOf(counts.users)
      const id = userId(user)
      await prisma.user.update({ where: { id }, data: userAt(id, user, await nextVersionOf(id)) })
    },
    async () => {
      const city = cityName(oneOf(counts.cities))
      await prisma.user.updateMany({ where: { city }, data: { displayName: `pod ${pod}` } })
    },
    async () => {
      const user = oneOf(counts.transientEach)
      const id = transientId(pod, user)
      const data = { ...userAt(id, user, 1), ...COMMON_FIELDS }
      if (random.chance(0.5)) await prisma.user.deleteMany({ where: { id } })
      else await prisma.user.upsert({ where: { id }, create: data, update: { rating: { increment: 2 } } })
    },
    async () => {
      const [user, guest] = [oneOf(counts.users), oneOf(counts.guests)]
      const id = userId(user)
      const version = await nextVersionOf(id)
      await prisma.$transaction(async (tx) => {
        const data = userAt(id, user, version)
        await tx.user.update({ where: { id }, data, select: { id: true } })
        await tx.guestUser.update({
          where: { id: guestId(guest) },
          data: { name: guestName(guest, version), email: `version ${version}` },
        })
      })
    },
    async () => {
      const id = guestId(oneOf(counts.guests))
      await prisma.$executeRaw`UPDATE "GuestUser" SET email = 'by hand' WHERE id = ${id}`
      await guests.invalidate(id)
    },
  ]

  return {
    /** Reads and writes, one after another, until this time of `performance.now()`. */
    async run(until: number): Promise<void> {
      while (performance.now() < until) {
        const writesNow = random.chance(WRITES_PART)
        if (writesNow) writes++
        else reads++
        await random
          .pick(writesNow ? writing : reading)()
          .catch((error: unknown) => {
            if (isConflict(error)) conflicts++
            else errors.note(error)
          })
        await sleep(random.integer(0, MOST_PAUSE_MS))
      }
    },
    /** Conflicts are writes that the database has refused, as another one holds their rows. */
    progress: () => ({ reads, writes, conflicts, ...errors.counts() }),
  }
}

/**
 * What other writers cause, with or without caches: a deadlock, a transaction that waited too long, a row that another loop has just
 * created, and an update of a row that a transaction has deleted and inserted again.
 */
const CONFLICTS = ['P2002', 'P2025', 'P2028', 'P2034']

const isConflict = (error: unknown): boolean =>
  CONFLICTS.includes((error as { code?: string }).code ?? '') || /deadlock|40P01/.test(String(error))
