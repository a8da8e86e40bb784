/**
 * One process of `npm run fuzz -- writes`: compares random writes through an extended client with those through a plain
 * one, and sends a tenth as many beside each other while connections are lost. Exit code 1 when there was a difference,
 * or a stale row.
 */
import { parseArgs } from 'node:util'
import { compareWrites } from '../test/integration/differential/differential.ts'
import { dialectNamed } from '../test/integration/differential/dialects/dialects.ts'
import { openEqualDatabases } from '../test/integration/differential/equal-databases.ts'
import { stormFenceMs, stormWrites } from '../test/integration/differential/storm.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '50000' },
    database: { type: 'string', default: 'postgresql' },
    'at-rest': { type: 'boolean', default: false },
  },
})

/** Between two lines of progress. */
const PROGRESS = 2_000

const dialect = dialectNamed(values.database)
const databases = await openEqualDatabases(dialect, { isAtRest: values['at-rest'] })
const stormed = await openEqualDatabases(dialect, { connections: 5, fenceMs: stormFenceMs })
const ends: Record<string, number> = {}
const total = Number(values.count)
let seed = Number(values.seed)
for (let done = 0; done < total;) {
  const { writes, difference } = await compareWrites(databases, seed, Math.min(PROGRESS, total - done))
  done += writes
  if (difference !== undefined) {
    console.log(`\nFAILED: ${difference}\n`)
    process.exitCode = 1
    break
  }
  const storm = await stormWrites(stormed, seed, PROGRESS / 10)
  for (const [end, count] of Object.entries({ ...storm.ends, 'lost connections': storm.losses }))
    ends[end] = (ends[end] ?? 0) + count
  if (storm.stale !== undefined) {
    console.log(`\nFAILED: a row is stale after a storm: ${storm.stale}\n`)
    process.exitCode = 1
    break
  }
  seed += PROGRESS
  console.log(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} writes without a difference`)
}
console.log('Writes that marked more than their rows:', databases.coarse)
console.log('Ends of writes beside each other:', ends)
await Promise.all([databases.close(), stormed.close()])
