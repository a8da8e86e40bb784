/**
 * One process of `npm run fuzz -- reads`: compares random reads through a client with cached reads, and with `--results` with results of
 * queries, with those through a plain one. Exit code 1 when there was a difference.
 */
import { parseArgs } from 'node:util'
import { openReadClients } from '../test/integration/differential/reads/clients.ts'
import { compareReads } from '../test/integration/differential/reads/compare-reads.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '20000' },
    database: { type: 'string', default: 'postgresql' },
    zone: { type: 'string', default: 'UTC' },
    results: { type: 'boolean', default: false },
    'at-rest': { type: 'boolean', default: false },
  },
})

/** Between two lines of progress. */
const PROGRESS = 2_000

const clients = await openReadClients(values.database, {
  timeZone: values.zone,
  keepsResults: values.results,
  atRest: values['at-rest'],
})
const total = Number(values.count)
let seed = Number(values.seed)
console.log(`seed ${seed}, time zone ${values.zone}`)
for (let done = 0; done < total;) {
  const { reads, difference } = await compareReads(clients, seed, Math.min(PROGRESS, total - done))
  done += reads
  if (difference !== undefined) {
    console.log(`\nFAILED: ${difference}\n`)
    process.exitCode = 1
    break
  }
  seed += PROGRESS
  console.log(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} reads without a difference`)
}
const answered = [...clients.outcomes].filter(([name]) => name.endsWith(' answered'))
const count = answered.reduce((sum, [, each]) => sum + each, 0)
console.log(
  `${count.toLocaleString('en')} answers came from ${answered.length} caches, and ${clients.lookupsRead.size} lookups.`,
)
await clients.close()
