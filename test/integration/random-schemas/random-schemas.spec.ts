import { createDatabase } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.ts'
import { compareAnnounced } from './compare-announced.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

it('writes of random schemas announce each row that they change, and each row that enters a lookup', async () => {
  const { changing, missed } = await compareAnnounced(database, { first: 1, schemas: 16, writes: 8 })
  expect(missed).toBeUndefined()
  expect(changing).toBeGreaterThan(25)
})
