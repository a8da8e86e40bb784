import { ModelCacheWrites, type Store, type ValkeyStoreOptions } from 'model-cache'
import type { CreateModelCacheOptions } from 'model-cache/advanced'
import { eventually, eventuallyResolves } from '../../support/eventually.js'
import { allAreHits, openCache, type VersionedRow, type VersionedRows } from '../cluster/versioned-rows.js'

/** Short, so that rows are stored again soon after a restart. */
export const consistency = { mode: 'strict', fenceMs: 400, leaseMs: 300 } as const

/** A process with a cache. */
export async function openProcess(
  database: VersionedRows,
  valkey: ValkeyStoreOptions,
  parts: Partial<CreateModelCacheOptions<VersionedRow, string>> = {},
) {
  const writes = new ModelCacheWrites()
  const messages: string[] = []
  const warn = (message: string): void => void messages.push(message)
  const opened = await openCache(
    database,
    { ...valkey, deadlineMs: 2_000 },
    { consistency, writes, warn, ...parts },
  )
  const { cache } = opened
  /** Reads all rows. @returns those that are not as in the database */
  const staleRows = async (): Promise<string[]> => {
    const rows = await cache.getMany(database.ids)
    return rows.flatMap((row, i) =>
      row!.version === database.row(database.ids[i]!).version ? [] : [row!.id],
    )
  }
  return {
    ...opened,
    messages,
    staleRows,
    writes,
    /** Whether it has said that a server came back with old data. */
    isOld: (): boolean => messages.some((message) => message.includes('came back with old data')),
    /** Reads until the server answers, and until rows are stored again. No read may be stale. */
    async readsOnlyCurrentRows(): Promise<void> {
      const stale: string[] = []
      await eventually(async () => {
        stale.push(...(await staleRows()))
        return stale.length > 0 || allAreHits(cache, database)
      })
      expect(stale).toEqual([])
    },
  }
}

/** Waits until a process reads from the server again, and writes to it. */
export const isReached = (store: Store): Promise<unknown> =>
  eventuallyResolves(() => Promise.all([store.ping(), store.getMany(['none'])]))

/** A whole write. */
export async function write(
  writes: ModelCacheWrites,
  database: VersionedRows,
  ids: readonly string[],
): Promise<void> {
  const unit = writes.begin()
  unit.markWritten(
    'Row',
    ids.map((id) => ({ id })),
  )
  await unit.fence()
  for (const id of ids) database.write(id)
  await unit.end()
  await writes.released()
}
