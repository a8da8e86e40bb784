/**
 * `npm run docs:screenshots`: takes the pictures of docs/images, in the Chromium of the tests, of the demo with a Valkey and a
 * PostgreSQL of its own. Arguments name the pictures to take.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/support/chromium.ts'
import { freePort } from '../test/support/free-port.ts'
import { createPostgresDatabase, startPostgres } from '../test/support/postgres-server.ts'
import { startValkey } from '../test/support/valkey-server.ts'

interface Picture {
  /** Of the file, without its extension. */
  readonly name: string
  /** Of the page, from the root of the demo. */
  readonly path: string
  /** What a phone shows at once. @default all of the page, on a desk */
  readonly isPhone?: boolean
  readonly isDark?: boolean
  /** Brings the page into the state to show. */
  prepare(page: Page): Promise<void>
}

async function showLastMinute(page: Page): Promise<void> {
  // Reads lots all the time.
  const floor = await page.context().newPage()
  await floor.goto(new URL('/', page.url()).href)
  for (let report = 0; report < 25; report++) await page.waitForResponse(/processes$/)
}

const PICTURES: readonly Picture[] = [
  {
    name: 'page',
    path: '/',
    async prepare(page) {
      await runBursts(page)
      await page.reload() // what is shown is of compiled code
      await runBursts(page)
    },
  },
  { name: 'inspector', path: '/inspector', prepare: showLastMinute },
  { name: 'inspector-dark', path: '/inspector', isDark: true, prepare: showLastMinute },
  {
    name: 'inspector-row',
    path: '/',
    async prepare(page) {
      await page.locator('.lot .inspect').first().click()
      await page.getByText('The stored row is that of the database.').waitFor()
      await page.getByRole('button', { name: 'Invalidate' }).click()
      await page.getByRole('button', { name: 'Invalidate the row' }).click()
      await page.reload() // without the message
      await page.locator('.answer', { hasText: 'It was invalidated' }).waitFor()
    },
  },
  { name: 'inspector-list', path: '/', prepare: openBidsAfterBid },
  { name: 'inspector-phone', path: '/', isPhone: true, isDark: true, prepare: openBidsAfterBid },
]

/** Opens the list of the bids of a lot, after a bid has ended its entry and another read has stored it again. */
async function openBidsAfterBid(page: Page): Promise<void> {
  const lot = page.locator('.lot').first()
  await lot.getByRole('button').click()
  await page.getByRole('button', { name: 'Place bid' }).click()
  await lot.getByText('You lead').waitFor()
  const [, query] = (await lot.locator('.inspect').getAttribute('href'))!.split('?')
  const key = new URLSearchParams(query).get('id')!
  const list = `/inspector#/entry//AuctionBid/topOfItem?${new URLSearchParams({ key })}`
  await page.goto(new URL(list, page.url()).href)
  await page.locator('.time-line', { hasText: 'The write changed' }).waitFor()
}

async function runBursts(page: Page): Promise<void> {
  for (const design of ['v1', 'v2', 'model-cache']) {
    await page.locator(`[data-design="${design}"]`).click()
    await page.getByText(`${design} blocked the server for up to`).waitFor()
  }
}

const ROOT = join(import.meta.dirname, '..')
const BUILT = join(ROOT, 'dist/apps/auction/src')

const wanted = process.argv.slice(2)
const pictures = PICTURES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const [valkey, postgres] = await Promise.all([startValkey(), startPostgres({ wal_level: 'logical' })])
const { url: databaseUrl } = await createPostgresDatabase(postgres.url)
const port = await freePort()
const env = {
  ...process.env,
  DATABASE_URL: databaseUrl,
  VALKEY_URL: valkey.url,
  PORT: String(port),
  LOG_LEVEL: 'warn',
}
const { status } = spawnSync(process.execPath, [join(BUILT, 'seed.js')], { env, stdio: 'inherit' })
if (status !== 0) throw new Error('The demo could not be seeded.')
const demo = spawn(process.execPath, [join(BUILT, 'main.js')], { env, stdio: 'inherit' })
const url = `http://127.0.0.1:${port}`
await untilAnswered(`${url}/readyz`)

const browser = await launchChromium()
try {
  for (const { isDark = false, isPhone = false, name, path, prepare } of pictures) {
    const viewport = isPhone ? { width: 390, height: 844 } : { width: 1280, height: 900 }
    const context = await browser.newContext({
      viewport,
      deviceScaleFactor: isPhone ? 2 : 1,
      colorScheme: isDark ? 'dark' : 'light',
      locale: 'en-IE',
    })
    const page = await context.newPage()
    await page.goto(url + path)
    await prepare(page)
    const devtools = await context.newCDPSession(page)
    const { width, height } = isPhone ? viewport : (await page.locator('body').boundingBox())!
    // Playwright itself writes PNG and JPEG only.
    const { data } = await devtools.send('Page.captureScreenshot', {
      format: 'webp',
      quality: 70,
      captureBeyondViewport: true,
      clip: { x: 0, y: 0, width, height, scale: 1 },
    })
    const file = join(ROOT, `docs/images/${name}.webp`)
    await writeFile(file, data, 'base64')
    console.log(file)
    await context.close()
  }
} finally {
  await browser.close()
  demo.kill()
  await once(demo, 'exit')
  await Promise.all([valkey.stop(), postgres.stop()])
}

async function untilAnswered(address: string): Promise<void> {
  while (
    !(await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (demo.exitCode !== null) throw new Error('The demo did not start.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
