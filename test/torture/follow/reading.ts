import { NestFactory } from '@nestjs/core'
import { getModelCacheToken, MODEL_CACHE_STORE } from 'model-cache'
import type { ValkeyStore } from 'model-cache/advanced'
import { followElsewhere } from 'model-cache/follow'
import { createRandom } from '#prisma/demo/random.js'
import { type ApplicationOptions, moduleOf } from '../application.ts'
import { type Defect, inflict } from '../defects.ts'
import { Loops } from '../loops.ts'
import { defineUsers, RecordedReads, type UsersCache } from './recorded-reads.ts'

/** How a reader keeps rows: in the store alone, or in a memory layer as well. */
export type ReaderKind = 'rows' | 'memory'

export interface ReadingOptions extends Omit<ApplicationOptions, 'definitions' | 'follow' | 'valkey'> {
  readonly kind: ReaderKind
  readonly valkeyUrl: string
  readonly readsLists: boolean
  /** Queries that it has sent, and those of rows to the primary, where the database is a standby. */
  readonly counts: { all: number; ofPrimary: number }
}

const LOOPS = 4

/** An application whose caches need a follower, and the methods by which a process reads through them. */
export async function openReading({ counts, kind, readsLists, valkeyUrl, ...options }: ReadingOptions) {
  const random = createRandom(`model-cache bench follow, ${kind}`)
  const users = defineUsers(kind === 'memory')
  const application = await NestFactory.createApplicationContext(
    moduleOf({
      ...options,
      valkey: { url: valkeyUrl },
      follow: followElsewhere(),
      definitions: { users },
    }),
    { logger: false },
  )
  const store = application.get<ValkeyStore>(MODEL_CACHE_STORE)
  const reads = new RecordedReads(application.get<UsersCache>(getModelCacheToken(users)), store, random)
  let mend = (): void => {}
  let loops: Loops
  return {
    application,
    random,
    reads,
    methods: {
      /** What it lacks: it hears of no follower, or stores no rows, as a schema that is new among processes waits at first. */
      async lacks(): Promise<string[]> {
        try {
          await reads.readRows([0])
          const before = counts.all
          await reads.readRows([0])
          return [...(counts.all === before ? [] : ['stored rows']), ...(reads.hear() ? [] : ['a report'])]
        } catch {
          return ['an answer']
        }
      },
      /** Gives its store a defect, until it is mended. */
      inflict(defect: Defect): void {
        mend = inflict(store, defect)
      },
      mend: () => mend(),
      start({ pauseMs }: { readonly pauseMs: number }): void {
        // Reads fail while the database is away.
        loops = new Loops(random, () => {})
        loops.start(LOOPS, pauseMs, () => reads.readAny(readsLists))
      },
      async stopReading() {
        await loops.stop()
        const primaryQueries = counts.ofPrimary
        counts.ofPrimary = 0
        return { reads: reads.take(), primaryQueries }
      },
      readAll: () => reads.readAll(readsLists),
    },
  }
}
