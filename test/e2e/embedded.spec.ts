import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { createApp } from '../../apps/auction/src/create-app.js'
import type { AppConfig } from '../../apps/auction/src/config/app-config.js'
import { DEMO_FUNDRAISER_ID } from '#prisma/demo/fundraiser.js'
import { openDatabase } from '#prisma/database.js'
import { pendingMigrations } from '#prisma/migrate.js'
import { post } from './auction-server.js'

describe('the embedded default: PGlite and the in-memory store', () => {
  let folder: string
  const config = (): AppConfig => ({
    production: false,
    host: '127.0.0.1',
    port: 0,
    dataDir: join(folder, 'pglite'),
    valkey: 'memory',
    drainMs: 0,
    cacheNamespace: 'embedded',
    bursts: true,
    logLevel: 'silent',
    metrics: new Registry(),
  })
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'auction-embedded-'))))
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('migrates and seeds itself on the first start and keeps its rows for the next', async () => {
    const request = async (query: string) => {
      const app = await createApp(config())
      await app.listen(0, '127.0.0.1')
      try {
        const response = await post(await app.getUrl(), JSON.stringify({ query }))
        return ((await response.json()) as { data: Record<string, unknown> }).data
      } finally {
        await app.close()
      }
    }
    const page = await request(`{ auctionPage(fundraiserId: "${DEMO_FUNDRAISER_ID}") { items { id } } }`)
    const { items } = page.auctionPage as { items: { id: string }[] }
    expect(items).toHaveLength(107)
    await request(`mutation { editItem(input: { id: "${items[0]!.id}", name: "Kept" }) { id } }`)
    expect(await request(`{ auctionItem(id: "${items[0]!.id}") { name } }`)).toEqual({
      auctionItem: { name: 'Kept' },
    })

    const database = await openDatabase({ dataDir: join(folder, 'pglite') })
    expect(await database.withSession(pendingMigrations)).toEqual([])
    await database.close()
  })

  it('does not follow the database, which has no replication, and serves no metrics of it', async () => {
    const app = await createApp({ ...config(), dataDir: join(folder, 'unfollowed') })
    await app.listen(0, '127.0.0.1')
    const url = await app.getUrl()
    const ready = await (await fetch(`${url}/readyz`)).json()
    expect(ready).toEqual({ database: 'ok', cache: 'ok', follow: { status: 'up', follow: 'off' } })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('model_cache_reads_total')
    expect(metrics).not.toContain('model_cache_follow')
    await app.close()
  })

  it('does not share its files with a second process, and names the owner', async () => {
    const dataDir = join(folder, 'taken')
    const database = await openDatabase({ dataDir })
    await expect(openDatabase({ dataDir })).rejects.toThrow(
      `The embedded database ${dataDir} is open in process ${process.pid}, and PGlite serves one process at a time.`,
    )
    await database.close()
    await (await openDatabase({ dataDir })).close()
  })
})
