import { createDatabase } from '../../support/servers.js'
import { compareAnnounced } from './compare-announced.ts'

/** To look for more than a test run has time for. */
const first = Number(process.env.SCHEMAS_SEED ?? 1_000)
const schemas = Number(process.env.SCHEMAS ?? 400)

it('writes of many random schemas announce each row that they change, and each row that enters a lookup', async () => {
  const database = await createDatabase()
  let changing = 0
  for (let seed = first; seed < first + schemas; seed++) {
    const comparison = await compareAnnounced(database, seed, 25)
    expect(comparison.missed).toBeUndefined()
    changing += comparison.changing
  }
  await database.drop()
  expect(changing).toBeGreaterThan(schemas * 5)
})
