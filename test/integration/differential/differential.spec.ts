import { verifyExtension } from 'model-cache/advanced'
import { compareWrites } from './differential.ts'
import { chosenDialects, type Dialect } from './dialects/dialects.ts'
import { manners } from './manners.ts'
import { openEqualDatabases, type EqualDatabases } from './equal-databases.ts'

/** Least successes of each form, and reads that came from the cache: what was compared. */
const least = {
  create: 20,
  createMany: 20,
  createManyAndReturn: 20,
  update: 40,
  updateMany: 20,
  updateManyAndReturn: 20,
  upsert: 20,
  delete: 13,
  deleteMany: 20,
  batch: 33,
  transaction: 33,
  ...Object.fromEntries(manners.map((manner) => [manner, manner === 'inherited' ? 0 : 2])),
}

const title =
  'have the same results, errors and tables, leave no stale row in any cache, and announce each row that enters a lookup'

/** PostgreSQL is compared most, and each of the others with the same seeds; least where only the collation or the connection differs. */
const writesOf = ({ kind }: Dialect): number =>
  ({ postgresql: 400, mysql: 60, 'mysql-binary': 20, sqlite: 80, 'sqlite-shared': 30 })[kind.name]!

describe.each(chosenDialects())(
  'random writes of every form, through an extended client and a plain one, on equal databases of $kind.name',
  (dialect) => {
    const { kind } = dialect
    /** Each waits for databases while the other works. */
    let opened: readonly EqualDatabases[]
    beforeAll(async () => {
      opened = await Promise.all([openEqualDatabases(dialect), openEqualDatabases(dialect)])
    })
    afterAll(async () => {
      for (const databases of opened) await databases.close()
    })

    it('have a schema that is understood', async () => {
      expect(await verifyExtension(opened[0]!.extended)).toEqual([])
    })

    it(
      title,
      async () => {
        const comparisons = await Promise.all(
          opened.map((databases, index) => compareWrites(databases, 1 + index * 1_000, writesOf(dialect))),
        )
        for (const { difference } of comparisons) expect(difference).toBeUndefined()
        // In an episode, each row is missed first.
        for (const { reads } of opened) expect(reads.hits).toBeGreaterThan(reads.misses / 2)
        if (kind.provider !== 'postgresql') return
        const rare = Object.entries(least).filter(([form, count]) => {
          const succeeded = comparisons.map(({ succeeded }) => succeeded[form] ?? 0)
          return succeeded.reduce((sum, each) => sum + each) < count
        })
        expect(rare).toEqual([])
        // Few writes mark more than their rows.
        const coarse = opened.flatMap(({ coarse }) => Object.values(coarse)).reduce((sum, each) => sum + each)
        expect(coarse).toBeLessThan(50)
        const sum = (entries: 'entries' | 'entriesThrough', part: 'exact' | 'whole') =>
          opened.reduce((total, { lookups }) => total + lookups[entries][part], 0)
        // Most rows that entered a lookup were announced by their keys.
        const [exact, whole] = [sum('entries', 'exact'), sum('entries', 'whole')]
        expect([exact > 160, whole > 40, exact > whole]).toEqual([true, true, true])
        // Of those through relations fewer are: decimals, conditions and orders do not show the entries.
        expect([sum('entriesThrough', 'exact') > 10, sum('entriesThrough', 'whole') > 5]).toEqual([
          true,
          true,
        ])
      },
      300_000,
    )
  },
)
