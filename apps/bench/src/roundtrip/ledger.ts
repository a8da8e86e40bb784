import { type } from 'arktype'
import type { Random } from '#prisma/demo/random.js'
import { prose } from '#prisma/demo/text.js'
import { Decimal, decimal, defineFixture, type Fixture } from '../codec/fixtures/fixture.ts'

const Entry = type({
  name: 'string',
  note: 'string',
  amount: decimal,
  bookedAt: 'Date',
  seats: 'number',
  isPaid: 'boolean',
})
const Ledger = type({ id: 'string', openedAt: 'Date', entries: Entry.array() })
type Ledger = typeof Ledger.infer

/** Bytes of JSON, about: of a row without entries, and of each of them. */
const EMPTY_BYTES = 100
const ENTRY_BYTES = 200

/** Rows of one shape and about so many bytes as JSON: what grows is the number of entries. */
export function ledgerOf(bytes: number): Fixture {
  const entries = Math.round((bytes - EMPTY_BYTES) / ENTRY_BYTES)
  return defineFixture<Ledger>({
    name: `Ledger of ${bytes} bytes`,
    schema: Ledger,
    reviver: {
      openedAt: 'date',
      'entries.__ARRAY__.amount': 'decimal',
      'entries.__ARRAY__.bookedAt': 'date',
    },
    // Some megabytes of text, where that is not too many rows.
    count: Math.max(2, Math.min(256, Math.round(2_000_000 / bytes))),
    build: (random) => ({
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
  })
}

const dateOf = (random: Random): Date => new Date(1_700_000_000_000 + random.integer(0, 2_000_000_000))
