/**
 * One process of `npm run fuzz -- writes`: compares random writes through an extended client with those through a plain
 * one. Exits with code 1 if they differ.
 */
import { parseArgs } from 'node:util'
import { compareWrites } from '../test/integration/differential/differential.ts'
import { openWorld } from '../test/integration/differential/world.ts'

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, writes: { type: 'string', default: '50000' } },
})

/** Writes per progress report. */
const STEP = 2_000

const world = await openWorld()
const total = Number(values.writes)
let seed = Number(values.seed)
for (let done = 0; done < total;) {
  const { writes, difference } = await compareWrites(world, seed, Math.min(STEP, total - done))
  done += writes
  if (difference !== undefined) {
    console.log(`\nFAILED: ${difference}\n`)
    process.exitCode = 1
    break
  }
  seed += STEP
  console.log(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} writes without a difference`)
}
await world.close()
