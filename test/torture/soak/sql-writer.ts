import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Random } from '#prisma/demo/random.js'
import { Errors } from '../errors.ts'
import { deleteUsers, insertUsers, numbers, updateUsers } from '../users.ts'
import { counts, guestId, guestName, usersAt } from './rows.ts'

/** Milliseconds between two statements, at most. */
const MOST_PAUSE_MS = 200
const ROWS_AT_ONCE = 4

const insertGuests = `INSERT INTO "GuestUser" (id, name, email)
  SELECT id, name, 'version 0' FROM unnest($1::text[], $2::text[]) AS n(id, name)`
const updateGuests = 'UPDATE "GuestUser" SET name = $2, email = $3 WHERE id = $1'

export async function insertRows(database: pg.Pool): Promise<void> {
  await database.query(insertUsers, usersAt(numbers(counts.users), 0))
  const guests = numbers(counts.guests)
  await database.query(insertGuests, [guests.map(guestId), guests.map((guest) => guestName(guest, 0))])
}

/** Writes outside Prisma: plain `pg`, and nothing of the library. */
export class SqlWriter extends Errors {
  readonly #database: pg.Pool
  readonly #random: Random
  statements = 0
  /** Deadlocks with other writers. */
  conflicts = 0

  constructor(database: pg.Pool, random: Random) {
    super()
    this.#database = database
    this.#random = random
  }

  async work(forMs: number): Promise<void> {
    for (const until = performance.now() + forMs; performance.now() < until;) {
      await this.#write(++this.statements).catch((error: unknown) => {
        if (/deadlock|duplicate key/.test(String(error))) this.conflicts++
        else this.note(error)
      })
      await sleep(this.#random.integer(0, MOST_PAUSE_MS))
    }
  }

  async #write(version: number): Promise<unknown> {
    if (this.#random.chance(0.3)) {
      const guest = this.#random.integer(0, counts.guests - 1)
      const values = [guestId(guest), guestName(guest, version), `version ${version}`]
      return this.#database.query(updateGuests, values)
    }
    const users = numbers(ROWS_AT_ONCE).map(() => this.#random.integer(0, counts.users - 1))
    const values = usersAt([...new Set(users)], version)
    return this.#random.chance(0.9) ? this.#database.query(updateUsers, values) : this.#replace(values)
  }

  /** Deletes rows and inserts them again, in one transaction. */
  async #replace(values: ReturnType<typeof usersAt>): Promise<void> {
    const client = await this.#database.connect()
    try {
      await client.query('BEGIN')
      await client.query(deleteUsers, [values[0]])
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
