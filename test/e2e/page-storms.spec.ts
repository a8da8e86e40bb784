import type { Browser, Page } from 'playwright-core'
import { launchChromium, LAUNCH_TIMEOUT } from '../support/chromium.js'
import { startValkey } from '../support/valkey-server.js'
import { startAuction } from './auction-server.js'
import type { AuctionServer } from './auction-server.js'
import { until, visit } from './page-visit.js'

interface Damage {
  longestBlock: number
  worstProbe: number
  cpu: number
}

/** Starts a storm, by its button, and waits for what the page has to say of it. */
async function storm(page: Page, design: string): Promise<Damage> {
  const button = page.locator(`[data-design="${design}"]`)
  await button.click()
  await page.getByText(`A storm of ${design} is under way`).waitFor()
  await page.getByText(`${design} kept the server from everything else for`).waitFor()
  const cells = page.locator(`[data-row="${design}"] td`)
  const values: number[] = []
  for (const cell of await cells.all()) values.push(Number(await cell.getAttribute('data-ms')))
  const [longestBlock, worstProbe, cpu] = values
  return { longestBlock: longestBlock!, worstProbe: worstProbe!, cpu: cpu! }
}

/** The milder of two storms: a neighbour on this machine can only make one worse. */
function milder(left: Damage, right: Damage): Damage {
  return {
    longestBlock: Math.min(left.longestBlock, right.longestBlock),
    worstProbe: Math.min(left.worstProbe, right.worstProbe),
    cpu: Math.min(left.cpu, right.cpu),
  }
}

async function post(server: AuctionServer, body: object): Promise<[number, { message?: unknown }]> {
  const response = await fetch(`${server.url}/storms`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [response.status, (await response.json()) as { message?: unknown }]
}

describe('a storm on the page', () => {
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

  it('shows what each design does to the event loop, and to whoever asks whether it is alive', async () => {
    const { page, troubles, close } = await visit(browser, server.url)
    const pixels = (): Promise<string> =>
      page.evaluate<string>(`document.querySelector('#chart-lag canvas').toDataURL()`)
    const empty = await pixels()

    const v1 = await storm(page, 'v1')
    const v2 = await storm(page, 'v2')
    const ours = await storm(page, 'model-cache')
    await page.getByText('The same reads: v1 blocked the server for').waitFor()
    const joined = page.locator('#legend-layers li', { hasText: 'same tick' })
    await until('nearly all reads join others', async () => /9\d %/.test((await joined.textContent()) ?? ''))
    await page.locator('#legend-decoding li', { hasText: 'AuctionItem' }).waitFor()
    expect(await pixels()).not.toBe(empty)
    expect(await page.locator('#probe-worst').textContent()).toMatch(/\d m?s/)

    const mildV1 = milder(v1, await storm(page, 'v1'))
    const mildOurs = milder(ours, await storm(page, 'model-cache'))
    expect(mildV1.longestBlock).toBeGreaterThan(mildOurs.longestBlock)
    expect(mildV1.worstProbe).toBeGreaterThan(mildOurs.worstProbe)
    expect(mildV1.cpu).toBeGreaterThan(mildOurs.cpu)
    expect(v2.cpu).toBeGreaterThan(mildOurs.cpu)
    expect(troubles).toEqual([])
    await close()
  }, 120_000)

  it('can be switched off, says so, and does not keep a server from closing', async () => {
    const calm = await startAuction({ storms: false })
    const { page, close } = await visit(browser, calm.url)
    try {
      const [status, { message }] = await post(calm, { design: 'v1' })
      expect(status).toBe(403)
      expect(message).toContain('STORMS=off')
      await page.getByText('Storms are switched off here').waitFor()
      expect(await page.locator('[data-design][aria-disabled=true]').count()).toBe(3)
    } finally {
      await calm.close()
    }
    await page.getByText('no connection').waitFor()
    await close()
  })
})

describe('a storm of a demo without a Valkey', () => {
  let server: AuctionServer
  beforeAll(async () => (server = await startAuction({ valkey: 'memory' })))
  afterAll(() => server?.close())

  it('reads each lot for each user, one by one, through the cache that resolvers read', async () => {
    const reads = (layer: string, outcome: string) =>
      server.counter('model_cache_reads_total', { model: 'AuctionItem', layer, outcome })
    await post(server, { design: 'model-cache', users: 1, waves: 1 })
    const [joined, stored] = [await reads('tick', 'coalesced'), await reads('store', 'hit')]
    expect(await post(server, { design: 'model-cache', waves: 2 })).toEqual([
      200,
      expect.objectContaining({ design: 'model-cache', users: 50, lots: 107, waves: 2 }),
    ])
    expect((await reads('tick', 'coalesced')) - joined).toBe(2 * 49 * 107)
    // Once in each wave, and once before, to be sure that they are there.
    expect((await reads('store', 'hit')) - stored).toBe(3 * 107)
  })

  it('is refused while another is under way, which is told', async () => {
    const answers = await Promise.all([
      post(server, { design: 'v1', waves: 1 }),
      post(server, { design: 'v2', waves: 1 }),
    ])
    const statuses = answers.map(([status]) => status)
    expect(statuses.toSorted()).toEqual([200, 409])
    const [, { message }] = answers[statuses.indexOf(409)]!
    expect(message).toMatch(/^A storm of v[12] is under way\. Wait until it is over/)
  })

  it('is refused when it is too large, or none at all', async () => {
    const [status, { message }] = await post(server, { design: 'v1', users: 51 })
    expect([status, message]).toEqual([409, 'A storm may have 50 users and 5 waves at most, not 51 and 5.'])
    expect((await post(server, { design: 'v3' }))[0]).toBe(400)
    expect((await post(server, { design: 'v1', users: 0 }))[0]).toBe(400)
    expect((await post(server, {}))[0]).toBe(400)
  })
})

describe('a storm over a Valkey that is gone', () => {
  it('fails with the reason, and leaves the way free for the next', async () => {
    const valkey = await startValkey()
    const server = await startAuction({ valkey: { url: valkey.url } })
    try {
      await valkey.stop()
      const [status, { message }] = await post(server, { design: 'v1', waves: 1 })
      expect(status).toBe(503)
      expect(message).toMatch(/^The storm of v1 failed: /)
      // Reads of the library go on without their cache.
      expect((await post(server, { design: 'model-cache', waves: 1 }))[0]).toBe(200)
    } finally {
      await server.close()
    }
  })
})
