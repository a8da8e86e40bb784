import { type, type Type } from 'arktype'
import type { Random } from '#prisma/demo/random.js'
import { prose } from '#prisma/demo/text.js'
import { Decimal, decimal, defineFixture, each, type Fixture } from '../../harness/fixtures/fixture.ts'

const entry = type({
  ...each('name note', 'string'),
  amount: decimal,
  bookedAt: 'Date',
  seats: 'number',
  isPaid: 'boolean',
})
const ledger = type({ id: 'string', openedAt: 'Date', entries: entry.array() }) as Type

/** Approximate bytes of JSON of a row without entries, and of an entry. */
const EMPTY_BYTES = 100
const ENTRY_BYTES = 200

/** Rows of one shape and about this many bytes of JSON, by the number of entries. */
export function ledgerOf(bytes: number): Fixture {
  const entries = Math.round((bytes - EMPTY_BYTES) / ENTRY_BYTES)
  // Two megabytes of text, if that is not too many rows.
  const count = Math.max(2, Math.min(256, Math.round(2_000_000 / bytes)))
  return defineFixture<unknown>(
    `Ledger of ${bytes} bytes`,
    count,
    () => ledger,
    (random) => ({
      id: random.uuid(),
      openedAt: dateOf(random),
      entries: Array.from({ length: entries }, () => ({
        name: `Table ${random.integer(1, 99)}`,
        note: prose(random, random.integer(40, 80)),
        amount: new Decimal(random.integer(1, 9_999_999)).div(100),
        bookedAt: dateOf(random),
        seats: random.integer(1, 12),
        isPaid: random.chance(0.5),
      })),
    }),
  )
}

const dateOf = (random: Random): Date => new Date(1_700_000_000_000 + random.integer(0, 2_000_000_000))
