/** A writer outside Prisma: a plain driver, and nothing of the library. `write-process.ts NUMBER OF`, with DATABASE_URL. */
import { serveParent } from '../bench/harness.ts'
import { openProcessDatabase } from './databases/open-process-database.ts'
import { LOOPS, type Pace, RecordedWrites } from './recorded-writes.ts'

const [number, of] = process.argv.slice(2).map(Number) as [number, number]
const database = (await openProcessDatabase(process.env.DATABASE_URL!)).openWriter(LOOPS)
const writes = new RecordedWrites({
  number,
  of,
  commit: async (...rows) => ({ commitMs: await database.commit(...rows) }),
  versionOf: (row) => database.versionOf(row),
})

const methods = serveParent({
  start: (pace: Pace) => writes.start(pace),
  stop: () => writes.stop(),
})
export type Writing = typeof methods
