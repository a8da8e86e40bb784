import { type } from 'arktype'
import { type ModelCache, ModelCacheModule, type ModelCacheModuleOptions, modelCaches } from 'model-cache'
import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import { eventually } from '../../support/eventually.js'
import { createClientOfText } from '../writes/client-of-text.js'
import { failureOf, openPrisma, ownOptions, start } from './application.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
// eslint-disable-next-line typescript/no-explicit-any -- any model, and any options, as JavaScript would give them
const defineAny = modelCaches<any>().defineModelCache as (model: string, options: object) => typeof users
const users = defineModelCache('User', { ttl: '1m' })

let prisma: PrismaClient
let url: string
let close: () => Promise<void>
beforeAll(async () => {
  ;({ prisma, url, close } = await openPrisma())
  await seedDemo(prisma)
})
afterAll(() => close())

const imports = (definitions: readonly (typeof users)[], options: Partial<ModelCacheModuleOptions> = {}) => [
  ModelCacheModule.forRoot({ ...ownOptions(), prisma, writes: 'manual', ...options }),
  ModelCacheModule.forFeature(definitions),
]

describe('derived definitions', () => {
  it('give the rows of Prisma, from the database and from the store', async () => {
    const models = [
      'GuestUser',
      'User',
      'Item',
      'AuctionItem',
      'AuctionBid',
      'PaddleTipConfig',
      'GivingLevel',
      'SponsorBundle',
      'Sponsor',
      'Fundraiser',
      'FeatureFlags',
    ]
    const definitions = models.map((model) => defineAny(model, { ttl: '1m' }))
    const { app, cache } = await start(imports(definitions))
    for (const [i, model] of models.entries()) {
      const delegate = prisma[(model.charAt(0).toLowerCase() + model.slice(1)) as 'user']
      const rows = await delegate.findMany({ take: 50, orderBy: { id: 'asc' } })
      const ids = rows.map(({ id }) => id)
      const rowCache = cache(definitions[i]!) as ModelCache<(typeof rows)[number], string>
      expect(rows.length).toBeGreaterThan(0)
      await eventually(async () => {
        await rowCache.getMany(ids)
        return (await rowCache.explain(ids.at(-1)!)).stored.isHit
      })
      const stored = await rowCache.getMany(ids)
      expect(stored).toStrictEqual(rows)
      expect(stored.map((row) => Object.keys(row!))).toEqual(rows.map((row) => Object.keys(row)))
    }
    await app.close()
  })

  it('give rows with relations and counts', async () => {
    const bundles = defineModelCache('SponsorBundle', {
      include: { sponsors: { orderBy: { sortOrder: 'asc' } }, _count: true },
      ttl: '1m',
      dependsOn: ['Sponsor'],
    })
    const { app, cache } = await start(imports([bundles as never]))
    const row = await prisma.sponsorBundle.findFirstOrThrow({
      include: { sponsors: { orderBy: { sortOrder: 'asc' } }, _count: true },
    })
    expect(row.sponsors.length).toBeGreaterThan(0)
    expect(await cache(bundles).get(row.id)).toStrictEqual(row)
    expect(await cache(bundles).get(row.id)).toStrictEqual(row)
    await app.close()
  })

  it("leave out what the client's omit and the Prisma schema omit, and warn that the types do not know the latter", async () => {
    const text =
      'model GuestUser {\n id String @id\n name String\n email String /// @cache(omit)\n createdAt DateTime\n}'
    const client = createClientOfText(url, text)
    const { id } = await prisma.guestUser.findFirstOrThrow()
    const guests = defineModelCache('GuestUser', { ttl: '1m' })
    const { app, cache, logger } = await start(imports([guests as never], { prisma: client }))
    expect(Object.keys((await cache(guests).get(id))!)).toEqual(['id', 'name', 'createdAt'])
    expect(logger.warned).toEqual([
      expect.stringMatching(/"GuestUser".*keeps email out.*Add `omit: \{ email: true \}`/),
    ])
    await app.close()
    await client.$disconnect()
  })
})

it.each([
  ['', 'email', { schema: type({ id: 'string', email: 'string' }) }],
  [
    ' of a relation',
    'item.email',
    {
      schema: type({ id: 'string', item: { email: 'string' } }),
      select: { id: true, item: { select: { email: true } } },
    },
  ],
])(
  'a schema by hand with a field%s that the Prisma schema keeps out stops the start',
  async (_, field, options) => {
    const text =
      'model Item {\n id String @id\n email String /// @cache(omit)\n itemId String\n item Item @relation("up", fields: [itemId], references: [id])\n items Item[] @relation("up")\n}'
    const client = createClientOfText(url, text)
    const items = defineAny('Item', { ttl: '1m', dependsOn: ['Item'], ...options })
    expect((await failureOf(imports([items], { prisma: client }))).message).toContain(
      `its schema has "${field}", which is marked \`/// @cache(omit)\` in the Prisma schema`,
    )
    await client.$disconnect()
  },
)

it.each([
  ['`select`', { select: { firstName: true, email: true } }, '`select` leaves it out; add it'],
  [
    '`omit`',
    { omit: { id: true } },
    '`omit` leaves it out; remove it from `omit`, or choose another unique key',
  ],
])('a derived definition without its id by %s stops the start', async (_, options, remedy) => {
  const { message } = await failureOf(imports([defineAny('User', { ttl: '1m', ...options })]))
  expect(message).toContain(`its rows lack "id", by which they are stored and found: ${remedy}`)
})
