import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { jest } from '@jest/globals'
import { Inject, Injectable, Module, Scope } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { type } from 'arktype'
import {
  extendPrisma,
  ModelCacheModule,
  type ModelCacheModuleOptions,
  modelCaches,
  ModelCacheWrites,
  provideExtendedPrisma,
} from 'model-cache'
import type { GuestUser, PrismaClient } from '#prisma/client/client.js'
import { eventually } from '../../support/eventually.js'
import { failureOf, openPrisma, ownOptions, RecordingLogger, start, warningsOf } from './application.js'

const { defineModelCache } = modelCaches()

const GuestRow = type({ id: 'string', name: 'string', email: 'string', createdAt: 'Date' })
const guest = { model: 'GuestUser', schema: GuestRow, id: 'id', ttl: '1m' } as const
const guests = defineModelCache<GuestUser>()(guest)
const define = (change: object) => defineModelCache<GuestUser>()({ ...guest, ...change } as never)

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

describe('the name of a model', () => {
  it('stops the start when its case differs from the schema, as writes would not be recognised', async () => {
    const error = await failureOf(imports({}, define({ model: 'guestUser' })))
    expect(error).toMatchObject({ code: 'E_UNKNOWN_MODEL' })
    expect(error.message).toBe(
      'ModelCache "guestUser": the Prisma client has no model "guestUser"; did you mean "GuestUser"? Spell model names as in the ' +
        'Prisma schema, since writes are matched by them.',
    )
  })

  it('is checked for a load, too, if the client has a similar one', async () => {
    const load = { load: () => [], dependsOn: [] }
    expect((await failureOf(imports({}, define({ model: 'GUESTUSER', ...load })))).message).toContain(
      'did you mean "GuestUser"?',
    )
    const { app } = await start(imports({}, define({ model: 'Elsewhere', ...load })))
    await app.close()
  })
})

describe('a selection that contradicts the schema stops the start', () => {
  const Bundle = (sponsors: object) => type({ id: 'string', sponsors: sponsors as never })
  const Sponsors = type({ id: 'string', name: 'string' }).array()
  const bundle = (change: object) =>
    define({ model: 'SponsorBundle', dependsOn: ['Sponsor'], schema: Bundle(Sponsors), ...change })
  const messageOf = async (definition: object) => (await failureOf(imports({}, definition))).message

  it('when a field of the schema is not selected', async () => {
    expect(await messageOf(define({ select: { id: true, name: true, email: true } }))).toBe(
      'ModelCache "GuestUser": its schema has "createdAt", which `select` leaves out, so no row would match; add it to `select` or ' +
        'remove it from the schema.',
    )
    expect(
      await messageOf(define({ select: { id: true, name: true, email: true, createdAt: false } })),
    ).toContain('"createdAt", which `select` leaves out')
  })

  it('when a selected field is not in the schema', async () => {
    const select = { id: true, name: true, email: true, createdAt: true }
    expect(
      await messageOf(define({ select, schema: type({ id: 'string', name: 'string', email: 'string' }) })),
    ).toContain('`select` has "createdAt", which its schema lacks')
  })

  it('in a relation', async () => {
    expect(await messageOf(bundle({ select: { id: true, sponsors: { select: { id: true } } } }))).toContain(
      'its schema has "sponsors.name", which `select` leaves out',
    )
  })

  it('when a relation of the schema is not included', async () => {
    const schema = type({ id: 'string', sponsors: Sponsors, fundraiser: type({ id: 'string' }) })
    expect(await messageOf(bundle({ schema, include: { sponsors: true } }))).toContain(
      'its schema has "fundraiser", which `include` leaves out',
    )
  })

  it('but not when an optional field is not selected', async () => {
    const schema = type({ id: 'string', 'name?': 'string' })
    const { app } = await start(imports({}, define({ schema, select: { id: true } })))
    await app.close()
  })
})

describe('a Prisma client that is not extended', () => {
  const warning = expect.stringMatching(
    /^The Prisma client is not extended, so that its writes leave outdated rows in the cache until `invalidate` is called.*provideExtendedPrisma.*`writes: 'manual'`/,
  )

  it('causes a warning in every mode', async () => {
    expect(await warningsOf(imports())).toEqual([warning])
    expect(await warningsOf(imports({ consistency: { mode: 'strict' } }))).toEqual([
      expect.stringContaining("and mode 'strict' has no effect"),
    ])
  })

  it("causes no warning with writes: 'manual'", async () => {
    expect(await warningsOf(imports({ writes: 'manual' }))).toEqual([])
  })

  it('causes no warning without a client', async () => {
    const loaded = define({ load: () => [], dependsOn: [] })
    expect(
      await warningsOf([ModelCacheModule.forRoot(ownOptions()), ModelCacheModule.forFeature([loaded])]),
    ).toEqual([])
  })

  it('is distinguished from one that was extended further', async () => {
    const { app, logger } = await start(imports({ prisma: 'FURTHER' }), [
      {
        provide: 'FURTHER',
        inject: [ModelCacheWrites],
        useFactory: (writes: ModelCacheWrites) =>
          extendPrisma(another(), writes).$extends({ name: 'further' }),
      },
    ])
    await app.close()
    expect(logger.warned).toEqual([])
  })

  it('is distinguished from one that is extended for other caches', async () => {
    const other = extendPrisma(another(), new ModelCacheWrites())
    expect(await warningsOf(imports({ prisma: other }))).toEqual([
      expect.stringContaining('announces its writes to the caches of another root'),
    ])
  })
})

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
    await eventually(async () => {
      await cache(guests).get(id)
      return (await cache(guests).explain(id)).stored.isHit
    })
    await client.guestUser.update({ where: { id }, data: { name: 'new' } })
    expect(await cache(guests).get(id)).toMatchObject({ name: 'new' })
    await app.close()
  })
})

describe('an unavailable Prisma client', () => {
  it('is refused when it is request-scoped', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PrismaService {}
    const error = await failureOf(imports({ prisma: PrismaService }), [PrismaService])
    expect(error).toMatchObject({ code: 'E_MISSING_PRISMA' })
    expect(error.message).toBe(
      'ModelCache "GuestUser": its rows come from Prisma, but PrismaService is request-scoped or transient. Caches live as long as ' +
        'the application: provide it, and what it injects, in the default scope.',
    )
  })

  it.each([undefined, null])('is refused when its provider returns %s', async (nothing) => {
    const error = await failureOf(imports({ prisma: 'PRISMA' }), [
      { provide: 'PRISMA', useFactory: () => nothing },
    ])
    expect(error.message).toBe(
      `ModelCache "GuestUser": its rows come from Prisma, but PRISMA resolves to ${nothing}. Have the factory that provides it ` +
        'return the client.',
    )
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

describe('the URL of Valkey', () => {
  it.each([undefined, ''])('is refused when it is %p, with a hint at the environment', async (url) => {
    const error = await failureOf(imports({ valkey: { url: url as string } }))
    expect(error).toMatchObject({ code: 'E_INVALID_OPTION' })
    expect(error.message).toMatch(
      /option "valkey.url" is (undefined|""); expected .*its environment variable may not be set/,
    )
  })
})

describe('two roots', () => {
  it('without a name stop the start', async () => {
    const error = await failureOf([...imports(), ModelCacheModule.forRoot({ ...ownOptions(), prisma })])
    expect(error).toMatchObject({ code: 'E_DUPLICATE_ROOT' })
    expect(error.message).toMatch(
      /there are two roots without a name\. Import ModelCacheModule\.forRoot once.*name: 'billing'/,
    )
  })

  it('with the same name or namespace stop the start', async () => {
    const named = (change: object) =>
      ModelCacheModule.forRoot({ ...ownOptions(), prisma, name: 'billing', ...change })
    expect((await failureOf([...imports(), named({}), named({})])).message).toContain(
      'two roots named "billing"',
    )
    const shared = { namespace: ownOptions().namespace }
    expect((await failureOf([...imports(shared), named(shared)])).message).toContain(
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

  it('are one root when the same module is imported twice', async () => {
    const root = ModelCacheModule.forRoot({ ...ownOptions(), prisma })
    @Module({ imports: [root] })
    class Feature {}
    const { app } = await start([root, Feature, ModelCacheModule.forFeature([guests])])
    await app.close()
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

describe('fields that look like secrets', () => {
  const Users = type({ id: 'string', email: 'string', passwordHash: 'string', resetToken: 'string | null' })
  const load = { load: () => [], dependsOn: [] }

  it('are named in a warning', async () => {
    expect(await warningsOf(imports({ writes: 'manual' }, define({ schema: Users, ...load })))).toEqual([
      'ModelCache "GuestUser": passwordHash, resetToken may be secret, and will be copied to the store. Remove them from the ' +
        'schema and from the loaded rows, or list them in `select` if this is intended.',
    ])
    const nested = type({ id: 'string', owner: type({ id: 'string', apiSecret: 'string' }) })
    expect(await warningsOf(imports({ writes: 'manual' }, define({ schema: nested, ...load })))).toEqual([
      expect.stringContaining('owner.apiSecret may be secret'),
    ])
  })
})
