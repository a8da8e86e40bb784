import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Random } from '#prisma/demo/random.js'
import { cityOf, emailOf, GUESTS, guestId, guestName, userId, USERS } from './pod/users.ts'

/** Milliseconds between two statements, at most. */
const MOST_PAUSE_MS = 200
const ROWS_AT_ONCE = 4

const insertUsers = `INSERT INTO "User"
  (id, email, "firstName", "lastName", "displayName", country, locale, timezone, "updatedAt", rating, city)
  SELECT id, email, 'A', 'bidder', 'A bidder', 'NZ', 'en', 'UTC', now(), rating, city
  FROM unnest($1::text[], $2::text[], $3::int[], $4::text[]) AS n(id, email, rating, city)`
const insertGuests = `INSERT INTO "GuestUser" (id, name, email)
  SELECT id, name, 'version 0' FROM unnest($1::text[], $2::text[]) AS n(id, name)`
const updateUsers = `UPDATE "User" AS u SET rating = n.rating, email = n.email, city = n.city
  FROM unnest($1::text[], $2::text[], $3::int[], $4::text[]) AS n(id, email, rating, city) WHERE u.id = n.id`
const updateGuests = 'UPDATE "GuestUser" SET name = $2, email = $3 WHERE id = $1'

const usersAt = (users: readonly number[], version: number): unknown[] => [
  users.map(userId),
  users.map((user) => emailOf(userId(user), version)),
  users.map(() => version),
  users.map((user) => cityOf(user, version)),
]

export async function insertRows(database: pg.Pool): Promise<void> {
  await database.query(
    insertUsers,
    usersAt(
      Array.from({ length: USERS }, (_, user) => user),
      0,
    ),
  )
  const all = Array.from({ length: GUESTS }, (_, guest) => guest)
  await database.query(insertGuests, [all.map(guestId), all.map((guest) => guestName(guest, 0))])
}

/** Writes past Prisma: plain `pg`, and nothing of the library. */
export class SqlWriter {
  readonly #database: pg.Pool
  readonly #random: Random
  #version = 0
  statements = 0
  /** Deadlocks with other writers. */
  conflicts = 0
  errors = 0
  firstError: string | undefined

  constructor(database: pg.Pool, random: Random) {
    this.#database = database
    this.#random = random
  }

  async work(forMs: number): Promise<void> {
    for (const until = performance.now() + forMs; performance.now() < until;) {
      await this.#write()
      await sleep(this.#random.integer(0, MOST_PAUSE_MS))
    }
  }

  async #write(): Promise<void> {
    const version = ++this.#version
    this.statements++
    try {
      if (this.#random.chance(0.3)) {
        const guest = this.#random.integer(0, GUESTS - 1)
        const values = [guestId(guest), guestName(guest, version), `version ${version}`]
        await this.#database.query(updateGuests, values)
        return
      }
      const users = Array.from({ length: ROWS_AT_ONCE }, () => this.#random.integer(0, USERS - 1))
      const values = usersAt([...new Set(users)], version)
      if (this.#random.chance(0.9)) await this.#database.query(updateUsers, values)
      else await this.#replace(values)
    } catch (error) {
      if (/deadlock|duplicate key/.test(String(error))) this.conflicts++
      else {
        this.errors++
        this.firstError ??= String(error)
      }
    }
  }

  /** Deletes rows and inserts them again, in one transaction. */
  async #replace(values: unknown[]): Promise<void> {
    const client = await this.#database.connect()
    try {
      await client.query('BEGIN')
      await client.query('DELETE FROM "User" WHERE id = ANY ($1)', [values[0]])
      await client.query(insertUsers, values)
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  }
}
