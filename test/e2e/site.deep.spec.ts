import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium, LAUNCH_TIMEOUT } from '../support/chromium.js'
import { buildSite, type BuiltSite } from './built-site.js'
import { collectProblems } from './page-problems.js'
import { brokenLinks } from './site-links.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const MAIN_PAGES = [
  '/',
  '/getting-started.html',
  '/how-it-works.html',
  '/recipes/rest.html',
  '/operations.html',
  '/reference/model-cache/terminus.html',
]

describe('the documentation site', () => {
  let site: BuiltSite
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let problems: readonly string[]

  beforeAll(
    async () => ([site, browser] = await Promise.all([buildSite(), launchChromium()])),
    LAUNCH_TIMEOUT,
  )
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
    page = await context.newPage()
    problems = collectProblems(page, site.url)
  })
  afterEach(() => context?.close())
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })

  /** The files of the pages, from the root of the site. */
  const files = () =>
    readdirSync(site.folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
  const open = async (path: string): Promise<void> => {
    await page.goto(site.url + path, { waitUntil: 'networkidle' })
  }
  const focused = (selector: string): Promise<boolean> =>
    page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)

  it('has no link that leads nowhere', () => {
    expect(files().length).toBeGreaterThan(30)
    expect(brokenLinks(site.folder, files())).toEqual([])
  })

  it('gives every page a title and a description of its own', () => {
    const pages = files().filter((file) => file !== '404.html')
    const texts = pages.map((file) => {
      const html = readFileSync(join(site.folder, file), 'utf8')
      const [, title = ''] = /<title>([^<]*)<\/title>/.exec(html) ?? []
      const [, description = ''] = /<meta name="description" content="([^"]*)">/.exec(html) ?? []
      return { file, title, description }
    })
    const lengthsOf = ({ title, description }: { title: string; description: string }) =>
      title.length > 10 && title.length < 80 && description.length > 40 && description.length < 250
    expect(texts.filter((text) => !lengthsOf(text))).toEqual([])
    expect(new Set(texts.map(({ title }) => title)).size).toBe(texts.length)
    expect(new Set(texts.map(({ description }) => description)).size).toBe(texts.length)
  })

  it.each(MAIN_PAGES)('conforms to axe, fits the window and requests nothing elsewhere: %s', async (path) => {
    await open(path)
    await page.evaluate(axe)
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [1280, 'dark'],
      [390, 'dark'],
      [390, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor()
      const found = await page.evaluate<string[]>(`axe.run().then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)
      expect({ width, colorScheme, found }).toEqual({ width, colorScheme, found: [] })
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    }
    expect(problems).toEqual([])
  })

  it('is usable with the keyboard only', async () => {
    await open('/getting-started.html')
    await page.keyboard.press('Tab')
    expect(await focused('.VPSkipLink')).toBe(true)
    await page.keyboard.press('Enter')
    expect(await focused('#VPContent')).toBe(true)
    await page.locator('.VPSkipLink').focus()
    for (const next of [
      '.VPNavBarTitle a',
      '.DocSearch-Button',
      '[href$="/getting-started.html"]',
      '[href$="/recipes/"]',
    ]) {
      await page.keyboard.press('Tab')
      expect(await focused(next)).toBe(true)
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Recipes' }).waitFor()
    await page.locator('.VPSidebar a').first().focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Adopt it' }).waitFor()
    expect(problems).toEqual([])
  })

  it.each(['/', 'Control+k'])('searches the texts after %s, without a server', async (keys) => {
    await open('/')
    await page.keyboard.press(keys)
    await page.locator('.search-input:focus').waitFor()
    await page.keyboard.type('fence')
    await page.locator('.result', { hasText: 'Fence before the commit' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\.html#/)
    expect(problems).toEqual([])
  })

  it('begins with a picture in the colours of the reader, the command to install, and figures', async () => {
    const results = (suite: string): { summary: { requestsVsPrisma: number } } =>
      JSON.parse(readFileSync(join(import.meta.dirname, `../../apps/bench/results/${suite}.json`), 'utf8'))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await open('/')
      const pictures = page.locator('.picture img:visible')
      expect(await pictures.count()).toBe(1)
      expect(await pictures.getAttribute('class')).toBe(colorScheme)
      const width = `document.querySelector('.picture .${colorScheme}').naturalWidth`
      expect(await page.evaluate<number>(width)).toBeGreaterThan(1_000)
    }
    await page.getByText('npm install model-cache').waitFor()
    const figures = await page.locator('.figures li').allTextContents()
    expect(figures).toEqual([
      expect.stringContaining(`${results('page').summary.requestsVsPrisma.toFixed(1)} times`),
      expect.stringMatching(/^\d+\.\d ms is the longest block/),
      expect.stringMatching(/^\d+ stale of [\d,]+ reads/),
    ])
    await page.locator('.picture').click()
    await page.getByRole('heading', { level: 1, name: 'Inspector' }).waitFor()
    expect(problems).toEqual([])
  })

  it('has an action for each way to begin, and each text of the README once', async () => {
    await open('/')
    expect(await page.locator('.VPButton').allTextContents()).toEqual([
      'Get started',
      'Adopt it',
      'How it works',
    ])
    expect(
      await page
        .locator('main h2')
        .allTextContents()
        .then((texts) => texts.map((text) => text.replace(/\s*\u200B/, '').trim())),
    ).toEqual([
      'Install',
      'How it stays right',
      'Use it',
      'Features',
      'Compared with others',
      'Performance',
      'What it does not do',
    ])
    expect(await page.locator('main table').count()).toBe(1)
  })
})
