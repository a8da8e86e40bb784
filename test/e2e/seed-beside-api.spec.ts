import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NestFactory } from '@nestjs/core'
import { Registry } from 'prom-client'
import { SeedModule } from '../../apps/auction/src/seed/seed.module.js'
import { SeedService } from '../../apps/auction/src/seed/seed.service.js'
import { describeImport } from '../../apps/auction/src/seed/describe-import.js'
import { startAuction } from './auction-server.js'

const HEADER = 'auction_id,bid,bid_time_days,bidder,bidder_rating,opening_bid,final_price,item,duration_days'
const FIRST = 'a1,95,0.5,bidder-0001,0,95,117.5,xbox,3'
const SECOND = 'a1,117.5,2.5,bidder-0002,10,95,117.5,xbox,3'

describe('the seed command next to a running API', () => {
  it('invalidates the rows that the API has cached', async () => {
    const api = await startAuction()
    const folder = await mkdtemp(join(tmpdir(), 'auction-seed-'))
    const seed = await NestFactory.createApplicationContext(
      SeedModule.register({ ...api.config, metrics: new Registry() }),
      { logger: false },
    )
    const load = async (...lines: string[]) => {
      const path = join(folder, 'bids.csv')
      await writeFile(path, [HEADER, ...lines].join('\n'))
      return seed.get(SeedService).loadFile(path)
    }
    const result = await load(FIRST, 'a1,nonsense')
    expect(describeImport('bids.csv', result)).toBe(
      'Skipped line 3: has 2 fields, the first line has 9\n' +
        'Loaded bids.csv: 1 lots, 1 bids, 1 bidders; 1 skipped. ' +
        `Fundraiser ${result.rows!.fundraiser.id} (auction-bids).`,
    )

    const query = `{ auctionPage(fundraiserId: "${result.rows!.fundraiser.id}") { items { currentBid bids { amount } } } }`
    const items = async () => (await api.graphql(query)).data.auctionPage.items
    expect(await items()).toEqual([{ currentBid: '95', bids: [{ amount: '95' }] }])
    await load(FIRST, SECOND)
    expect(await items()).toEqual([{ currentBid: '117.5', bids: [{ amount: '117.5' }, { amount: '95' }] }])

    await seed.close()
    await api.close()
    await rm(folder, { recursive: true })
  })
})
