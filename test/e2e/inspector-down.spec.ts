import { patientMs } from '../support/patience.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'
import { type AuctionServer, startAuction } from './auction-server.js'
import { accessibilityViolations, useBrowser } from './page-visit.js'

describe('the inspector of the demo, when Valkey ends', () => {
  const { openPath } = useBrowser()
  let valkey: ValkeyServer
  let server: AuctionServer
  beforeAll(async () => {
    valkey = await startValkey()
    server = await startAuction({ production: false, valkey: { url: valkey.url, deadlineMs: patientMs } })
  })
  afterAll(async () => {
    await server?.close()
    await valkey?.stop()
  })

  it.each([
    [1440, 'light'],
    [390, 'dark'],
  ] as const)(
    'says at the top of every view what is wrong, what it means for users, and what to do: %i px, %s',
    async (width, colorScheme) => {
      const { overflow, page, problems } = await openPath(server.url, '/inspector', { width, colorScheme })
      const where = page.locator('#where')
      await where.getByText(valkey.url.replace(/^.*\/\//, '')).waitFor()
      expect(await where.textContent()).toContain(`Namespace ${server.config.cacheNamespace}`)
      await valkey.kill('SIGKILL').catch(() => {})
      // The next read notices it.
      const { data } = await server.graphql('{ fundraisers { id } }')
      expect(data.fundraisers).not.toEqual([])
      await page.locator('.bar[data-alarm]').waitFor()
      await page.locator('#alarm', { hasText: 'Valkey does not answer' }).waitFor()
      const [first] = await page.locator('.notices [data-kind=problem]').all()
      expect(await first!.locator('p').allTextContents()).toEqual([
        expect.stringMatching(/^Valkey at 127\.0\.0\.1:\d+ does not answer .*, since /),
        expect.stringMatching(/^For users: .*the database/),
        expect.stringMatching(/^What to do: Check that the server/),
      ])
      expect([await overflow(), await accessibilityViolations(page)]).toEqual([0, []])
      await page.getByRole('link', { name: 'Processes' }).click()
      await page.locator('#alarm', { hasText: 'Valkey does not answer' }).waitFor()
      expect(problems).toEqual([])
    },
  )
})
