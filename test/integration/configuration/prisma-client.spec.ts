import {
  ModelCacheModule,
  type ModelCacheModuleOptions,
  modelCaches,
  provideExtendedPrisma,
} from 'model-cache'
import { createModelCache, createPrismaSource, MemoryStore, schemaFactsOf } from 'model-cache/advanced'
import type { GuestUser, Prisma } from '#prisma/client/client.js'
import { useOpened } from '../../support/use-opened.js'
import { failureOf, guest, guests, openPrisma, ownOptions, warningsOf } from './application.js'

const define = (change: object) =>
  modelCaches().defineModelCache<GuestUser>()({ ...guest, ...change } as never)

const database = useOpened(openPrisma)

const imports = (change: Partial<ModelCacheModuleOptions>, definition: object = guests) => [
  ModelCacheModule.forRoot({ ...ownOptions(), ...change }),
  ModelCacheModule.forFeature([definition as typeof guests]),
]

describe('a mock of a Prisma client', () => {
  const derived = modelCaches<Prisma.TypeMap>().defineModelCache('GuestUser', { ttl: '1m' })
  class PrismaService {}
  const plain = { guestUser: { findUnique: () => Promise.resolve(null) } }
  // As those of jest-mock-extended and vitest-mock-extended: each property is a mock.
  const deep: object = new Proxy(() => deep, {
    get: (_, name) => (name === 'then' || typeof name === 'symbol' ? undefined : deep),
  })

  it.each([
    ['an object', plain],
    ['a deep mock', deep],
  ])('is refused with what a unit test needs instead: %s', async (_, mock) => {
    const error = await failureOf(imports({ prisma: PrismaService }, derived), [
      { provide: PrismaService, useValue: mock },
    ])
    expect(error).toMatchObject({ code: 'E_MISSING_PRISMA' })
    expect(error.message).toMatch(
      /PrismaService is not a Prisma client.* mock of a unit test, .* leave ModelCacheModule out .* createTestCache/,
    )
  })
})

describe('a client that reads from replicas', () => {
  // As `@prisma/extension-read-replicas`.
  const withReplicas = () =>
    database
      .another()
      .$extends({ client: { $primary: () => database.another(), $replica: () => database.another() } })
  const warning = expect.stringMatching(
    /load rows through a client that reads from replicas.*Set `consistency\.replicaLagMs` to the longest lag/,
  )

  it('causes a warning, unless the lag is set or the caches load below extensions', async () => {
    const names = define({ name: 'Names' })
    const loaded = define({ name: 'Loaded', load: () => [], dependsOn: [] })
    const of = (prisma: object, change = {}, definition: object = guests) => [
      ModelCacheModule.forRoot({ ...ownOptions(), writes: 'manual', prisma, ...change }),
      ModelCacheModule.forFeature([definition, names] as never),
    ]
    expect(await warningsOf(of(withReplicas()))).toEqual([warning])
    expect(await warningsOf(of(withReplicas(), {}, loaded))).toEqual([warning])
    expect(await warningsOf(of(withReplicas(), { consistency: { replicaLagMs: 500 } }))).toEqual([])
    expect(await warningsOf(of(database.another()))).toEqual([])
    const answering = [provideExtendedPrisma('PRISMA', withReplicas, [], { reads: 'all' })]
    expect(await warningsOf(of('PRISMA' as never), answering)).toEqual([])
  })

  it('causes the same warning without Nest', async () => {
    const prisma = withReplicas()
    const warned: string[] = []
    const { model, name } = guests
    createModelCache(guests, {
      store: new MemoryStore(),
      facts: schemaFactsOf(prisma),
      source: createPrismaSource(prisma, { name, model, idFields: ['id'] }),
      warn: (message) => void warned.push(message),
    })
    expect(warned).toEqual([warning])
  })
})
