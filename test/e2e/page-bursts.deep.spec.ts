import { Inspector } from '@model-cache/inspector'
import type { Browser, Page } from 'playwright-core'
import { launchChromium, LAUNCH_TIMEOUT } from '../support/chromium.js'
import { eventually } from '../support/eventually.js'
import { startValkey } from '../support/valkey-server.js'
import { startAuction, type AuctionServer } from './auction-server.js'
import { drawnTexts, hasLineAt, recordTexts } from './canvas-scripts.js'
import { visit } from './page-visit.js'

interface Impact {
  longestBlock: number
  worstProbe: number
  cpu: number
}

/** Starts a burst with its button and returns the figures that the page shows. */
async function runBurst(page: Page, design: string): Promise<Impact> {
  const button = page.locator(`[data-design="${design}"]`)
  await button.click()
  await page.getByText(`The ${design} burst is running`).waitFor()
  await page.getByText(`${design} blocked the server for up to`).waitFor()
  const cells = page.locator(`[data-row="${design}"] td`)
  const values: number[] = []
  for (const cell of await cells.all()) values.push(Number(await cell.getAttribute('data-ms')))
  const [longestBlock, worstProbe, cpu] = values
  return { longestBlock: longestBlock!, worstProbe: worstProbe!, cpu: cpu! }
}

/** The lower figures of two bursts, since other load on this machine can only raise them. */
function lowest(left: Impact, right: Impact): Impact {
  return {
    longestBlock: Math.min(left.longestBlock, right.longestBlock),
    worstProbe: Math.min(left.worstProbe, right.worstProbe),
    cpu: Math.min(left.cpu, right.cpu),
  }
}

async function post(server: AuctionServer, body: object): Promise<[number, { message?: unknown }]> {
  const response = await fetch(`${server.url}/bursts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [response.status, (await response.json()) as { message?: unknown }]
}

describe('a burst on the page', () => {
  let browser: Browser
  let server: AuctionServer
  beforeAll(
    async () => ([browser, server] = await Promise.all([launchChromium(), startAuction()])),
    LAUNCH_TIMEOUT,
  )
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  it('shows how each design affects the event loop and /livez', async () => {
    const { page, problems, close } = await visit(browser, server.url)
    const pixels = (): Promise<string> =>
      page.evaluate<string>(`document.querySelector('#chart-lag canvas').toDataURL()`)
    const empty = await pixels()

    const v1 = await runBurst(page, 'v1')
    const v2 = await runBurst(page, 'v2')
    const ours = await runBurst(page, 'model-cache')
    await page.getByText('For the same reads, v1 blocked the server for').waitFor()
    const coalesced = page.locator('#legend-layers li', { hasText: 'coalesced' })
    await eventually(async () => /9\d %/.test((await coalesced.textContent()) ?? ''))
    await page.locator('#legend-decoding li', { hasText: 'AuctionItem' }).waitFor()
    expect(await pixels()).not.toBe(empty)
    expect(await page.locator('#probe-worst').textContent()).toMatch(/\d m?s/)

    const lowestV1 = lowest(v1, await runBurst(page, 'v1'))
    const lowestOurs = lowest(ours, await runBurst(page, 'model-cache'))
    expect(lowestV1.longestBlock).toBeGreaterThan(lowestOurs.longestBlock)
    expect(lowestV1.worstProbe).toBeGreaterThan(lowestOurs.worstProbe)
    expect(lowestV1.cpu).toBeGreaterThan(lowestOurs.cpu)
    expect(v2.cpu).toBeGreaterThan(lowestOurs.cpu)
    expect(problems).toEqual([])
    await close()
  }, 120_000)

  it('is on the charts of a page that is loaded afterwards', async () => {
    const { page, problems, close } = await visit(browser, server.url)
    await runBurst(page, 'model-cache')
    const inspector = server.app.get(Inspector)
    await eventually(async () => inspector.ownSamples.length >= 8)
    await page.addInitScript({ content: recordTexts })
    await page.reload()
    await eventually(async () => (await page.evaluate<string[]>(drawnTexts)).includes('model-cache'))
    await page.locator('#legend-lag .value', { hasText: 'ms' }).first().waitFor()
    // Twelve seconds before, of which this page has seen none.
    expect(await page.evaluate<boolean>(hasLineAt('#chart-lag canvas', 0.8))).toBe(true)
    expect(await page.locator('#probe-worst').textContent()).toMatch(/\d m?s/)
    expect(problems).toEqual([])
    await close()
  }, 120_000)

  it('can be disabled, which the page shows, and does not keep the server from closing', async () => {
    const server = await startAuction({ bursts: false })
    const { page, close } = await visit(browser, server.url)
    try {
      const [status, { message }] = await post(server, { design: 'v1' })
      expect(status).toBe(403)
      expect(message).toContain('BURSTS=off')
      await page.getByText('Bursts are disabled').waitFor()
      expect(await page.locator('[data-design][aria-disabled=true]').count()).toBe(3)
    } finally {
      await server.close()
    }
    await page.getByText('no connection').waitFor()
    await close()
  })
})

describe('a burst without Valkey', () => {
  let server: AuctionServer
  beforeAll(async () => (server = await startAuction({ valkey: 'memory' })))
  afterAll(() => server?.close())

  it('reads each lot for each user through the cache of the resolvers', async () => {
    const reads = (layer: string, outcome: string) =>
      server.counter('model_cache_reads_total', { model: 'AuctionItem', layer, outcome })
    await post(server, { design: 'model-cache', users: 1, waves: 1 })
    const [coalesced, stored] = [await reads('tick', 'coalesced'), await reads('store', 'hit')]
    expect(await post(server, { design: 'model-cache', waves: 2 })).toEqual([
      200,
      expect.objectContaining({ design: 'model-cache', users: 50, lots: 107, waves: 2 }),
    ])
    expect((await reads('tick', 'coalesced')) - coalesced).toBe(2 * 49 * 107)
    // Once per wave, and once to fill the cache.
    expect((await reads('store', 'hit')) - stored).toBe(3 * 107)
  })

  it('is rejected with the reason while another one is running', async () => {
    const answers = await Promise.all([
      post(server, { design: 'v1', waves: 1 }),
      post(server, { design: 'v2', waves: 1 }),
    ])
    const statuses = answers.map(([status]) => status)
    expect(statuses.toSorted()).toEqual([200, 409])
    const [, { message }] = answers[statuses.indexOf(409)]!
    expect(message).toMatch(/^The v[12] burst is still running\. Try again/)
  })

  it('is rejected if it is too large or invalid', async () => {
    const [status, { message }] = await post(server, { design: 'v1', users: 51 })
    expect([status, message]).toEqual([409, 'A burst may have at most 50 users and 5 waves, not 51 and 5.'])
    expect((await post(server, { design: 'v3' }))[0]).toBe(400)
    expect((await post(server, { design: 'v1', users: 0 }))[0]).toBe(400)
    expect((await post(server, {}))[0]).toBe(400)
  })
})

describe('a burst while Valkey is unavailable', () => {
  it('fails with the reason and does not block the next one', async () => {
    const valkey = await startValkey()
    const server = await startAuction({ valkey: { url: valkey.url } })
    try {
      await valkey.stop()
      const [status, { message }] = await post(server, { design: 'v1', waves: 1 })
      expect(status).toBe(503)
      expect(message).toMatch(/^The v1 burst failed: /)
      // The library bypasses the store.
      expect((await post(server, { design: 'model-cache', waves: 1 }))[0]).toBe(200)
    } finally {
      await server.close()
    }
  })
})
