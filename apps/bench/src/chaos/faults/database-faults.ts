import { setTimeout as sleep } from 'node:timers/promises'
import { hotRowsOf, idOf } from '../pod/revisions.ts'
import type { FaultyWire } from './faulty-wire.ts'
import type { Fault, World } from './fault.ts'

/** How late PostgreSQL gets what was sent, at most. With its `statement_timeout` that has to stay below `fenceMs`. */
export const LATE_MS = 300

/** Faults of the wire between one pod and PostgreSQL. After all but the first, statements run whose client has given up. */
export const databaseFaults: readonly Fault[] = [
  link('databaseCut', async (wire, { random }) => {
    wire.ills.refuses = random.chance(0.5)
    wire.cut()
    await sleep(random.integer(0, 500))
  }),
  link('databaseLate', async (wire, { random }) => {
    wire.ills.delayMs = () => random.integer(20, LATE_MS)
    wire.ills.cutsAfter = (piece) => /COMMIT|UPDATE/.test(piece.toString('latin1')) && random.chance(0.3)
    await sleep(random.integer(500, 2_000))
    wire.cut('client')
    await sleep(LATE_MS)
  }),
  link('databaseStall', async (wire, { random }) => {
    const over = Promise.withResolvers<void>()
    wire.ills.held = over.promise
    await sleep(random.integer(50, 1_000))
    wire.cut(random.pick(['both', 'client']))
    await sleep(random.integer(0, LATE_MS))
    wire.ills.held = undefined
    over.resolve()
  }),
  // While statements wait for locks, PostgreSQL does not notice that their clients are gone.
  link('databaseLock', async (wire, { database, random, rows }) => {
    const client = await database.connect()
    try {
      await client.query('BEGIN')
      const sql = 'SELECT FROM "FeatureFlags" WHERE id = ANY($1) ORDER BY id FOR UPDATE'
      await client.query(sql, [Array.from({ length: hotRowsOf(rows) }, (_, row) => idOf(row))])
      await sleep(random.integer(100, 400))
      wire.cut(random.pick(['both', 'client']))
      await sleep(random.integer(20, 400))
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  }),
]

function link(kind: string, befall: (wire: FaultyWire, world: World) => Promise<void>): Fault {
  return {
    kind,
    befall: (world) =>
      world.fleet.withVictim(async ({ wires }) => {
        await befall(wires.database, world)
        wires.database.heal()
      }),
  }
}
