import { randomUUID } from 'node:crypto'
import {
  extendPrisma,
  ModelCacheModule,
  modelCaches,
  ModelCacheWrites,
  provideExtendedPrisma,
} from 'model-cache'
import { ValkeyStore } from 'model-cache/advanced'
import type { Prisma, PrismaClient } from '#prisma/client/client.js'
import { eventually } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { valkeyUrl } from '../../support/servers.js'
import { openPrisma, ownOptions, start, type Started, warningsOf } from './application.js'

const users = modelCaches<Prisma.TypeMap>().defineModelCache('GuestUser', {
  select: { id: true, name: true },
  ttl: '10m',
})

let a: Awaited<ReturnType<typeof openPrisma>>
let b: Awaited<ReturnType<typeof openPrisma>>
let reader: Started
const options = ownOptions()
const close: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  ;[a, b] = await Promise.all([openPrisma(), openPrisma()])
  reader = await start([
    ModelCacheModule.forRoot({ ...options, prisma: a.prisma, writes: 'manual' }),
    ModelCacheModule.forFeature([users]),
  ])
})
afterAll(async () => {
  await reader.app.close()
  await Promise.all([a.close(), b.close()])
})
afterEach(() => Promise.all(close.splice(0).map((end) => end())))

/** A worker, which has no caches. */
async function worker(client: PrismaClient, namespace: string) {
  const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
  await store.connect()
  const warned: string[] = []
  const writes = new ModelCacheWrites({ store, namespace, warn: (message) => void warned.push(message) })
  close.push(async () => {
    await client.$disconnect()
    await writes.close()
    await store.close()
  })
  const prisma = extendPrisma(client, writes)
  const write = () => prisma.guestUser.create({ data: { name: 'x', email: 'x' } })
  return { prisma, warned, write }
}

describe('a process that only writes', () => {
  it('warns once of a namespace without caches, and names those that the store has', async () => {
    const namespace = `wrong-${randomUUID()}`
    const { warned, write } = await worker(a.another(), namespace)
    await write()
    await write()
    await eventually(() => warned.length > 0)
    await write()
    expect(warned).toHaveLength(1)
    expect(warned[0]).toMatch(
      `ModelCache: namespace "${namespace}" has no caches, so the writes of this process invalidate nothing. The store has caches in `,
    )
    expect(warned[0]).toContain(`"${options.namespace}"`)
    expect(warned[0]).toContain('give this process the `namespace` of its caches')
  })

  it('warns of caches that have rows of another database', async () => {
    const { warned, write } = await worker(b.another(), options.namespace)
    await write()
    await eventually(() => warned.length > 0)
    expect(warned).toEqual([
      expect.stringMatching(
        /^ModelCache: this process writes to database "test_.*, while the caches of namespace .* have rows of database "test_.*Give it the `namespace`/,
      ),
    ])
  })

  it('says nothing in the namespace of its caches', async () => {
    const { warned, write } = await worker(a.another(), options.namespace)
    const other = await worker(b.another(), options.namespace)
    await write()
    await other.write()
    // It looks as long as the other one.
    await eventually(() => other.warned.length > 0)
    expect(warned).toEqual([])
  })
})

describe('a second client that is not extended', () => {
  const warnings = (provided: () => object, change: object = {}) =>
    warningsOf(
      [
        ModelCacheModule.forRoot({ ...ownOptions(), prisma: 'PRISMA', ...change }),
        ModelCacheModule.forFeature([users]),
      ],
      [
        provideExtendedPrisma('PRISMA', () => a.another()),
        { provide: 'PLAIN', useFactory: provided },
        { provide: 'ALIAS', useExisting: 'PLAIN' },
      ],
    )

  it('is warned of once at the start', async () => {
    expect(await warnings(() => a.another())).toEqual([
      expect.stringMatching(
        /^The Prisma client PLAIN of RootTestModule is not extended, and has the same schema.* provideExtendedPrisma/,
      ),
    ])
  })

  it('is not warned of if it has another database, or is a proxy that cannot be looked at', async () => {
    const get = (_: object, name: string | symbol): void => {
      if (String(name).startsWith('_')) throw new Error('there is no context')
    }
    const closed = new Proxy({}, { get })
    expect(await warnings(() => b.another())).toEqual([])
    expect(await warnings(() => closed)).toEqual([])
  })
})

describe('the start of an application', () => {
  it('warns once of a database on which no test has run', async () => {
    const client = b.another()
    Object.assign(client, { _activeProvider: 'cockroachdb' })
    const warned = await warningsOf(
      [ModelCacheModule.forRoot({ ...ownOptions(), prisma: 'PRISMA' }), ModelCacheModule.forFeature([users])],
      [provideExtendedPrisma('PRISMA', () => client)],
    )
    await client.$disconnect()
    expect(warned.filter((warning) => warning.includes('"cockroachdb"'))).toEqual([
      expect.stringMatching(/^No test of model-cache has run on databases of the provider "cockroachdb"/),
    ])
  })
})
