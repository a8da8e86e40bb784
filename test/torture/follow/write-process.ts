/** A writer outside Prisma: a plain driver, and nothing of the library. */
import { serveParent } from '../bench/harness.ts'
import { openProcessDatabase } from '../databases/open-process-database.ts'
import { settingsOf } from '../process.ts'
import { LOOPS, recordWrites, type WriterSettings } from './recorded-writes.ts'

const { databaseUrl, ...settings } = settingsOf<WriterSettings & { readonly databaseUrl: string }>()
const database = (await openProcessDatabase(databaseUrl)).openWriter(LOOPS)
const methods = serveParent(
  recordWrites({
    ...settings,
    commit: async (...write) => ({ commitMs: await database.commit(...write) }),
    versionOf: (row) => database.versionOf(row),
  }),
)
export type Writing = typeof methods
