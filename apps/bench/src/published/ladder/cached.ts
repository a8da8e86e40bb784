import { type } from 'arktype'
import { modelCaches } from 'model-cache'
import { createLoadSource, createModelCache, Tick, ValkeyStore } from 'model-cache/advanced'
import type { Pool } from 'pg'
import { each } from '../../harness/fixtures/fixture.ts'
import { linesById, lotIdsOf, type LotIds } from './queries.ts'
import type { FindLines, Line } from './report.ts'

const { defineModelCache } = modelCaches()

const lineCache = defineModelCache<Line>()({
  model: 'AuctionItem',
  name: 'Line',
  schema: type({
    ...each('id lot name donorName category status total', 'string'),
    ...each('startsAt updatedAt', 'Date'),
    bidCount: 'number',
    bids: type(each('id bidderId amount source placedAt', 'string')).array(),
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

/** Two models: the ids of a report's lots, and its lines by id. */
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
