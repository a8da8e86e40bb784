import { ModelCacheModule, provideExtendedPrisma } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'
import {
  type InspectedApplication,
  useInspectedApplications,
} from '../integration/inspector/inspected-application.js'
import { eventually } from '../support/eventually.js'
import { accessibilityViolations, useBrowser, type Visit, type VisitOptions } from './page-visit.js'

const world = useInspectedApplications()
const token = Symbol('prisma')

describe('the results of queries in the inspector', () => {
  const { openPath } = useBrowser()
  let app: InspectedApplication
  let client: PrismaClient
  const open = async (options?: VisitOptions): Promise<Visit> => {
    const opened = await openPath(app.url, '/inspector', options)
    await opened.page.getByRole('link', { name: 'Results of queries' }).click()
    await opened.page.locator('table', { hasText: 'Results by the models that they read' }).waitFor()
    return opened
  }

  beforeAll(async () => {
    const prisma = provideExtendedPrisma<object>(token as never, () => world.connect(), [], {
      reads: { results: { GuestUser: '1h', User: '1h' } },
    })
    app = await world.start({
      options: { prisma: token as never, consistency: { fenceMs: 1_000 } },
      imports: [
        ModelCacheModule.forFeature([]),
        { module: class Database {}, global: true, providers: [prisma], exports: [token] },
      ],
    })
    client = app.app.get<PrismaClient>(token)
  })

  const kept = async () => {
    const { json } = await app.get('/inspector/api/v1/queries')
    const { kept: models, models: counted } = json.roots[0]
    return { models, counted: counted.flatMap((each: { results?: object[] }) => each.results ?? []) }
  }

  it('says nothing where no query has been answered', async () => {
    const { page } = await open()
    await page.getByText('No query has been answered by a result yet.').waitFor()
    expect(await kept()).toEqual({ models: ['GuestUser', 'User'], counted: [] })
  })

  it.each([390, 1440])('counts them by model and by query, without values: %i px', async (width) => {
    const before = (await kept()).counted[0]?.count ?? 0
    await eventually(async () => {
      for (const name of ['a', 'b'])
        await client.guestUser.findMany({ where: { name: { contains: name } }, orderBy: { name: 'asc' } })
      const [{ count, loads }] = (await kept()).counted
      return count - before >= 2 && count > loads
    })
    await client.guestUser.updateMany({ data: { name: 'Ada' } })
    const { page, overflow, problems } = await open({ width })
    const models = page.locator('table', { hasText: 'Results by the models that they read' })
    expect(await models.locator('tbody th').allTextContents()).toEqual(['GuestUser', 'User'])
    const queries = page.locator('table', { hasText: 'Queries without values' })
    expect(await queries.locator('tbody th').allTextContents()).toEqual([
      "GuestUser.findMany({ where: { name: { contains: ? } }, orderBy: { name: 'asc' } })",
    ])
    const cells = await queries.locator('tbody td').allTextContents()
    expect(cells).toEqual([
      expect.stringMatching(/^\d+$/),
      expect.stringMatching(/^\d+(\.\d)? %$/),
      expect.stringMatching(/^\d+$/),
      '0',
      expect.stringMatching(/ ago$/),
      expect.stringMatching(/ B$/),
      expect.stringMatching(/^GuestUser, .+ ago$/),
    ])
    expect([await overflow(), await accessibilityViolations(page), problems]).toEqual([0, [], []])
  })
})
