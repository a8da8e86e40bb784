import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { Chapter } from '../../apps/bench/src/report/chapter.js'
import { renderPage } from '../../apps/bench/src/report/page/render-page.js'
import type { Chart } from '../../apps/bench/src/harness/section.js'
import { launchChromium, LAUNCH_TIMEOUT } from '../support/chromium.js'
import { visitReport } from './report-visit.js'

const bars: Chart = {
  kind: 'bar',
  y: 'ms',
  categories: ['ours', 'a name that is far too long for the width of a telephone'],
  series: [
    { name: 'CPU', values: [1.5, 2_000] },
    { name: 'wall', values: [0, null] },
    { name: 'block', values: [null, 12_345] },
  ],
}
const line: Chart = {
  kind: 'line',
  x: 'rows',
  y: 'µs',
  categories: [10, 1_000, 100_000],
  series: [
    { name: 'ours', values: [1, 2, 4] },
    { name: 'theirs', values: [3, null, 900] },
  ],
}
const charts: readonly (readonly [title: string, Chart])[] = [
  ['Bars', bars],
  ['Bars of logarithms', { ...bars, scale: 'log' }],
  ['Lines', line],
  ['Lines of logarithms', { ...line, scale: 'log' }],
]
const chapters: readonly Chapter[] = [
  {
    name: 'drawn',
    question: 'Is </script> & "all" <b>harmless</b>?',
    found: {
      header: ['Measured here. See https://example.org/figures.'],
      conclusion: 'All is <i>well</i>.',
      headlines: {},
      sections: [
        ...charts.map(([title, chart]) => ({
          title,
          chart,
          table: { head: ['', 'CPU', 'wall'], rows: [['ours </script>', '1.5', '–']] },
        })),
        { title: 'To know', text: ['Words </script><script>throw 1</script> alone.'] },
      ],
    },
  },
  { name: 'unmeasured', question: 'What is not measured yet?' },
]

describe('the report of the bench', () => {
  let browser: Browser
  let folder: string
  const path = (): string => join(folder, 'report.html')
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'model-cache-report-'))
    await writeFile(path(), renderPage(chapters))
    browser = await launchChromium()
  }, LAUNCH_TIMEOUT)
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true })
  })

  it.each([
    [1440, 'light'],
    [390, 'dark'],
  ] as const)(
    'fills every chart, %i pixels wide and %s, and requests nothing',
    async (width, colorScheme) => {
      const seen = await visitReport(browser, path(), { width, colorScheme })
      expect(seen.troubles).toEqual([])
      expect(seen.overflow).toBeLessThanOrEqual(0)
      expect(seen.charts.map(({ title, marks }) => [title, marks])).toEqual([
        ['Bars', 4],
        // A logarithmic scale has no zero.
        ['Bars of logarithms', 3],
        ['Lines', 5],
        ['Lines of logarithms', 5],
      ])
      for (const { pixels } of seen.charts) {
        expect(pixels.length).toBe(2)
        for (const count of pixels) expect(count).toBeGreaterThan(10)
      }
    },
  )

  it('lists the suites without a result, with their command', async () => {
    const html = await readFile(path(), 'utf8')
    expect(html).toContain('What is not measured yet? <code>npm run bench -- unmeasured</code>')
    expect(html).toContain('<a href="#drawn">drawn</a>')
    expect(html).not.toContain('<script>throw')
  })
})
