import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'

/** One chart as a browser has drawn it. */
export interface DrawnChart {
  readonly title: string
  /** Bars or points, as the page counts them. */
  readonly marks: number
  /** Of the canvas, for each series that has a value to be drawn: how many pixels have its colour. */
  readonly pixels: readonly number[]
}

export interface ReportVisit {
  readonly charts: readonly DrawnChart[]
  /** Errors and warnings on the console, and requests for anything beside the page. */
  readonly troubles: readonly string[]
  /** How wide the page is beyond the window, in pixels. */
  readonly overflow: number
}

/** Opens a report, a file, and looks at what became of its charts. */
export async function visitReport(
  browser: Browser,
  path: string,
  { width, colorScheme }: { width: number; colorScheme: 'light' | 'dark' },
): Promise<ReportVisit> {
  const url = pathToFileURL(path).href
  // A browser takes its language from the environment, and uPlot refuses the one of the POSIX locale.
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale: 'en-IE' })
  try {
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    const troubles: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) troubles.push(`console: ${message.text()}`)
    })
    page.on('pageerror', (error) => troubles.push(`error: ${error.message}`))
    page.on('request', (request) => {
      if (request.url() !== url && !request.url().startsWith('data:')) troubles.push(request.url())
    })
    await page.goto(url)
    // The page's Content-Security-Policy forbids to wait for an expression, which polls with eval.
    await page.locator('figure:not([data-marks])').first().waitFor({ state: 'detached' })
    // Canvases are painted in the frame after.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))')
    const charts = await page.evaluate<DrawnChart[]>(`[...document.querySelectorAll('figure')].map(${LOOK})`)
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    return { charts, troubles, overflow }
  } finally {
    await context.close()
  }
}

/** Runs in the page. */
const LOOK = `(figure) => {
  const chart = JSON.parse(figure.querySelector('script').textContent)
  const canvas = figure.querySelector('canvas')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  const counts = new Map()
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] < 255) continue
    const color = 'rgb(' + data[i] + ', ' + data[i + 1] + ', ' + data[i + 2] + ')'
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const swatches = [...figure.querySelectorAll('figcaption i')]
  return {
    title: figure.closest('article').querySelector('h3').textContent,
    marks: Number(figure.dataset.marks),
    pixels: chart.series
      .map(({ values }, i) => values.some((value) => value > 0) && (counts.get(getComputedStyle(swatches[i]).color) ?? 0))
      .filter((count) => count !== false),
  }
}`
