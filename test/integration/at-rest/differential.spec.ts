import { compareReads } from '../differential/reads/compare-reads.ts'
import { openReadClients } from '../differential/reads/clients.ts'
import { compareWrites } from '../differential/differential.ts'
import { dialectNamed } from '../differential/dialects/dialects.ts'
import { openEqualDatabases } from '../differential/equal-databases.ts'

it('random reads are the same as those of a plain client, from rows and results of rotating keys', async () => {
  const clients = await openReadClients('postgresql', { atRest: true, keepsResults: true })
  try {
    const { difference } = await compareReads(clients, 1, 400)
    expect(difference).toBeUndefined()
    const outcomes = [...clients.outcomes.keys()]
    expect(outcomes.filter((outcome) => outcome.endsWith(' results store hit')).length).toBeGreaterThan(5)
    expect(outcomes.filter((outcome) => outcome.endsWith(' answered')).length).toBeGreaterThan(5)
  } finally {
    await clients.close()
  }
}, 300_000)

it('random writes leave no stale row in caches of rotating keys', async () => {
  const databases = await openEqualDatabases(dialectNamed('postgresql'), { isAtRest: true })
  try {
    const { difference } = await compareWrites(databases, 1, 240)
    expect(difference).toBeUndefined()
    expect(databases.reads.hits).toBeGreaterThan(databases.reads.misses / 2)
  } finally {
    await databases.close()
  }
}, 300_000)
