import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openDatabase } from '#prisma/database.js'
import { launchChromium, LAUNCH_TIMEOUT } from '../support/chromium.js'
import { createMysqlDemoDatabase } from '../support/demo-database.js'
import { describeOn } from '../support/describe-databases.js'
import { eventually } from '../support/eventually.js'
import { type AuctionServer, startAuction } from './auction-server.js'
import { ROOT } from './dashboard.js'
import { untilFollowed } from './follow.js'
import { visit } from './page-visit.js'

/** The statement that docs/demo.md gives for mariadb. */
const [, RENAME] = /```sql\n(UPDATE AuctionItem[\s\S]*?);\n```/.exec(
  readFileSync(join(ROOT, 'docs/demo.md'), 'utf8'),
)!

describeOn(['mysql'], 'the auction on $name', () => {
  let server: AuctionServer
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
    server = await startAuction({}, { createDatabase: createMysqlDemoDatabase })
    await untilFollowed(server)
  }, LAUNCH_TIMEOUT)
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  it('shows a lot that was renamed with SQL on an open page', async () => {
    const { page, problems, close } = await visit(browser, server.url)
    await page.locator('#follow-state').getByText('followed', { exact: true }).waitFor()
    const lot = page.locator('.lot').first()
    expect(await lot.textContent()).not.toContain('By mariadb')
    // Otherwise the name would be read from the database without following as well.
    const hits = { model: 'AuctionItem', outcome: 'hit' }
    await eventually(async () => (await server.counter('model_cache_reads_total', hits)) > 0)
    let reloads = 0
    page.on('framenavigated', () => reloads++)

    const database = await openDatabase({ url: server.config.databaseUrl! })
    await database.withSession((session) => session.run(RENAME!))
    await database.close()
    await lot.getByText('By mariadb').waitFor()
    await page.locator('#follow-events').getByText('1 update').waitFor()
    expect(reloads).toBe(0)
    expect(problems).toEqual([])
    await close()
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics.split('\n').filter((line) => /^model_cache_follow_(?!seconds|lag)/.test(line))).toEqual([
      'model_cache_follow_connected 1',
      'model_cache_follow_events_total{kind="update"} 1',
      'model_cache_follow_takeovers_total 1',
    ])
    const [lagBytes] = /^model_cache_follow_lag_bytes \d+$/m.exec(metrics)!
    expect(Number(lagBytes.split(' ')[1])).toBeLessThan(10_000)
  })
})
