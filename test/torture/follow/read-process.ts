/** A process that reads through caches which need a follower. */
import { serveParent } from '../bench/harness.ts'
import { openProcessDatabase } from '../databases/open-process-database.ts'
import { settingsOf } from '../process.ts'
import { openReading, type ReaderKind } from './reading.ts'

export interface ReaderSettings {
  readonly kind: ReaderKind
  readonly databaseUrl: string
  readonly valkeyUrl: string
}

const { databaseUrl, kind, valkeyUrl } = settingsOf<ReaderSettings>()
const database = await openProcessDatabase(databaseUrl)
const counts = { all: 0, ofPrimary: 0 }
const { methods } = await openReading({
  kind,
  valkeyUrl,
  readsLists: kind === 'memory',
  open: () => database.openPrisma(() => void counts.all++),
  counts,
})
serveParent(methods)
export type Reading = typeof methods
