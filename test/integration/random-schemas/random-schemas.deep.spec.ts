import { createDatabase } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.ts'
import { compareAnnounced } from './compare-announced.ts'

/** To look for more than a test run has time for. */
const first = Number(process.env.SCHEMAS_SEED ?? 1_000)
const schemas = Number(process.env.SCHEMAS ?? 400)

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

it('writes of many random schemas announce each row that they change, and each row that enters a lookup', async () => {
  const { changing, missed } = await compareAnnounced(database, { first, schemas, writes: 25 })
  expect(missed).toBeUndefined()
  expect(changing).toBeGreaterThan(schemas * 5)
})
