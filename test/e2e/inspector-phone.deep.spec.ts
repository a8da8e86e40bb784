import { type CacheOf, getModelCacheToken } from 'model-cache'
import type { Browser } from 'playwright-core'
import { auctionItemCache } from '../../apps/auction/src/auction-item/auction-item.cache.js'
import { launchChromium, LAUNCH_TIMEOUT } from '../support/chromium.js'
import { type AuctionServer, startAuction } from './auction-server.js'
import { drawnTexts, hasLineAt, recordTexts } from './canvas-scripts.js'
import { eventually } from '../support/eventually.js'
import { accessibilityViolations, openPath, type Visit, type VisitOptions } from './page-visit.js'

// Scripts of the page are texts: the compiler of the tests knows no DOM.

/** The labels of the cells of the first row of a table. */
const labelsIn = (caption: string): string => `
  [...document.querySelectorAll('table')]
    .find((table) => table.caption.textContent === ${JSON.stringify(caption)})
    .querySelector('tbody tr')
    .querySelectorAll('td')
    .values()
    .map((cell) => getComputedStyle(cell, '::before').content)
    .toArray()`

/** Texts of values that are beyond the edge of the window, or of a table that scrolls. */
const valuesOutside = `
  [...document.querySelectorAll('main :is(th, td, p, li, time, code, .value)')]
    .filter((element) => {
      const { left, right, width } = element.getBoundingClientRect()
      const frame = element.closest('.frame')
      return width > 0 && (left < 0 || right > innerWidth || (frame && frame.scrollWidth > frame.clientWidth))
    })
    .map(({ textContent }) => textContent)`

/** Heights of blank space above the text of a row of a table. */
const blankSpaces = `
  [...document.querySelectorAll('main tr')].flatMap((row) => {
    const range = document.createRange()
    range.selectNodeContents(row)
    const lines = [...range.getClientRects()]
      .filter(({ height }) => height > 0)
      .toSorted((one, other) => one.top - other.top)
    const gaps = lines.slice(1).map(({ top }, i) => top - Math.max(...lines.slice(0, i + 1).map(({ bottom }) => bottom)))
    return gaps.filter((gap) => gap > 40)
  })`

/** What a person on call has at night: a phone, or a keyboard, and the last minute. */
describe('the inspector on a phone and by keyboard', () => {
  let server: AuctionServer
  let browser: Browser
  let visits: Visit[] = []
  const open = async (address: string, options: VisitOptions = {}): Promise<Visit> => {
    const opened = await openPath(browser, server.url, `/inspector${address}`, options)
    visits.push(opened)
    await opened.page.locator('#pulse[data-state=healthy]').waitFor()
    return opened
  }
  const phone = { width: 390, colorScheme: 'dark' } as const

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startAuction({ production: false }), launchChromium()])
    const { data } = await server.graphql('{ fundraisers { id } }')
    await server.graphql('query ($id: ID!) { auctionPage(fundraiserId: $id) { items { bids { id } } } }', {
      id: data.fundraisers[0].id,
    })
  }, LAUNCH_TIMEOUT)
  afterEach(async () => {
    await Promise.all(visits.map(({ close }) => close()))
    visits = []
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })
  const firstLot = () => server.prisma.auctionItem.findFirstOrThrow({ orderBy: { sortOrder: 'asc' } })
  const listAddress = (fundraiserId: string): string =>
    `#/entry//AuctionItem/ofFundraiser?${new URLSearchParams({ key: fundraiserId })}`

  it.each([320, 390])(
    'has a header of one line, whose links are large enough for a thumb: %i px',
    async (width) => {
      const { page } = await open('#/', { ...phone, width })
      const bar = (await page.locator('.bar').boundingBox())!
      expect(bar.height).toBeLessThan(60)
      const inBar = await page.locator('.bar :is(a, button)').all()
      expect(inBar).toHaveLength(4)
      for (const control of inBar) {
        const { height, width: ownWidth, x, y } = (await control.boundingBox())!
        expect(Math.min(height, ownWidth)).toBeGreaterThanOrEqual(44)
        expect([x >= 0, x + ownWidth <= width, y + height <= bar.y + bar.height]).toEqual([true, true, true])
      }
    },
  )

  it.each([
    ['#/', 'Caches of all processes'],
    ['#/cache//AuctionItem', 'not_cached'],
    ['#/processes', 'which serves this page'],
    ['#/event-loop', 'Event loops by process'],
    ['#/results', 'No client keeps results'],
  ])('cuts no value off, at the edge of the screen or of a table: %s', async (address, text) => {
    const { page, overflow } = await open(address, phone)
    await page.locator('main').getByText(text).first().waitFor()
    expect([await overflow(), await page.evaluate(valuesOutside)]).toEqual([0, []])
  })

  it('shows each figure with its name, on lines without blank ones between them', async () => {
    const { page } = await open('#/cache//AuctionItem', phone)
    const misses = page.locator('table', { hasText: 'Misses by reason' })
    await misses.waitFor()
    const labels = await page.evaluate(labelsIn('Misses by reason'))
    expect(labels).toEqual(['"Of"', '"Count"', '"Share"', expect.stringMatching(/^(none|"")$/)])
    // 130 px were blank, where cells beyond the edge had several lines.
    expect(await page.evaluate(blankSpaces)).toEqual([])
  })

  it('leaves out what idle caches do not have, and sorts by what is worst', async () => {
    const { page } = await open('#/', phone)
    const idle = page.locator('tr.idle', { hasText: 'PaddleTipConfig' })
    await idle.waitFor()
    expect(await idle.locator('td:visible').allTextContents()).toEqual([
      expect.stringMatching(/^stores rows.*, no reads$/),
    ])
    await page.getByLabel('Sort by').selectOption('Reads/s')
    const reads = async (): Promise<number[]> =>
      (await page.locator('td[data-label="Reads/s"]').allTextContents()).map((text) =>
        Number(text.replace(/^< /, '')),
      )
    await eventually(async () => {
      const shown = await reads()
      return shown[0]! > 0 && shown.every((count, i) => i === 0 || count <= shown[i - 1]!)
    })
  })

  it('shows why a list is what it is: its rows, their places and the last writes to them', async () => {
    const { fundraiserId, id } = await firstLot()
    const { page, overflow, problems } = await open(listAddress(fundraiserId), phone)
    await page.locator('.answer', { hasText: 'the entry, which names 107 rows, is' }).waitFor()
    await page.getByText('in the order sortOrder asc, id asc').waitFor()
    await page.getByText('The stored entry is that of the database.').waitFor()
    expect(await page.locator('tr.brief').count()).toBe(20)
    expect([await overflow(), await page.evaluate(valuesOutside)]).toEqual([0, []])
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Show 80 more' }).click()
    expect(await page.locator('tr.brief').count()).toBe(100)
    expect(await page.evaluate('document.activeElement.className')).toBe('frame')

    // A row leaves outside Prisma, and nobody follows: its stored row still says that it belongs to the list.
    await server.prisma
      .$executeRaw`UPDATE "AuctionItem" SET "fundraiserId" = ${await another()} WHERE id = ${id}`
    await page.getByRole('button', { name: 'Read again' }).click()
    await page
      .getByText('The entry names 1 row that the database does not have for the key. It is stale')
      .waitFor()
    const differing = page.locator('tr.different')
    expect(await differing.count()).toBe(1)
    expect(await differing.locator('th').textContent()).toBe(id)
    expect(await differing.locator('td').nth(1).textContent()).toBe('not there')

    await server.app
      .get<CacheOf<typeof auctionItemCache>>(getModelCacheToken(auctionItemCache))
      .invalidate(id)
    await page.getByRole('button', { name: 'Read again' }).click()
    await page
      .locator('.answer', { hasText: 'A read finds the entry in the store, and loads it again' })
      .waitFor()
    await differing.getByText('does not belong to the entry any more').waitFor()
    expect(await differing.locator('td').last().textContent()).toMatch(/ago, by /)
    await server.prisma.auctionItem.update({ where: { id }, data: { fundraiserId } })
    expect(problems).toEqual([])
  })

  it('finds lists and keys from every view with the keyboard', async () => {
    const { fundraiserId } = await firstLot()
    const { page, problems } = await open('#/processes')
    await page.keyboard.press('Control+k')
    await page.locator('h1', { hasText: 'Caches' }).waitFor()
    const isFocused = (name: string) =>
      eventually(() =>
        page.evaluate<boolean>(
          `document.activeElement.closest('label')?.textContent.startsWith(${JSON.stringify(name)}) ?? false`,
        ),
      )
    await isFocused('Cache')
    await page.keyboard.type('AuctionI')
    await page.keyboard.press('Tab')
    await isFocused('By')
    await page.keyboard.type('list ofF')
    await page.keyboard.press('Tab')
    await isFocused('fundraiserId')
    await page.keyboard.type(fundraiserId)
    await page.keyboard.press('Enter')
    await page.locator('h1', { hasText: `AuctionItem.ofFundraiser ${fundraiserId}` }).waitFor()
    // What was chosen is still chosen.
    await page.keyboard.press('Control+k')
    await page.locator('h1', { hasText: 'Caches' }).waitFor()
    await isFocused('Cache')
    expect(await page.locator('.find').getByLabel('By').inputValue()).toBe('ofFundraiser')
    expect(problems).toEqual([])
  })

  it('draws the minute before it was opened, with a label every ten seconds', async () => {
    const samples = Array.from({ length: 29 }, (_, i) => ({
      agoMs: (29 - i) * 2_000,
      seconds: 2,
      lagMs: { p50: 30, p99: 40 },
      answered: { tick: 0, l1: 0, store: 10, source: 0 },
      decodeMs: { AuctionItem: 3 },
    }))
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.addInitScript({ content: recordTexts })
    await page.route('**/api/v1/history', async (route) => {
      const report = await (await route.fetch()).json()
      await route.fulfill({ json: { ...report, processes: [{ id: report.self, samples }] } })
    })
    await page.goto(`${server.url}/inspector`)
    for (const chart of ['lag', 'layers', 'decoding']) {
      // A fifth of the way from the left, which is 48 s ago.
      await eventually(() => page.evaluate<boolean>(hasLineAt(`#chart-${chart} canvas`, 0.3)))
    }
    expect(await page.locator('.chart-note:visible').count()).toBe(0)
    const labels = await page.evaluate<string[]>(drawnTexts)
    expect(new Set(labels.filter((label) => / s$|^now$/.test(label)))).toEqual(
      new Set(['-60 s', '-50 s', '-40 s', '-30 s', '-20 s', '-10 s', 'now']),
    )
    await context.close()
  })

  /** Another fundraiser, of which there is only one in the demo. */
  async function another(): Promise<string> {
    const { id: _id, ...one } = await server.prisma.fundraiser.findFirstOrThrow()
    const { id } = await server.prisma.fundraiser.upsert({
      where: { slug: 'another' },
      update: {},
      create: {
        ...(one as object as Parameters<typeof server.prisma.fundraiser.create>[0]['data']),
        slug: 'another',
      },
    })
    return id
  }
})
