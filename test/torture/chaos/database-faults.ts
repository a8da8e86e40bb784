/** What happens between pods and a database that is a server. */
import { setTimeout as sleep } from 'node:timers/promises'
import { quoted } from './databases/chaos-database.ts'
import { type Fault, LATE_MS, onWires } from './fault.ts'
import { flagId, fundraiserIdOf, hotFundraisersOf, hotRowsOf } from './rows.ts'

const link = onWires(({ database }) => database)

/** After all but the first, statements run whose client has given up. */
export const wireFaults: readonly Fault[] = [
  link('databaseCut', async (wire, { random }) => {
    wire.faults.refuses = random.chance(0.5)
    wire.cut()
    await sleep(random.integer(0, 500))
  }),
  link('databaseLate', async (wire, { random }) => {
    wire.faults.delayMs = () => random.integer(20, LATE_MS)
    wire.faults.cutsAfter = (piece) =>
      /COMMIT|UPDATE|INSERT|DELETE/.test(piece.toString('latin1')) && random.chance(0.3)
    await sleep(random.integer(500, 2_000))
    wire.cut('client')
    await sleep(LATE_MS)
  }),
  link('databaseStall', async (wire, { random }) => {
    const over = wire.hold()
    await sleep(random.integer(50, 1_000))
    wire.cut(random.pick(['both', 'client']))
    await sleep(random.integer(0, LATE_MS))
    over()
  }),
  // While statements wait for locks, the server does not notice that their clients are gone.
  link('databaseLock', async (wire, { database: { database }, fundraisers, random, rows }) =>
    database.withSession(async (session) => {
      const list = (ids: readonly string[]): string => ids.map((id) => `'${id}'`).join(', ')
      const numbers = (count: number): number[] => Array.from({ length: count }, (_, number) => number)
      try {
        await session.run('BEGIN')
        const flags = list(numbers(hotRowsOf(rows)).map(flagId))
        await session.rows(
          quoted(database, `SELECT 1 FROM "FeatureFlags" WHERE id IN (${flags}) ORDER BY id FOR UPDATE`),
        )
        // Writes lock lots in any order, so the fault must not wait for one while it holds others.
        const hot = list(numbers(hotFundraisersOf(fundraisers)).map(fundraiserIdOf))
        await session.rows(
          quoted(
            database,
            `SELECT 1 FROM "AuctionItem" WHERE "fundraiserId" IN (${hot}) FOR UPDATE SKIP LOCKED`,
          ),
        )
        await sleep(random.integer(100, 400))
        wire.cut(random.pick(['both', 'client']))
        await sleep(random.integer(20, 400))
      } catch (error) {
        // It may wait for locks as long as any statement.
        if (!/max_statement_time|Lock wait timeout/.test(String(error))) throw error
      } finally {
        await session.run('ROLLBACK')
      }
    }),
  ),
]
