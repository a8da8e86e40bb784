import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { Registry } from 'prom-client'
import type { AppConfig } from '../../apps/auction/src/config/app-config.js'
import { createApp } from '../../apps/auction/src/create-app.js'
import { builtLibrary } from '../support/build-library.js'
import { eventually } from '../support/eventually.js'
import { startServerProxy } from '../support/server-proxy.js'
import { valkeyUrl } from '../support/servers.js'
import { type AuctionServer, startAuction } from './auction-server.js'
import { accessibilityViolations, useBrowser, type Visit, type VisitOptions } from './page-visit.js'

/** Would run if the page took texts for HTML. */
const HOSTILE = `<img src=x onerror="document.title='attacked'">'"`

describe('the inspector of the demo', () => {
  const { openPath } = useBrowser()
  let server: AuctionServer
  let library: string
  const open = async (address = '', options?: VisitOptions, url = server.url): Promise<Visit> => {
    const opened = await openPath(url, `/inspector${address}`, options)
    await opened.page.locator('#pulse[data-state=healthy]').waitFor()
    return opened
  }
  const firstLot = () => server.prisma.auctionItem.findFirstOrThrow({ orderBy: { sortOrder: 'asc' } })
  const readLot = async (id: string): Promise<string> => {
    const { data } = await server.graphql('query ($ids: [ID!]!) { auctionItems(ids: $ids) { name } }', {
      ids: [id],
    })
    return data.auctionItems[0].name as string
  }
  const readPlace = (id: string, lot: string) =>
    server.graphql('query ($id: ID!, $lot: String!) { auctionItemAt(fundraiserId: $id, lot: $lot) { id } }', {
      id,
      lot,
    })
  const rowAddress = (id: string): string => `#/row//AuctionItem?${new URLSearchParams({ id })}`

  beforeAll(async () => {
    // Without a password, the inspector is closed in production.
    ;[server, library] = await Promise.all([startAuction({ production: false }), builtLibrary()])
  })
  afterAll(() => server?.close())

  it('shows with the keyboard only why a lot was read from the database', async () => {
    const { id } = await firstLot()
    await readLot(id)
    const { page, problems } = await open('/')
    await page.locator('select option', { hasText: 'AuctionItem' }).waitFor({ state: 'attached' })
    const tabTo = async (selector: string): Promise<void> => {
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab')
        const isThere = await page.evaluate<boolean>(
          `document.activeElement.matches(${JSON.stringify(selector)})`,
        )
        if (isThere) return
      }
      throw new Error(`60 presses of Tab do not reach ${selector}`)
    }
    await tabTo('.find select')
    await page.keyboard.type('AuctionI')
    await tabTo('.find input')
    await page.keyboard.type(id)
    await page.keyboard.press('Enter')

    await page.getByText('A read would be answered by the store').waitFor()
    expect(await page.locator('h1').allTextContents()).toEqual([`AuctionItem ${id}`])
    expect(await page.evaluate('document.activeElement.matches("h1")')).toBe(true)
    expect(await page.title()).toContain(`AuctionItem ${id}`)
    const events = await page.locator('.time-line li p').allTextContents()
    expect(events).toContainEqual(expect.stringMatching(/read it from the database \(not_cached\)/))
    expect(await page.locator('.outcome').textContent()).toBe('The stored row is that of the database.')

    await page.goBack()
    await page.locator('h1', { hasText: 'Caches' }).waitFor()
    await eventually(() => page.evaluate<boolean>('document.activeElement.textContent === "Caches"'))
    expect(problems).toEqual([])
  })

  it('shows the difference after SQL outside Prisma, and removes the stale row once confirmed', async () => {
    const { id, name } = await firstLot()
    await readLot(id)
    const { page, problems } = await open(rowAddress(id))
    await page.getByText('The stored row is that of the database.').waitFor()
    await server.prisma.$executeRaw`UPDATE "AuctionItem" SET name = ${HOSTILE} WHERE id = ${id}`

    await page.getByRole('button', { name: 'Read again' }).click()
    await page.getByText('fields differ: name.').waitFor()
    const row = page.locator('tr.different')
    expect(await row.count()).toBe(1)
    expect(await row.locator('th, td').allTextContents()).toEqual(['name', name, HOSTILE])

    await page.getByRole('button', { name: 'Invalidate' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.textContent()).toContain(`This removes the row ${id} of AuctionItem from the cache`)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await readLot(id)).toBe(name)
    await page.getByRole('button', { name: 'Invalidate' }).click()
    await dialog.getByRole('button', { name: 'Invalidate the row' }).click()
    await page.locator('#result', { hasText: 'The row was invalidated.' }).waitFor()
    await page.locator('.answer', { hasText: /^A read goes to the database\. It was invalidated/ }).waitFor()
    expect(await readLot(id)).toBe(HOSTILE)
    expect(await page.title()).not.toBe('attacked')
    expect(problems).toEqual([])
  })

  it('finds the row of a key, under an address that can be loaded again', async () => {
    const { id, fundraiserId, lot } = await firstLot()
    await readPlace(fundraiserId, lot)
    const { page, problems } = await open('#/cache//AuctionItem')
    const form = page.locator('.find')
    await form.getByLabel('By').selectOption('place')
    await form.getByLabel('fundraiserId').fill(fundraiserId)
    await form.getByLabel('lot', { exact: true }).fill(lot)
    await form.getByRole('button').click()
    await page.locator('.answer', { hasText: 'the entry, which names 1 row, is' }).waitFor()
    await page.getByRole('link', { name: id }).click()
    await page.locator('.answer', { hasText: 'the row is' }).waitFor()
    await page.reload()
    await page.locator('.answer', { hasText: 'the row is' }).waitFor()
    expect(await page.locator('h1').textContent()).toBe(`AuctionItem ${id}`)
    expect(problems).toEqual([])
  })

  it('sorts caches by a column, and keeps the focus while figures arrive', async () => {
    const { id } = await firstLot()
    await readLot(id)
    const { page } = await open()
    const header = page.locator('th', { has: page.getByRole('button', { name: 'Reads/s' }) })
    await header.getByRole('button').press('Enter')
    expect(await header.getAttribute('aria-sort')).toBe('descending')
    const first = page.locator('tbody th').first()
    expect(await first.textContent()).toBe('AuctionItem')
    await nextReport(page)
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Reads/s')
    await page.keyboard.press('Enter')
    expect(await header.getAttribute('aria-sort')).toBe('ascending')
    expect(await first.textContent()).not.toBe('AuctionItem')
  })

  it('takes ids as text, and says that the database has no such row', async () => {
    const { page, problems } = await open(rowAddress(HOSTILE))
    await page.locator('.answer', { hasText: 'The database has no such row.' }).waitFor()
    expect(await page.locator('h1').textContent()).toBe(`AuctionItem ${HOSTILE}`)
    expect(await page.title()).toContain(HOSTILE)
    expect(problems).toEqual([])
  })

  it('masks values unless they are shown, and offers actions only where they are allowed', async () => {
    const { id, email } = await server.prisma.user.findFirstOrThrow()
    const { page } = await open(`#/row//User?id=${id}`)
    await page.getByRole('cell', { name: 'hidden (string)' }).first().waitFor()
    const main = page.locator('main')
    expect(await main.textContent()).not.toContain(email)
    expect(await main.getByRole('button').allTextContents()).toEqual(['Read again'])
  })

  it.each([
    ['light', 390],
    ['dark', 1440],
  ] as const)(
    'conforms to WCAG AA in every view, and fits the window: %s, %i px',
    async (colorScheme, width) => {
      const { id, fundraiserId, lot } = await firstLot()
      const place = JSON.stringify({ fundraiserId, lot })
      await readPlace(fundraiserId, lot)
      const { page, overflow, problems } = await open('', { colorScheme, width })
      for (const [address, text] of [
        ['#/', 'Figures by cache'],
        ['#/cache//AuctionItem', 'What the lookups of the cache find'],
        [rowAddress(id), 'The row, field by field'],
        [`#/entry//AuctionItem/place?${new URLSearchParams({ key: place })}`, 'would be answered'],
        ['#/event-loop', 'Event loops by process'],
        ['#/processes', 'Processes that answer'],
        ['#/results', 'No client keeps results'],
        ['#/nowhere', 'No view has this address.'],
      ] as const) {
        await page.goto(`${server.url}/inspector${address}`)
        await page.getByText(text).first().waitFor()
        expect([address, await overflow(), await accessibilityViolations(page)]).toEqual([address, 0, []])
      }
      await page.goto(`${server.url}/inspector#/cache//AuctionItem`)
      await page.getByRole('button', { name: 'Invalidate all rows' }).click()
      expect([await overflow(), await accessibilityViolations(page)]).toEqual([0, []])
      expect(problems).toEqual([])
    },
  )

  it('marks a process that differs, names what blocked its event loop, and lists it as silent when it hangs', async () => {
    const { page, problems } = await open()
    const pulse = page.locator('#pulse')
    expect(await pulse.textContent()).toBe('1 process')
    const child = startProcess()
    try {
      await Promise.race([once(child, 'message'), once(child, 'exit')])
      await pulse.getByText('2 processes').waitFor()
      const name = new RegExp(`differs: .*\\(pid ${child.pid}`)
      await page.locator('tr', { hasText: 'AuctionItem' }).getByText(name).waitFor()
      expect(await page.locator('tr', { hasText: 'Fundraiser' }).locator('.differs').count()).toBe(0)

      await page.getByRole('link', { name: 'Event loop', exact: true }).click()
      // Not the row of totals.
      const block = page.locator('tr:has(summary)', { hasText: HOSTILE }).first()
      await block.waitFor()
      await block.locator('summary').click()
      expect(await block.locator('pre').textContent()).toContain('inspected.process.mts')
      // It stays open while the figures go on.
      await nextReport(page)
      expect(await block.locator('pre').isVisible()).toBe(true)

      child.kill('SIGSTOP')
      await page.getByRole('link', { name: 'Processes' }).click()
      await page.locator('.notices', { hasText: `(pid ${child.pid}) is silent` }).waitFor()
      await pulse.getByText('1 process').waitFor()
    } finally {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    }
    expect(await page.title()).not.toBe('attacked')
    expect(problems).toEqual([])
  })

  it('says when nothing answers, and when another process answers afterwards', async () => {
    const { port, close } = await startBeside({ production: false })
    const proxy = await startServerProxy(port)
    const { page } = await open('', {}, `http://127.0.0.1:${proxy.port}`)
    try {
      await proxy.refuse()
      await page.getByRole('alert').getByText('The application does not answer.').waitFor()
      await close()
      proxy.target = Number(new URL(server.url).port)
      await proxy.accept()
      await page.locator('#result').getByText('Another process answers now').waitFor()
      expect(await page.getByRole('alert').textContent()).toBe('')
    } finally {
      await proxy.stop()
    }
  })

  it('finds rows of a cache again once a process answers that has it', async () => {
    const { page } = await open('#/cache//AuctionItem')
    const find = page.locator('main .find')
    await find.waitFor()
    await page.route('**/api/v1/caches', async (route) => {
      const report = await (await route.fetch()).json()
      await route.fulfill({ json: { ...report, caches: [] } })
    })
    await page.getByText('The process that answers has no cache "AuctionItem".').waitFor()
    expect(await find.isVisible()).toBe(false)
    await page.unrouteAll({ behavior: 'wait' })
    await find.waitFor()
  })

  it('says in plain words what a guard, a proxy or a busy application answers', async () => {
    const { page } = await open()
    for (const [answer, text] of [
      [{ status: 401, body: '' }, 'The application refuses access (401). Sign in, then reload this page.'],
      [{ status: 302, headers: { location: 'https://login.example/' } }, 'Something else than the inspector'],
      [{ status: 200, body: '<!doctype html>Sign in' }, 'Something else than the inspector answered.'],
      [{ status: 429, json: { error: { code: 'x', message: 'Sixteen requests are in work.' } } }, 'Sixteen'],
      [{ status: 503, body: 'upstream' }, 'The application cannot answer (503).'],
    ] as const) {
      await page.route('**/api/v1/**', (route) => route.fulfill(answer))
      await page.getByRole('alert').getByText(text).waitFor()
      await page.unrouteAll()
    }
    await page.locator('#pulse[data-state=healthy]').waitFor()
  })

  describe('in production', () => {
    const statuses = async (url: string, credentials?: string): Promise<number[]> => {
      const headers = credentials ? { authorization: `Basic ${btoa(credentials)}` } : undefined
      const responses = await Promise.all(
        ['', '/', '/assets/main.js', '/api/v1/caches'].map((path) =>
          fetch(`${url}/inspector${path}`, { ...(headers && { headers }) }),
        ),
      )
      return responses.map(({ status }) => status)
    }

    it('is closed without a password', async () => {
      const { url, close } = await startBeside({})
      expect(await statuses(url)).toEqual([403, 403, 403, 403])
      expect(await statuses(url, 'ann:undefined')).toEqual([403, 403, 403, 403])
      await close()
    })

    it('asks for the password, and names the user in the log of an action', async () => {
      const lines: string[] = []
      const { app, url, close } = await startBeside({ inspectorPassword: 'correct horse' })
      app.useLogger({ log: (line: string) => void lines.push(line), warn() {}, error() {} })
      expect(await statuses(url)).toEqual([401, 401, 401, 401])
      expect(await statuses(url, 'ann:wrong horse')).toEqual([401, 401, 401, 401])
      expect(await statuses(url, 'ann:correct horse')).toEqual([200, 200, 200, 200])
      const response = await fetch(`${url}/inspector/api/v1/invalidate?cache=AuctionItem&all=true`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('ann:correct horse')}`, 'x-model-cache-inspector': '1' },
      })
      expect(response.status).toBe(200)
      expect(lines).toContainEqual(
        expect.stringMatching(/"ann" invalidated all rows of ModelCache "AuctionItem"/),
      )
      await close()
    })
  })

  /** Starts a second application in this process, with the same database and namespace. */
  async function startBeside(changes: Partial<AppConfig>) {
    const app = await createApp({ ...server.config, production: true, metrics: new Registry(), ...changes })
    await app.listen(0, '127.0.0.1')
    const url = await app.getUrl()
    return { app, url, port: Number(new URL(url).port), close: () => app.close() }
  }

  function startProcess(): ChildProcess {
    return fork(join(import.meta.dirname, 'inspected.process.mts'), {
      env: {
        ...process.env,
        HOLDER: HOSTILE,
        LIBRARY: library,
        NAMESPACE: server.config.cacheNamespace,
        VALKEY_URL: valkeyUrl(),
      },
      execArgv: ['--no-warnings'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
  }
})

/** Resolves once the page has shown another report. */
async function nextReport(page: Page): Promise<void> {
  await page.waitForResponse((response) => response.url().endsWith('/api/v1/processes'))
  await page.waitForResponse((response) => response.url().endsWith('/api/v1/processes'))
}
