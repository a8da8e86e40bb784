import { type } from 'arktype'
import { ModelCacheModule, modelCaches, provideExtendedPrisma } from 'model-cache'
import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import {
  type InspectedApplication,
  useInspectedApplications,
} from '../integration/inspector/inspected-application.js'
import { accessibilityViolations, useBrowser, type Visit, type VisitOptions } from './page-visit.js'

const world = useInspectedApplications()
const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const users = defineModelCache('User', { ttl: '1m', omit: { email: true } })
const lots = defineModelCache('AuctionItem', {
  ttl: '1m',
  refine: { images: type({ image: 'string' }).array() },
})
const token = Symbol('prisma')

describe('the queries of an application in its inspector', () => {
  const { openPath } = useBrowser()
  let app: InspectedApplication
  const open = async (address: string, options?: VisitOptions): Promise<Visit> => {
    const opened = await openPath(app.url, `/inspector${address}`, options)
    await opened.page.locator('#pulse[data-state=healthy]').waitFor()
    return opened
  }

  beforeAll(async () => {
    const prisma = provideExtendedPrisma<object>(token as never, () => world.connect(), [], { reads: 'all' })
    app = await world.start({
      options: { prisma: token as never },
      imports: [
        ModelCacheModule.forFeature([users, lots]),
        { module: class Database {}, global: true, providers: [prisma], exports: [token] },
      ],
    })
    const client = app.app.get<PrismaClient>(token)
    await client.guestUser.findUnique({ where: { id: 'a' } })
    await client.guestUser.findMany({ where: { email: 'ada@example.org' } })
    await client.guestUser.aggregate({ _count: true })
    await client.user.findUnique({ where: { id: 'a' } })
    await client.user.findUnique({ where: { id: 'b' } })
  })

  it('says which part the database answered, and why, and sorts caches by it', async () => {
    const { page, problems } = await open('#/')
    const cellsOf = (cache: string) => page.locator('tr', { hasText: cache }).locator('td')
    await page.locator('td', { hasText: '67 % condition' }).waitFor()
    expect((await cellsOf('GuestUser').allTextContents()).slice(1, 3)).toEqual(['0 %', '67 % condition'])
    expect(
      await page
        .locator('tr', { has: page.getByRole('link', { name: 'User', exact: true }) })
        .locator('td')
        .nth(2)
        .textContent(),
    ).toBe('100 % fields')
    await page.getByRole('button', { name: 'Queries bypassed' }).click()
    expect(await page.locator('tbody th').allTextContents()).toEqual(['User', 'GuestUser', 'AuctionItem'])
    expect(problems).toEqual([])
  })

  it('names the models whose queries can never be cached under what needs attention', async () => {
    const { page } = await open('#/')
    const notices = page.locator('.notices li')
    await notices.first().waitFor()
    const texts = await notices.allTextContents()
    expect(texts).toContainEqual(
      'User answers no query without select: its rows do not have email (omit, or not selected). The database answers every such ' +
        'query. So far 2 have.',
    )
    expect(texts).toContainEqual(
      'AuctionItem answers no query without select: its rows have only the named keys of images (refine). The database answers every ' +
        'such query.',
    )
    await notices.filter({ hasText: 'User answers' }).getByRole('link').click()
    await page.locator('h1', { hasText: 'User' }).waitFor()
    await page
      .getByText('The database answers every query without select: its rows do not have email')
      .waitFor()
  })

  it.each([390, 1440])('lists the reasons with their meaning: %i px', async (width) => {
    const { page, overflow } = await open('#/cache//GuestUser', { width })
    const table = page.locator('table', { hasText: 'Queries by what became of them' })
    await table.waitFor()
    expect(await table.locator('tbody th').allTextContents()).toEqual(['answered', 'condition', 'operation'])
    expect(await table.locator('tbody tr').nth(2).locator('td').allTextContents()).toEqual([
      '1',
      '33 %',
      'It was an aggregate or a groupBy.',
    ])
    expect([await overflow(), await accessibilityViolations(page)]).toEqual([0, []])
  })

  it('says how many queries it leaves out of a table', async () => {
    const client = app.app.get<PrismaClient>(token)
    const operators = ['contains', 'startsWith', 'endsWith', 'not', 'gt', 'gte', 'lt', 'lte']
    for (const field of ['name', 'description', 'category'])
      for (const operator of operators)
        await client.auctionItem.findMany({ where: { [field]: { [operator]: 'x' } } })
    const { page } = await open('#/cache//AuctionItem')
    const table = page.locator('table', { hasText: 'why no cache answered them: 20 of 24' })
    await table.waitFor()
    expect(await table.locator('tbody tr').count()).toBe(20)
  })
})
