import { verifyExtension } from 'model-cache/advanced'
import { compareWrites } from './differential.ts'
import { openEqualDatabases, type EqualDatabases } from './equal-databases.ts'

/** Each waits for databases while the other works. */
let opened: readonly EqualDatabases[]
beforeAll(async () => {
  opened = await Promise.all([openEqualDatabases(), openEqualDatabases()])
}, 60_000)
afterAll(async () => {
  for (const databases of opened) await databases.close()
})

it('a schema with views, ignored sides of relations and partial indexes is understood', async () => {
  expect(await verifyExtension(opened[0]!.extended)).toEqual([])
})

describe('random writes of every form, through an extended client and a plain one, on equal databases', () => {
  it('have the same results, errors and tables, leave no stale row in any cache, and announce each row that enters a lookup', async () => {
    const comparisons = await Promise.all(
      opened.map((databases, index) => compareWrites(databases, 1 + index * 1_000, 1_000)),
    )
    for (const { difference } of comparisons) expect(difference).toBeUndefined()
    // What was compared: successes of each form, and rows that came from the cache.
    const least = {
      create: 30,
      createMany: 30,
      createManyAndReturn: 30,
      update: 60,
      updateMany: 30,
      updateManyAndReturn: 30,
      upsert: 30,
      delete: 20,
      deleteMany: 30,
      batch: 50,
      transaction: 50,
    }
    const rare = Object.entries(least).filter(([form, count]) => {
      const succeeded = comparisons.map(({ succeeded }) => succeeded[form] ?? 0)
      return succeeded.reduce((sum, each) => sum + each) < count
    })
    expect(rare).toEqual([])
    for (const { reads } of opened) expect(reads.hits).toBeGreaterThan(reads.misses)
    // Most rows that entered a lookup were announced by their keys.
    for (const { lookups } of opened) {
      const { exact, whole } = lookups.entries
      expect([exact > 200, whole > 50, exact > whole]).toEqual([true, true, true])
    }
    // Of those through relations fewer are: decimals, conditions and orders do not show the entries.
    const through = opened.map(({ lookups }) => lookups.entriesThrough)
    const sum = (kind: 'exact' | 'whole') => through.reduce((sum, entries) => sum + entries[kind], 0)
    expect([sum('exact') > 10, sum('whole') > 50]).toEqual([true, true])
  }, 300_000)
})
