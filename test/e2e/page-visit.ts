import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'

export interface Visit {
  readonly page: Page
  /** What went wrong in the browser, in words: errors on the console, failed requests, answers of another origin. */
  readonly troubles: readonly string[]
  /** How wide the page is beyond the window, in pixels. */
  overflow(): Promise<number>
  close(): Promise<void>
}

export interface VisitOptions {
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly reducedMotion?: 'reduce' | 'no-preference'
  /** What `navigator.language` is, also where no browser should say it. @default that of the context, en-IE */
  readonly language?: string
}

/** Opens the page of a server in a context of its own, and waits until its lots are there. */
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
  const troubles: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) troubles.push(`request to ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) troubles.push(`${response.status()} from ${response.url()}`)
  })
  await page.goto(`${url}/`)
  await page.locator('.lot').first().waitFor()
  return {
    page,
    troubles,
    overflow: () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    close: () => context.close(),
  }
}

/** Asks until the answer is yes; fails with the question after a minute. */
export async function until(question: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    if (await isSo()) return
  }
  throw new Error(`Not so after a minute: ${question}`)
}
