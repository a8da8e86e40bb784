import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { jest } from '@jest/globals'
import { Inject, Injectable } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import {
  ModelCacheModule,
  type ModelCacheModuleOptions,
  modelCaches,
  provideExtendedPrisma,
} from 'model-cache'
import type { GuestUser, PrismaClient } from '#prisma/client/client.js'
import {
  failureOf,
  guest,
  guests,
  openPrisma,
  ownOptions,
  RecordingLogger,
  start,
  untilStored,
} from './application.js'

const define = (change: object) =>
  modelCaches().defineModelCache<GuestUser>()({ ...guest, ...change } as never)

let prisma: PrismaClient
let another: () => PrismaClient
let close: () => Promise<void>
beforeAll(async () => {
  ;({ prisma, another, close } = await openPrisma())
})
afterAll(() => close())

const imports = (change: Partial<ModelCacheModuleOptions> = {}, definition: object = guests) => [
  ModelCacheModule.forRoot({ ...ownOptions(), prisma, ...change }),
  ModelCacheModule.forFeature([definition as typeof guests]),
]

describe('provideExtendedPrisma', () => {
  it('provides a client whose writes invalidate the caches', async () => {
    abstract class PrismaService {}
    const made: unknown[] = []
    const { app, cache, logger } = await start(imports({ prisma: PrismaService as never }), [
      { provide: 'url', useValue: 'postgresql://' },
      provideExtendedPrisma<PrismaClient>(
        PrismaService as never,
        async (url: string) => {
          made.push(url)
          return another()
        },
        ['url'],
      ),
    ])
    expect(made).toEqual(['postgresql://'])
    expect(logger.warned).toEqual([])
    const client = app.get<PrismaClient>(PrismaService as never)
    const { id } = await client.guestUser.create({ data: { name: 'old', email: '' } })
    await untilStored(cache(guests), id)
    await client.guestUser.update({ where: { id }, data: { name: 'new' } })
    expect(await cache(guests).get(id)).toMatchObject({ name: 'new' })
    await app.close()
  })
})

describe('a write before the caches are initialised', () => {
  const strict = { prisma: 'PRISMA', consistency: { mode: 'strict' } } as const
  const changeName = (client: PrismaClient) =>
    client.guestUser.updateMany({ where: { email: 'early' }, data: { name: 'x' } })

  it('connects the store, and is fenced', async () => {
    const writes: Promise<unknown>[] = []
    @Injectable()
    class Early {
      constructor(@Inject('PRISMA') client: PrismaClient) {
        // Prisma sends a query when it is awaited.
        writes.push(Promise.resolve(changeName(client)))
      }
    }
    const { app, logger } = await start(imports(strict), [provideExtendedPrisma('PRISMA', another), Early])
    await expect(writes[0]).resolves.toEqual({ count: 0 })
    await app.close()
    expect(logger.warned).toEqual([])
  })

  it('is fenced in a context that is closed without having been initialised, as one that only reads the configuration', async () => {
    const { namespace } = ownOptions()
    const providers = [provideExtendedPrisma('PRISMA', another)]
    const other = await start(imports({ ...strict, namespace }), providers)
    const logger = new RecordingLogger()
    const module = Test.createTestingModule({ imports: imports({ ...strict, namespace }), providers })
    const app = await module.setLogger(logger).compile()
    await expect(changeName(app.get('PRISMA'))).resolves.toEqual({ count: 0 })
    await app.close()
    await other.app.close()
    expect(logger.warned).toEqual([])
  })

  it('names the model and the reason if the store cannot be reached', async () => {
    const logger = new RecordingLogger()
    const valkey = { url: 'valkey://127.0.0.1:1' }
    const providers = [provideExtendedPrisma('PRISMA', another)]
    const module = Test.createTestingModule({ imports: imports({ prisma: 'PRISMA', valkey }), providers })
    const app = await module.setLogger(logger).compile()
    await changeName(app.get('PRISMA'))
    await app.close()
    const reason = 'there is no connection. The last error: connect ECONNREFUSED 127.0.0.1:1'
    expect(logger.warned.filter((line) => line.includes('catalogue'))).toEqual([
      expect.stringMatching(new RegExp(`its writes to GuestUser affect.* ${reason}$`)),
      expect.stringMatching(new RegExp(`which the writes to GuestUser needed.* ${reason}$`)),
    ])
  })
})

describe('two roots', () => {
  it('of one name, or of one namespace, stop the start', async () => {
    const root = (change: Partial<ModelCacheModuleOptions> & { name?: string }) =>
      ModelCacheModule.forRoot({ ...ownOptions(), prisma, ...change })
    const messageOf = async (...roots: ReturnType<typeof root>[]) =>
      (await failureOf([ModelCacheModule.forFeature([guests]), ...roots])).message
    expect(await messageOf(root({}), root({}))).toMatch(/two roots without a name\. Import .* once/)
    const billing = { name: 'billing' }
    expect(await messageOf(root({}), root(billing), root(billing))).toContain('two roots named "billing"')
    const { namespace } = ownOptions()
    expect(await messageOf(root({ namespace }), root({ ...billing, namespace }))).toContain(
      'two roots have the namespace',
    )
  })

  it('stop the start before any root has connected', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.destroy()
    }).listen(0)
    await once(server, 'listening')
    const valkey = { url: `valkey://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const billing = ModelCacheModule.forRoot({ ...ownOptions(), valkey, prisma, name: 'billing' })
    const twice = ModelCacheModule.forRoot({ ...ownOptions(), valkey, prisma, name: 'billing' })
    await failureOf([...imports({ valkey }), billing, twice])
    server.close()
    expect(connections).toBe(0)
  })
})

describe('a start that fails', () => {
  afterEach(() => jest.restoreAllMocks())

  it('leaves nothing behind that would connect later', async () => {
    const begun = jest.spyOn(globalThis, 'setInterval')
    const ended = jest.spyOn(globalThis, 'clearInterval')
    const unknown = ModelCacheModule.forFeature([define({ name: 'Unknown', model: 'Nobody' })])
    expect((await failureOf([...imports({}), unknown])).message).toContain('Nobody')
    const timers = new Set<unknown>(begun.mock.results.map(({ value }) => value))
    for (const [timer] of ended.mock.calls) timers.delete(timer)
    expect(timers.size).toBe(0)
  })
})
