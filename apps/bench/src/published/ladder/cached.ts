import { modelCaches } from 'model-cache'
import { createLoadSource, createModelCache, Tick, ValkeyStore } from 'model-cache/advanced'
import type { Pool } from 'pg'
import { line, lotIds, type Line, type LotIds } from './line.ts'
import { lotIdsOf, linesById, type FindLines } from './queries.ts'

const { defineModelCache } = modelCaches()
const options = { id: 'id', ttl: '1h' } as const
const lineCache = defineModelCache<Line>()({ model: 'AuctionItem', name: 'Line', schema: line, ...options })
const lotIdCache = defineModelCache<LotIds>()({
  model: 'Fundraiser',
  name: 'LotIds',
  schema: lotIds,
  ...options,
})

/** Two models: the ids of a report's lots, and its lines by id. */
export async function fromCache(pool: Pool, valkeyUrl: string): Promise<FindLines> {
  const store = new ValkeyStore({ url: valkeyUrl })
  await store.connect()
  const shared = { store, tick: new Tick() }
  const lines = createModelCache(lineCache, {
    ...shared,
    source: createLoadSource<Line, string>((_, ids) => linesById(pool, ids), undefined),
  })
  const reports = createModelCache(lotIdCache, {
    ...shared,
    source: createLoadSource<LotIds, string>((_, ids) => lotIdsOf(pool, ids), undefined),
  })
  return async (reportId) => {
    const report = await reports.get(reportId)
    return (await lines.getMany(report?.lotIds ?? [])).filter((found) => found !== null)
  }
}
