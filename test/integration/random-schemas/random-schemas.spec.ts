import { createDatabase } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.ts'
import { compareAnnounced } from './compare-announced.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

it('writes of random schemas announce each row that they change, and each row that enters a lookup', async () => {
  let changing = 0
  for (let seed = 1; seed <= 16; seed++) {
    const comparison = await compareAnnounced(database, seed, 8)
    expect(comparison.missed).toBeUndefined()
    changing += comparison.changing
  }
  expect(changing).toBeGreaterThan(25)
})
