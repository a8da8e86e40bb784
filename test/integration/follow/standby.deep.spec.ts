import { Test } from '@nestjs/testing'
import { ModelCacheModule } from 'model-cache'
import { followElsewhere } from '@model-cache/follow'
import { ModelCacheInspectorModule } from '@model-cache/inspector'
import type { Browser } from 'playwright-core'
import { accessibilityViolations, openPath } from '../../e2e/page-visit.js'
import { launchChromium } from '../../support/chromium.js'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { diagnose, faultsIn } from '../doctor/command-line.js'
import { beginTransaction } from './follow-worlds.js'
import { openPosts, primaryOf, removeCatalogueRows, useRegions } from './regions.js'
import { freshSlot } from './slots.js'

const openRegion = useRegions()

it('says what to run on the primary if it may not do so itself', async () => {
  const region = await openRegion()
  const { rename, title } = await openPosts(region)
  const { follower, warnings } = await region.follow({ standsBy: true })
  // No slot is created before it has ended, whenever the primary writes which transactions run.
  const before = await beginTransaction(region)
  const statement = /Run this on the primary.*: (CREATE PUBLICATION .*;)/
  await eventually(() => warnings.some((warning) => statement.test(warning)))
  await region.sql.query(warnings.map((warning) => statement.exec(warning)?.[1]).find(Boolean)!)
  await eventually(() => warnings.some((warning) => warning.includes('SELECT pg_log_standby_snapshot();')))
  expect(follower.report?.state).toBe('opening')
  await before.commit()
  await eventually(async () => {
    await region.sql.query('SELECT pg_log_standby_snapshot()')
    return follower.report?.state === 'following'
  })
  await title()
  await rename('by hand')
  await eventuallyEqual(title, 'by hand')
})

it('empties the caches when the standby has given up its slot, says why, and creates it again', async () => {
  const region = await openRegion()
  const { epoch, rename, title } = await openPosts(region)
  const slot = freshSlot()
  const options = { slot: slot.name, ...primaryOf(region) }
  const first = await region.follow(options)
  await first.stop()
  const second = await region.follow(options)
  await second.stop()
  await title()
  const before = await epoch()
  await removeCatalogueRows(region)
  const found = ['--database', region.standbyUrl, '--valkey', region.valkey.url, '--follow']
  expect(faultsIn(await diagnose([...found, '--namespace', region.namespace]))).toEqual(
    expect.arrayContaining(['warning postgres.slot-conflict', 'warning postgres.standby-feedback']),
  )
  await rename('while nobody followed')
  const third = await region.follow(options)
  expect(third.warnings).toContainEqual(
    expect.stringContaining('the primary has removed rows of its catalogue'),
  )
  expect(await epoch()).not.toBe(before)
  await region.untilReplayed()
  expect(await title()).toBe('while nobody followed')
  await third.stop()
  await slot.drop({ sql: region.standbySql })
})

describe('the inspector of processes beside a standby', () => {
  let browser: Browser
  // Includes the download of Chromium on the first run.
  beforeAll(async () => {
    browser = await launchChromium()
  }, 120_000)
  afterAll(() => browser?.close())

  it.each([1440, 390])('says that it is followed, and how far it is behind: %i px', async (width) => {
    const region = await openRegion()
    await openPosts(region)
    const { namespace, valkey } = region
    const testing = await Test.createTestingModule({
      imports: [
        ModelCacheModule.forRoot({
          namespace,
          valkey: { url: valkey.url, deadlineMs: patientMs },
          follow: followElsewhere(),
        }),
        ModelCacheInspectorModule.forRoot(),
      ],
    }).compile()
    const app = testing.createNestApplication()
    await app.listen(0, '127.0.0.1')
    await region.follow(primaryOf(region))
    await region.wire.refuse()
    await region.sql.query(`UPDATE "Post" SET title = 'behind a wire that was cut' WHERE id = 1`)
    const visit = await openPath(browser, await app.getUrl(), '/inspector#/processes', { width })
    const { close, overflow, page, problems } = visit
    const cell = page.getByText('writes outside Prisma are followed')
    const isBehind = /followed, [\d.]+ m?s behind; from a standby, \d.* s behind its primary$/
    await eventually(async () => isBehind.test((await cell.textContent())!))
    expect(await accessibilityViolations(page)).toEqual([])
    expect(await overflow()).toBe(0)
    expect(problems).toEqual([])
    await region.wire.accept()
    await close()
    await app.close()
  })
})
