import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LoggerService } from '@nestjs/common'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import pg from 'pg'
import { Registry } from 'prom-client'
import { createApp } from '../../apps/auction/src/create-app.js'
import { createDemoDatabase } from '../support/demo-database.js'
import { eventually, eventuallyEqual } from '../support/eventually.js'
import { type PostgresServer, startPostgres } from '../support/postgres-server.js'
import { type AuctionServer, post, startAuction } from './auction-server.js'
import { ROOT } from './dashboard.js'
import { untilFollowed } from './follow.js'
import { useBrowser } from './page-visit.js'

/** The statement that docs/demo.md gives for psql. */
const [, BID] = /```sql\n([\s\S]*?);\n```/.exec(readFileSync(join(ROOT, 'docs/demo.md'), 'utf8'))!

class CollectedLog implements LoggerService {
  readonly lines: string[] = []
  /** Of the library. */
  readonly warnings: string[] = []
  log(message: string): void {
    this.lines.push(`log: ${message}`)
  }
  warn(message: string, context: string): void {
    this.lines.push(`warn: ${message}`)
    if (context === 'ModelCache') this.warnings.push(message)
  }
  error(message: string): void {
    this.lines.push(`error: ${message}`)
  }
  /** Of the follower. It tries again where a busy machine takes longer to connect than it waits. */
  get follow(): string[] {
    return this.lines.filter((line) => line.includes('follow') && !line.includes('timeout expired'))
  }
}

describe('the auction on a PostgreSQL with a logical log', () => {
  const { visit } = useBrowser()
  const logger = new CollectedLog()
  let postgres: PostgresServer
  let server: AuctionServer
  let second: NestFastifyApplication
  let sql: pg.Client

  beforeAll(async () => {
    postgres = await startPostgres({ wal_level: 'logical' })
    server = await startAuction({}, { createDatabase: () => createDemoDatabase(postgres.url), logger })
    await untilFollowed(server)
    // It stands by.
    second = await createApp({ ...server.config, metrics: new Registry() })
    await second.listen(0, '127.0.0.1')
    sql = new pg.Client({ connectionString: server.config.databaseUrl! })
    await sql.connect()
  })
  afterAll(async () => {
    await sql?.end()
    await second?.close()
    await server?.close()
    await postgres?.stop()
  })

  const highestBid = async (url: string, id: string): Promise<string> => {
    const response = await post(
      url,
      JSON.stringify({ query: `{ auctionItem(id: "${id}") { bids(first: 1) { amount } } }` }),
    )
    const { data } = (await response.json()) as { data: { auctionItem: { bids: { amount: string }[] } } }
    return data.auctionItem.bids[0]!.amount
  }

  it('follows it, says so in the log, and shows it on the page', async () => {
    const { host, pathname } = new URL(server.config.databaseUrl!)
    expect(logger.follow).toEqual([`log: This process follows the writes to ${host}${pathname}.`])
    // Of tables that are not followed, or not well. A busy machine blocks the event loop as well.
    expect(logger.warnings.filter((message) => /follow|^ModelCache/i.test(message))).toEqual([])
    const { page } = await visit(server.url)
    await page.locator('#follow-state').getByText('followed', { exact: true }).waitFor()
    expect(await page.locator('#follow-takeovers').textContent()).toBe('1')
    expect(await page.locator('#follow-lag').textContent()).toMatch(/^[\d.]+ m?s, [\d.]+ \w+$/)
  })

  it('shows a bid that was inserted with SQL on an open page, and answers it in another application', async () => {
    const other = await second.getUrl()
    const { data } = await server.graphql('{ fundraisers { id } }')
    const { data: found } = await server.graphql(
      `{ auctionPage(fundraiserId: "${data.fundraisers[0].id}") { items { id bids(first: 1) { amount } } } }`,
    )
    const [{ bids, id }] = found.auctionPage.items
    const before = bids[0].amount
    const { page, problems } = await visit(server.url)
    const price = page.locator('.lot').first().locator('.price')
    const shown = async (): Promise<number> => Number((await price.textContent())!.replaceAll(/[^\d.]/g, ''))
    expect(await shown()).toBe(Number(before))
    expect(await highestBid(other, id)).toBe(before)
    // Otherwise the bid would be shown without following as well.
    const hits = { model: 'AuctionBid', lookup: 'topOfItem', layer: 'store', outcome: 'hit' }
    const hitsBefore = await server.counter('model_cache_reads_total', hits)
    await eventually(async () => {
      await highestBid(other, id)
      return (await server.counter('model_cache_reads_total', hits)) > hitsBefore
    })
    let reloads = 0
    page.on('framenavigated', () => reloads++)

    const { rows } = await sql.query<{ amount: string }>(`${BID} RETURNING amount`)
    const amount = Number(rows[0]!.amount)
    expect(amount).toBe(Number(before) + 500)
    await eventuallyEqual(shown, amount)
    await eventuallyEqual(async () => Number(await highestBid(other, id)), amount)
    await page.locator('#follow-events').getByText('1 insert, 1 update').waitFor()
    expect(reloads).toBe(0)
    expect(problems).toEqual([])
  })

  it('exports in each application whether it is followed, and counts where it follows', async () => {
    const metrics = async (url: string): Promise<string[]> =>
      (await (await fetch(`${url}/metrics`)).text())
        .split('\n')
        .filter((line) => line.startsWith('model_cache_follow'))
    await untilFollowed({ url: await second.getUrl() })
    const [first, other] = [await metrics(server.url), await metrics(await second.getUrl())]
    expect(first).toContain('model_cache_follow_connected 1')
    expect(first).toContain('model_cache_follow_takeovers_total 1')
    expect(other).toContain('model_cache_follow_connected 1')
    expect(other).toContain('model_cache_follow_takeovers_total 0')
    expect(other.filter((line) => line.startsWith('model_cache_follow_events_total'))).toEqual([])
  })

  it('is followed by the second application when the first one stops', async () => {
    await server.app.close()
    const url = await second.getUrl()
    await eventually(async () =>
      (await (await fetch(`${url}/metrics`)).text()).includes('model_cache_follow_takeovers_total 1'),
    )
    await untilFollowed({ url })
  })
})

describe('the auction on a PostgreSQL that cannot be followed', () => {
  it('serves, and says in one line what is missing: a logical log', async () => {
    const logger = new CollectedLog()
    const server = await startAuction({}, { logger })
    await eventually(() => logger.follow.length > 0)
    const { host, pathname } = new URL(server.config.databaseUrl!)
    expect(logger.follow).toEqual([
      `warn: Writes to ${host}${pathname} outside this library are not followed by this process: ` +
        `${host}${pathname} cannot be followed: wal_level is 'replica'. Run: ALTER SYSTEM SET wal_level = 'logical'; ` +
        'and restart PostgreSQL. Managed services have an option for it. It tries again.',
    ])
    const { data } = await server.graphql('{ fundraisers { name } }')
    expect(data).toEqual({ fundraisers: [{ name: 'Winter Gala' }] })
    await server.close()
  })

  it('says in one line what is missing: a role that may replicate', async () => {
    const postgres = await startPostgres({ wal_level: 'logical' })
    const logger = new CollectedLog()
    const server = await startAuction({}, { createDatabase: () => createDemoDatabase(postgres.url), logger })
    await untilFollowed(server)
    const url = new URL(server.config.databaseUrl!)
    const sql = new pg.Client({ connectionString: url.href })
    await sql.connect()
    await sql.query(`CREATE ROLE web LOGIN PASSWORD 'web' IN ROLE pg_read_all_data, pg_write_all_data`)
    await sql.query(`GRANT CREATE ON DATABASE ${url.pathname.slice(1)} TO web`)
    await sql.end()
    await server.app.close()
    ;[url.username, url.password] = ['web', 'web']
    const log = new CollectedLog()
    const app = await createApp({ ...server.config, databaseUrl: url.href, metrics: new Registry() })
    app.useLogger(log)
    await app.listen(0, '127.0.0.1')
    await eventually(() => log.follow.length > 0)
    expect(log.follow).toHaveLength(1)
    expect(log.follow[0]).toContain('ALTER ROLE … REPLICATION')
    expect((await fetch(`${await app.getUrl()}/readyz`)).status).toBe(200)
    await app.close()
    await server.close()
    await postgres.stop()
  })
})
