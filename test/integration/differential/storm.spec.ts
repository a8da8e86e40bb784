import { chosenDialects } from './dialects/dialects.ts'
import { openEqualDatabases } from './equal-databases.ts'
import { stormFenceMs, stormWrites } from './storm.ts'

const names = ['postgresql', 'mysql', 'sqlite']

describe.each(chosenDialects().filter(({ kind }) => names.includes(kind.name)))(
  'random writes beside each other on $kind.name, whose connections are lost',
  (dialect) => {
    it('leave no stale row in any cache', async () => {
      const databases = await openEqualDatabases(dialect, { connections: 5, fenceMs: stormFenceMs })
      try {
        const { ends, losses, stale } = await stormWrites(databases, 1, 160)
        expect(stale).toBeUndefined()
        expect(ends['written']).toBeGreaterThan(30)
        expect(losses).toBeGreaterThan(0)
      } finally {
        await databases.close()
      }
    }, 120_000)
  },
)
