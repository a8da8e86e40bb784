import { type } from 'arktype'
import { defineModelCache } from 'model-cache'
import { createLoadSource, createModelCache, Tick, ValkeyStore } from 'model-cache/advanced'
import type { Pool } from 'pg'
import type { Line } from './line.ts'
import { linesById, lotIdsOf, type LotIds } from './queries.ts'
import type { FindLines } from './step.ts'

const lineCache = defineModelCache<Line>()({
  model: 'AuctionItem',
  name: 'Line',
  schema: type({
    id: 'string',
    lot: 'string',
    name: 'string',
    donorName: 'string',
    category: 'string',
    status: 'string',
    startsAt: 'Date',
    updatedAt: 'Date',
    bidCount: 'number',
    total: 'string',
    bids: type({
      id: 'string',
      bidderId: 'string',
      amount: 'string',
      source: 'string',
      placedAt: 'string',
    }).array(),
  }),
  id: 'id',
  ttl: '1h',
})

const lotIdCache = defineModelCache<LotIds>()({
  model: 'Fundraiser',
  name: 'LotIds',
  schema: type({ id: 'string', lotIds: 'string[]' }),
  id: 'id',
  ttl: '1h',
})

/** The ids of a report's lots are a model of their own, and its lines are read by them. */
export async function fromCache(pool: Pool, valkeyUrl: string): Promise<FindLines> {
  const store = new ValkeyStore({ url: valkeyUrl })
  await store.connect()
  const tick = new Tick()
  const lines = createModelCache(lineCache, {
    store,
    tick,
    source: createLoadSource<Line, string>((_, ids) => linesById(pool, ids), undefined),
  })
  const lotIds = createModelCache(lotIdCache, {
    store,
    tick,
    source: createLoadSource<LotIds, string>((_, ids) => lotIdsOf(pool, ids), undefined),
  })
  return async (reportId) => {
    const report = await lotIds.get(reportId)
    if (!report) return []
    return (await lines.getMany(report.lotIds)).filter((line) => line !== null)
  }
}
