import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { launchChromium, LAUNCH_TIMEOUT } from '../support/chromium.js'
import { collectProblems } from './page-problems.js'

export interface Visit {
  readonly page: Page
  /** Console errors, failed requests and requests to other origins. */
  readonly problems: readonly string[]
  /** Pixels by which the page is wider than the window. */
  overflow(): Promise<number>
  close(): Promise<void>
}

export interface VisitOptions {
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly reducedMotion?: 'reduce' | 'no-preference'
  /** Value of `navigator.language`, even an invalid one. @default en-IE, of the context */
  readonly language?: string
}

/** A browser for the tests of a block, each of which ends with its visits. */
export function useBrowser() {
  let browser: Browser
  const visits: Visit[] = []
  beforeAll(async () => {
    browser = await launchChromium()
  }, LAUNCH_TIMEOUT)
  afterEach(async () => {
    await Promise.all(visits.splice(0).map(({ close }) => close()))
  })
  afterAll(() => browser?.close())
  const kept = (opened: Visit): Visit => {
    visits.push(opened)
    return opened
  }
  return {
    openPath: async (url: string, path: string, options?: VisitOptions): Promise<Visit> =>
      kept(await openPath(browser, url, path, options)),
    visit: async (url: string, options?: VisitOptions): Promise<Visit> =>
      kept(await visit(browser, url, options)),
  }
}

/** Opens the page of a server in a new browser context and waits for its lots. */
export async function visit(browser: Browser, url: string, options?: VisitOptions): Promise<Visit> {
  const opened = await openPath(browser, url, '/', options)
  await opened.page.locator('.lot').first().waitFor()
  return opened
}

/** Opens a page of a server in a new browser context. */
export async function openPath(
  browser: Browser,
  url: string,
  path: string,
  { width = 1440, colorScheme = 'light', reducedMotion = 'no-preference', language }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion,
    locale: 'en-IE',
  })
  if (language !== undefined) {
    await context.addInitScript((value) => {
      Object.defineProperty(Navigator.prototype, 'language', { get: () => value, configurable: true })
    }, language)
  }
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const problems = collectProblems(page, url)
  await page.goto(url + path)
  return {
    page,
    problems,
    overflow: () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    close: () => context.close(),
  }
}

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What violates WCAG 2.2 AA on the page as it is, each as its rule and the first element. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(await axe)
  return page.evaluate<string[]>(`axe
    .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`)
}
