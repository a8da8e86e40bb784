import type { Page } from 'playwright-core'
import { eventually, eventuallyEqual } from '../support/eventually.js'
import { useOpened } from '../support/use-opened.js'
import { startAuction } from './auction-server.js'
import { accessibilityViolations, useBrowser, type Visit, type VisitOptions } from './page-visit.js'

describe('the page of the demo', () => {
  const { visit } = useBrowser()
  const server = useOpened(startAuction)
  const open = (options?: VisitOptions): Promise<Visit> => visit(server.url, options)

  it('loads nothing from other origins and forbids it by its content security policy', async () => {
    const { problems, page } = await open()
    await page.locator('#pulse[data-state=healthy], #pulse[data-state=unhealthy]').waitFor()
    await page.locator('#more').click()
    expect(problems).toEqual([])

    const policy = (await fetch(`${server.url}/`)).headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })

  it('shows a few lots at first, and all of them on demand', async () => {
    const { page } = await open()
    const lots = page.locator('.lot:visible')
    expect(await lots.count()).toBe(8)
    await page.getByRole('button', { name: 'Show all 107 lots' }).click()
    expect(await lots.count()).toBe(107)
    expect(await page.getByRole('button', { name: 'Bidding closed' }).first().isDisabled()).toBe(true)
  })

  it('shows the layers that answered rows, and those that answered each lookup', async () => {
    const { page } = await open()
    const line = (name: string) =>
      page.locator('#lookups tbody tr', { has: page.getByText(name, { exact: true }) })
    const shares = async (name: string): Promise<string[]> => line(name).locator('td').allTextContents()
    expect(await page.locator('#lookups thead th').allTextContents()).toEqual([
      'Read',
      'coalesced',
      'memory',
      'store',
      'database',
    ])
    const { data } = await server.graphql('{ fundraisers { id } }')
    await eventually(async () => {
      await server.graphql(
        `{ auctionPage(fundraiserId: "${data.fundraisers[0].id}") { items { bids { id } } } }`,
      )
      const lines = [await shares('rows'), await shares('AuctionBid.topOfItem')]
      return lines.every(([, , store]) => /^[1-9]/.test(store ?? ''))
    })
    // Nothing has read it.
    expect(await shares('User.email')).toEqual(['–', '–', '–', '–'])
  })

  it('works with a browser locale that Intl rejects', async () => {
    const { page, problems } = await open({ language: 'en-US@posix' })
    await page.locator('#pulse[data-state=healthy], #pulse[data-state=unhealthy]').waitFor()
    expect(problems).toEqual([])
  })

  it('takes a bid, and shows it to the bidder at once and to others soon', async () => {
    const [mine, theirs] = await Promise.all([open(), open()])
    const card = mine.page.locator('.lot').first()
    const before = await card.locator('.price').textContent()
    const bids = Number.parseInt((await card.locator('.count').textContent())!, 10)
    await card.getByRole('button').click()
    const amount = mine.page.getByLabel('Your bid')
    const minimum = Number(await amount.inputValue())

    await amount.fill(String(minimum - 1))
    await mine.page.getByRole('button', { name: 'Place bid' }).click()
    expect(await mine.page.getByRole('alert').textContent()).toContain(String(minimum))

    await amount.fill(String(minimum + 1000))
    await mine.page.getByRole('button', { name: 'Place bid' }).click()
    await card.getByText('You lead').waitFor()
    const after = await card.locator('.price').textContent()
    expect(after).not.toBe(before)
    expect(Number(after!.replaceAll(/\D/g, ''))).toBe(minimum + 1000)
    expect(await card.locator('.count').textContent()).toBe(`${bids + 1} bids`)
    await theirs.page.locator('.lot').first().getByText(after!, { exact: true }).waitFor()
    expect([...mine.problems, ...theirs.problems]).toEqual([])
  })

  it('shows the new minimum after another bid, and that a bidder was outbid', async () => {
    const [first, second] = await Promise.all([open(), open()])
    const bidOn = async (page: Page): Promise<void> => {
      await page.locator('.lot').nth(1).getByRole('button').click()
    }
    const place = (page: Page) => page.getByRole('button', { name: 'Place bid' }).click()
    await bidOn(first.page)
    await bidOn(second.page)
    await place(first.page)
    await first.page.getByText('You lead').waitFor()
    await place(second.page)
    await second.page.getByRole('alert').getByText('The next bid must be at least').waitFor()

    const amount = second.page.getByLabel('Your bid')
    await amount.fill(String(Number(await amount.inputValue()) + 10_000))
    await place(second.page)
    await second.page.getByText('You lead').waitFor()
    await first.page.getByText('Outbid').waitFor()
  })

  it('is usable with the keyboard only', async () => {
    const { page } = await open()
    const focused = (selector: string): Promise<boolean> =>
      page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)
    await page.keyboard.press('Tab')
    expect(await focused('.skip')).toBe(true)
    await page.keyboard.press('Tab')
    expect(await focused('#inspector')).toBe(true)
    await page.keyboard.press('Tab')
    expect(await focused('#theme')).toBe(true)
    for (const design of ['v1', 'v2', 'model-cache']) {
      await page.keyboard.press('Tab')
      expect(await focused(`[data-design="${design}"]`)).toBe(true)
    }
    await page.keyboard.press('Tab')
    expect(await focused('#bidder')).toBe(true)
    await page.keyboard.press('Tab')
    expect(await focused('.lot:first-child button')).toBe(true)

    await page.keyboard.press('Enter')
    expect(await focused('#amount')).toBe(true)
    await page.keyboard.press('Escape')
    expect(await focused('.lot:first-child button')).toBe(true)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.locator('.lot:first-child').getByText('You lead').waitFor()
    expect(await focused('.lot:first-child button')).toBe(true)

    await page.locator('.skip').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused('#bidder')).toBe(true)
  })

  it('follows the theme of the system until the visitor selects one, and remembers the selection', async () => {
    const { page } = await open({ colorScheme: 'dark' })
    const background = (): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
    const dark = await background()
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await background()
    expect(light).not.toBe(dark)

    await page.getByRole('button', { name: 'Change to dark colours' }).click()
    expect(await background()).toBe(dark)
    await page.reload()
    expect(await background()).toBe(dark)
    await page.getByRole('button', { name: 'Change to light colours' }).click()
    expect(await background()).toBe(light)
  })

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('conforms to WCAG AA and fits the window at %i px, %s', async (width, colorScheme) => {
    const { page, overflow } = await open({ width, colorScheme })
    await page.locator('#pulse[data-state=healthy], #pulse[data-state=unhealthy]').waitFor()
    await page.locator('#more').click()
    expect(await overflow()).toBe(0)

    expect(await accessibilityViolations(page)).toEqual([])

    await page.locator('.lot').first().getByRole('button').click()
    await page.locator('dialog[open]').waitFor()
    expect(await overflow()).toBe(0)
    expect(await accessibilityViolations(page)).toEqual([])
  })

  it('shrinks with the window, charts included', async () => {
    const { page, overflow } = await open({ width: 1440 })
    for (const width of [1000, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await eventuallyEqual(overflow, 0)
      const chart = page.locator('#chart-probes')
      const { width: container } = (await chart.boundingBox())!
      await eventuallyEqual(async () => (await chart.locator('.uplot').boundingBox())!.width, container)
      expect(container).toBeLessThan(width)
    }
  })

  it('has no animations with reduced motion', async () => {
    const { page } = await open({ reducedMotion: 'reduce' })
    const moving = `[...document.querySelectorAll('*')].filter((element) => {
      const { animationName, transitionDuration } = getComputedStyle(element)
      return animationName !== 'none' || transitionDuration.split(', ').some((time) => time !== '0s')
    }).length`
    await page.locator('.lot').first().getByRole('button').click()
    await page.getByRole('button', { name: 'Place bid' }).click()
    await page.locator('.lot.moved').waitFor()
    expect(await page.evaluate(moving)).toBe(0)
  })
})
