/**
 * One process of `npm run fuzz -- writes`: compares random writes through an extended client with those through a plain
 * one. Exit code 1 when there was a difference.
 */
import { parseArgs } from 'node:util'
import { compareWrites } from '../test/integration/differential/differential.ts'
import { dialectNamed } from '../test/integration/differential/dialects/dialects.ts'
import { openEqualDatabases } from '../test/integration/differential/equal-databases.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '50000' },
    database: { type: 'string', default: 'postgresql' },
  },
})

/** Between two lines of progress. */
const PROGRESS = 2_000

const databases = await openEqualDatabases(dialectNamed(values.database))
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
  seed += PROGRESS
  console.log(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} writes without a difference`)
}
console.log('Writes that marked more than their rows:', databases.coarse)
await databases.close()
