import { type } from 'arktype'
import { ModelCacheModule, modelCaches, provideExtendedPrisma } from 'model-cache'
import { Registry } from 'prom-client'
import type { PrismaClient } from '#prisma/client/client.js'
import { seedDemo } from '#prisma/demo/seed-demo.js'
import { openPrisma, ownOptions, start, type Started, untilStored } from './application.js'

const { defineModelCache } = modelCaches()

interface Bundle {
  id: string
  name: string
  sponsors: { id: string; name: string }[]
}
const BundleRow = type({
  id: 'string',
  name: 'string',
  sponsors: type({ id: 'string', name: 'string' }).array(),
})
const sponsors = { select: { id: true, name: true }, orderBy: { id: 'asc' } } as const
const bundle = {
  model: 'SponsorBundle',
  schema: BundleRow,
  select: { id: true, name: true, sponsors },
  id: 'id',
  ttl: '10m',
} as const
const bundles = defineModelCache<Bundle>()({ ...bundle, dependsOn: ['Sponsor'] })
const patientBundles = defineModelCache<Bundle>()({ ...bundle, name: 'PatientBundle', dependsOn: 'ttl' })

interface BundleNames {
  id: string
  names: string[]
}
const loadedBundles = defineModelCache<BundleNames>()({
  name: 'LoadedBundle',
  model: 'SponsorBundle',
  schema: type({ id: 'string', names: 'string[]' }),
  id: 'id',
  ttl: '10m',
  dependsOn: ['Sponsor'],
  load: async (client: PrismaClient, ids: readonly string[]) => {
    const rows = await client.sponsorBundle.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, sponsors: { select: { name: true }, orderBy: { id: 'asc' } } },
    })
    return rows.map(({ id, sponsors }) => ({ id, names: sponsors.map(({ name }) => name) }))
  },
})

interface SponsorName {
  id: string
  name: string
}
const sponsorNames = defineModelCache<SponsorName>()({
  model: 'Sponsor',
  schema: type({ id: 'string', name: 'string' }),
  id: 'id',
  ttl: '10m',
})

let plain: PrismaClient
let another: () => PrismaClient
let prisma: PrismaClient
let close: () => Promise<void>
let started: Started
let bundleId: string
let registry: Registry

beforeAll(async () => {
  ;({ prisma: plain, another, close } = await openPrisma())
  await seedDemo(plain)
  bundleId = (await plain.sponsorBundle.findFirstOrThrow({ where: { sponsors: { some: {} } } })).id
})
afterAll(() => close())

const startWith = async (definitions: readonly AnyDefinition[]): Promise<void> => {
  registry = new Registry()
  started = await start(
    [
      ModelCacheModule.forRoot({ ...ownOptions(), registry, prisma: 'Prisma' }),
      ModelCacheModule.forFeature(definitions),
    ],
    [provideExtendedPrisma<PrismaClient>('Prisma', another)],
  )
  prisma = started.app.get('Prisma')
}
type AnyDefinition = Extract<Parameters<typeof ModelCacheModule.forFeature>[0], readonly unknown[]>[number]

const row = (name: string) => ({
  bundleId,
  name,
  logoUrl: '',
  pledged: 1,
  pledgedAt: new Date(0),
  sortOrder: 1,
})

const fresh = () => plain.sponsorBundle.findUniqueOrThrow({ where: { id: bundleId }, select: bundle.select })

const takeSponsorAway = async () => {
  const sponsor = await plain.sponsor.findFirstOrThrow({ where: { bundleId } })
  const other = await plain.sponsorBundle.findFirstOrThrow({ where: { id: { not: bundleId } } })
  await prisma.sponsorBundle.update({
    where: { id: other.id },
    data: { sponsors: { connect: { id: sponsor.id } } },
  })
}

/** So that a write is what takes the row out. */
const stored = (definition: typeof bundles | typeof patientBundles): Promise<void> =>
  untilStored(started.cache(definition), bundleId)

describe.each([
  ['has a cache of its own', [sponsorNames]],
  ['has no cache of its own', []],
])('a cache that depends on a model that %s', (_, others) => {
  beforeAll(() => startWith([bundles, patientBundles, loadedBundles, ...others]))
  afterAll(() => started.app.close())

  it.each<[string, () => Promise<unknown>]>([
    ['create', () => prisma.sponsor.create({ data: { id: 'one', ...row('one') } })],
    ['updateMany', () => prisma.sponsor.updateMany({ where: { name: 'one' }, data: { name: 'all' } })],
    ['deleteMany', () => prisma.sponsor.deleteMany({ where: { id: 'one' } })],
    [
      'a transaction',
      () => prisma.$transaction(async (tx) => tx.sponsor.updateMany({ data: { name: 'in a transaction' } })),
    ],
    ['a nested write that takes a row away', takeSponsorAway],
  ])('gives fresh rows after %s', async (_name, write) => {
    await stored(bundles)
    await write()
    expect(await started.cache(bundles).get(bundleId)).toStrictEqual(await fresh())
    const { sponsors: written } = await fresh()
    expect((await started.cache(loadedBundles).get(bundleId))!.names).toStrictEqual(
      written.map(({ name }) => name),
    )
  })

  it('ignores writes to models that it does not depend on', async () => {
    await stored(bundles)
    await prisma.guestUser.create({ data: { name: 'guest', email: '' } })
    expect((await started.cache(bundles).explain(bundleId)).stored.isHit).toBe(true)
  })

  it('keeps other rows of that model in a cache of their own', async () => {
    if (others.length === 0) return
    const [first, second] = await plain.sponsor.findMany({ take: 2, orderBy: { id: 'asc' } })
    const cache = started.cache(sponsorNames)
    await cache.getMany([first!.id, second!.id])
    await untilStored(cache, second!.id)
    await prisma.sponsor.update({ where: { id: first!.id }, data: { name: 'changed' } })
    expect((await cache.explain(second!.id)).stored.isHit).toBe(true)
    expect(await cache.get(first!.id)).toStrictEqual({ id: first!.id, name: 'changed' })
  })

  it('counts the writes that invalidated it', async () => {
    const count = async () =>
      /unknown_writes_total\{model="SponsorBundle",reason="dependency"\} (\d+)/.exec(
        await registry.metrics(),
      )?.[1]
    const before = Number(await count())
    await prisma.sponsor.updateMany({ data: { name: 'counted' } })
    expect(Number(await count())).toBe(before + 1)
  })

  it("with 'ttl' keeps rows whose related data was written", async () => {
    await stored(patientBundles)
    const before = await started.cache(patientBundles).get(bundleId)
    await prisma.sponsor.updateMany({ data: { name: 'seen later' } })
    expect(await started.cache(patientBundles).get(bundleId)).toStrictEqual(before)
  })
})
