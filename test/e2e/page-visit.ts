import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'

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

/** Opens the page of a server in a new browser context and waits for its lots. */
export async function visit(
  browser: Browser,
  url: string,
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
  const problems: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) problems.push(`request to ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} from ${response.url()}`)
  })
  await page.goto(`${url}/`)
  await page.locator('.lot').first().waitFor()
  return {
    page,
    problems,
    overflow: () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    close: () => context.close(),
  }
}

/** Polls until the condition is true. Fails after a minute. */
export async function until(description: string, condition: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    if (await condition()) return
  }
  throw new Error(`Not true after a minute: ${description}`)
}
