import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { extendPrisma } from 'model-cache'
import { Registry } from 'prom-client'
import type { AppConfig } from '../../apps/auction/src/config/app-config.js'
import { createApp } from '../../apps/auction/src/create-app.js'
import { PrismaClient } from '#prisma/client/client.js'
import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { DEMO_FUNDRAISER_ID } from '#prisma/demo/fundraiser.js'
import { openDatabase } from '#prisma/database.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import { pendingMigrations } from '#prisma/migrate.js'
import { RecordingCoordinator } from '../integration/writes/recording-coordinator.js'
import { describeOn } from '../support/describe-databases.js'
import type { TestDatabase } from '../support/test-database.js'
import { post } from './auction-server.js'

let app: NestFastifyApplication
let url: string
async function startOn(database: Pick<AppConfig, 'dataDir' | 'databaseUrl'>): Promise<void> {
  app = await createApp({
    production: false,
    host: '127.0.0.1',
    port: 0,
    ...database,
    valkey: 'memory',
    drainMs: 0,
    cacheNamespace: 'embedded',
    bursts: true,
    logLevel: 'silent',
    metrics: new Registry(),
  })
  await app.listen(0, '127.0.0.1')
  url = await app.getUrl()
}
async function request(query: string) {
  const response = await post(url, JSON.stringify({ query }))
  return ((await response.json()) as { data: Record<string, unknown> }).data
}

describe('the embedded default: PGlite and the in-memory store', () => {
  let folder: string
  let dataDir: string
  const start = (): Promise<void> => startOn({ dataDir })
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'auction-embedded-'))
    dataDir = join(folder, 'pglite')
    await start()
  })
  afterAll(async () => {
    await app.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('migrates and seeds itself on the first start', async () => {
    const page = await request(`{ auctionPage(fundraiserId: "${DEMO_FUNDRAISER_ID}") { items { id } } }`)
    expect((page.auctionPage as { items: unknown[] }).items).toHaveLength(107)
  })

  it('does not follow the database, which has no replication, and serves no metrics of it', async () => {
    const ready = await (await fetch(`${url}/readyz`)).json()
    expect(ready).toEqual({ database: 'ok', cache: 'ok', follow: { status: 'up', follow: 'off' } })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('model_cache_reads_total')
    expect(metrics).not.toContain('model_cache_follow')
  })

  it('does not share its files with a second process, and names the owner', async () => {
    await expect(openDatabase({ dataDir })).rejects.toThrow(
      `The embedded database ${dataDir} is open in process ${process.pid}, and PGlite serves one process at a time.`,
    )
  })

  it('keeps its rows for the next start, and announces writes to a client of its one connection', async () => {
    const [item] = buildDemoRows().auctionItems
    await request(`mutation { editItem(input: { id: "${item!.id}", name: "Kept" }) { id } }`)
    await app.close()
    await start()
    expect(await request(`{ auctionItem(id: "${item!.id}") { name } }`)).toEqual({
      auctionItem: { name: 'Kept' },
    })
    await app.close()
    const database = await openDatabase({ dataDir })
    expect(await database.withSession(pendingMigrations)).toEqual([])
    await announcesWrites(new PrismaClient({ adapter: database.adapter }))
    await database.close()
  })
})

describeOn(['mysql', 'sqlite'], 'the demo on $name', (kind) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await kind.create()
    await startOn({ databaseUrl: database.url })
    if (kind.provider === 'sqlite') return
    // As `npm run seed` does. A file of SQLite is seeded on its first start.
    const opened = await openDatabase({ url: database.url })
    const prisma = new opened.Client({ adapter: opened.adapter })
    await seedDemo(prisma, opened.kind)
    await prisma.$disconnect()
    await opened.close()
  })
  afterAll(async () => {
    await app.close()
    await database.drop()
  })

  it('shows the page, and a bid on it', async () => {
    const page = await request(`{ auctionPage(fundraiserId: "${DEMO_FUNDRAISER_ID}") {
      fundraiser { tags pageViews paddleTipConfig { suggestedPercentages } }
      items { id minimumNextBid bids(first: 1) { bidder { id } } }
    } }`)
    const { fundraiser, items } = page.auctionPage as {
      fundraiser: object
      items: { id: string; minimumNextBid: string; bids: { bidder: { id: string } }[] }[]
    }
    expect(items).toHaveLength(107)
    expect(fundraiser).toEqual({
      tags: ['gala', 'hospital', 'silent-auction'],
      pageViews: '9007199254740993',
      paddleTipConfig: { suggestedPercentages: [5, 10, 15] },
    })
    const { bids, id, minimumNextBid } = items[0]!
    const input = `{ auctionItemId: "${id}", bidderId: "${bids[0]!.bidder.id}", amount: "${minimumNextBid}" }`
    await request(`mutation { placeBid(input: ${input}) { bid { id } } }`)
    expect(await request(`{ auctionItem(id: "${id}") { currentBid bids(first: 1) { amount } } }`)).toEqual({
      auctionItem: { currentBid: minimumNextBid, bids: [{ amount: minimumNextBid }] },
    })
  })

  it('shows an edited lot', async () => {
    const [item] = buildDemoRows().auctionItems
    await request(`mutation { editItem(input: { id: "${item!.id}", name: "Renamed" }) { id } }`)
    const found = await request(`{ auctionItem(id: "${item!.id}") { name lot } }`)
    expect(found).toEqual({ auctionItem: { name: 'Renamed', lot: item!.lot } })
  })
})

/** Writes of all kinds, through a client that has one connection. */
async function announcesWrites(client: PrismaClient): Promise<void> {
  const recorder = new RecordingCoordinator()
  recorder.caches = { GuestUser: [['id']] }
  const prisma = extendPrisma(client, recorder)
  const { id } = await prisma.guestUser.create({ data: { name: 'one', email: '' } })
  const marked = `markWritten GuestUser {"id":"${id}"}`
  expect(await recorder.take()).toEqual([marked, 'fence', 'end'])
  await prisma.guestUser.updateMany({ where: { name: 'one' }, data: { name: 'two' } })
  expect(await recorder.take()).toEqual([marked, 'fence', 'end'])
  await prisma.$transaction([
    prisma.guestUser.update({ where: { id }, data: { name: 'three' } }),
    prisma.guestUser.deleteMany({ where: { name: 'three' } }),
  ])
  expect(await recorder.take()).toEqual([marked, marked, 'fence', 'end'])
  expect(await client.guestUser.count({ where: { id } })).toBe(0)
  await client.$disconnect()
}
