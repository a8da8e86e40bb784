import { hostname } from 'node:os'
import { PrismaPg } from '@prisma/adapter-pg'
import { type } from 'arktype'
import { defineModelCache, ModelCacheModule, modelCaches, type ModelCacheModuleOptions } from 'model-cache'
import { type Prisma, PrismaClient } from '#prisma/client/client.js'
import { databaseOf } from 'model-cache/advanced'
import { handOverCommand } from '../../../libs/model-cache/src/cli/hand-over-command.js'
import { eventually } from '../../support/eventually.js'
import { valkeyUrl } from '../../support/servers.js'
import { startServerProxy } from '../../support/server-proxy.js'
import { diagnose, findingOf } from '../doctor/command-line.js'
import { failureOf, openPrisma, ownOptions, start, type Started } from './application.js'

const users = modelCaches<Prisma.TypeMap>().defineModelCache('GuestUser', {
  select: { id: true, name: true },
  ttl: '10m',
})

let a: Opened
let b: Opened
type Opened = Awaited<ReturnType<typeof openPrisma>>

beforeAll(async () => {
  ;[a, b] = await Promise.all([openPrisma(), openPrisma()])
  await fill(a, 'database A')
  await fill(b, 'database B')
})
afterAll(() => Promise.all([a.close(), b.close()]))

async function fill({ prisma }: Pick<Opened, 'prisma'>, name: string): Promise<void> {
  await prisma.guestUser.create({ data: { id: '71', name, email: 'x' } })
}

const startOn = (prisma: object, options: ModelCacheModuleOptions): Promise<Started> =>
  start([
    ModelCacheModule.forRoot({ writes: 'manual', ...options, prisma }),
    ModelCacheModule.forFeature([users]),
  ])

const failureOn = (prisma: object, options: ModelCacheModuleOptions): Promise<Error> =>
  failureOf([
    ModelCacheModule.forRoot({ writes: 'manual', ...options, prisma }),
    ModelCacheModule.forFeature([users]),
  ])

const nameIn = async ({ cache }: Started): Promise<string | undefined> => (await cache(users).get('71'))?.name

describe('two databases in one namespace', () => {
  it('refuses the start of the second one while the first is in use, and names both', async () => {
    const options = ownOptions()
    const first = await startOn(a.prisma, options)
    expect(await nameIn(first)).toBe('database A')
    const { message, name } = await failureOn(b.prisma, options)
    expect(name).toBe('ForeignDatabaseError')
    expect(message.replaceAll(/PostgreSQL \d+, [\d.]+:\d+/g, 'PostgreSQL …')).toBe(
      `model-cache: this process reads database "${databaseIn(b.url)}", schema "public" (PostgreSQL …), but namespace ` +
        `"${options.namespace}" is in use by processes that read database "${databaseIn(a.url)}", schema "public" (PostgreSQL …). ` +
        "Give each database a `namespace` of its own in ModelCacheModule.forRoot, such as 'shop-staging'. If the database has moved, run " +
        `\`npx model-cache hand-over --namespace ${options.namespace}\`, and start this process again.`,
    )
    // It did not get in the way of others of the first one.
    const another = await startOn(a.another(), options)
    expect(await nameIn(another)).toBe('database A')
    await first.app.close()
    await another.app.close()
  })

  it('begins with empty caches once the processes of the first one have ended', async () => {
    const options = ownOptions()
    const first = await startOn(a.prisma, options)
    expect(await nameIn(first)).toBe('database A')
    await first.app.close()
    const second = await startOn(b.prisma, options)
    expect(second.logger.warned).toEqual([
      expect.stringMatching(
        /the caches of namespace .* begin empty\. They held rows of database "test_.*this process reads/,
      ),
    ])
    expect(await nameIn(second)).toBe('database B')
    await second.app.close()
    const again = await startOn(b.prisma, options)
    expect(again.logger.warned).toEqual([])
    await again.app.close()
  })

  it('serves each its own rows, once the namespace has been handed over while the first is in use', async () => {
    const options = ownOptions()
    const address = ['--valkey', valkeyUrl(), '--namespace', options.namespace]
    const first = await startOn(a.prisma, options)
    expect(await nameIn(first)).toBe('database A')
    expect(findingOf(await diagnose(['--source', 'none', ...address]), 'caches.databases').severity).toBe(
      'ok',
    )
    const lines: string[] = []
    const output = { line: (text: string) => void lines.push(text), folder: '.', environment: {} }
    expect(await handOverCommand.run(address, output)).toBe(0)
    expect(lines).toEqual([
      `The namespace "${options.namespace}" is open to other databases. Still read in it:`,
      expect.stringMatching(/^database "test_/),
      `  by ${hostname()}, process ${process.pid}`,
    ])
    const second = await startOn(b.prisma, options)
    for (let i = 0; i < 3; i++) {
      expect(await nameIn(second)).toBe('database B')
      expect(await nameIn(first)).toBe('database A')
    }
    const { found, severity } = findingOf(
      await diagnose(['--source', 'none', ...address]),
      'caches.databases',
    )
    expect(severity).toBe('error')
    expect(found).toContain(databaseIn(a.url))
    expect(found).toContain(databaseIn(b.url))
    // The former one is kept out from now on.
    expect((await failureOn(a.another(), options)).name).toBe('ForeignDatabaseError')
    await first.app.close()
    await second.app.close()
  })

  it('tells schemas of one database apart', async () => {
    await a.prisma.$executeRawUnsafe('CREATE SCHEMA tenant')
    await a.prisma.$executeRawUnsafe(
      'CREATE TABLE tenant."GuestUser" (LIKE public."GuestUser" INCLUDING ALL)',
    )
    const adapter = new PrismaPg({ connectionString: a.url }, { schema: 'tenant' })
    const tenant = new PrismaClient({ adapter })
    await fill({ prisma: tenant }, 'tenant')
    const options = ownOptions()
    const first = await startOn(a.prisma, options)
    expect(await nameIn(first)).toBe('database A')
    expect((await failureOn(tenant, options)).message).toContain('schema "tenant"')
    await first.app.close()
    const second = await startOn(tenant, options)
    expect(await nameIn(second)).toBe('tenant')
    await second.app.close()
    await tenant.$disconnect()
  })
})

describe('a database that is made again', () => {
  it('begins with empty caches when its schema was dropped and created', async () => {
    const options = ownOptions()
    const first = await startOn(a.prisma, options)
    expect(await nameIn(first)).toBe('database A')
    await first.app.close()
    const { prisma } = a
    await prisma.$executeRawUnsafe('ALTER SCHEMA public RENAME TO former')
    await prisma.$executeRawUnsafe('CREATE SCHEMA public')
    await prisma.$executeRawUnsafe('CREATE TABLE public."GuestUser" (LIKE former."GuestUser" INCLUDING ALL)')
    await fill(a, 'after a reset')
    const second = await startOn(a.prisma, options)
    expect(second.logger.warned).toEqual([expect.stringContaining('restored, promoted or made again since')])
    expect(await nameIn(second)).toBe('after a reset')
    await second.app.close()
    await prisma.$executeRawUnsafe('DROP SCHEMA public CASCADE')
    await prisma.$executeRawUnsafe('ALTER SCHEMA former RENAME TO public')
  })
})

describe('a database that does not answer', () => {
  it('delays no start; rows are stored once it has answered', async () => {
    let loads = 0
    const loaded = defineModelCache<{ id: string; name: string }>()({
      model: 'GuestUser',
      schema: type({ id: 'string', name: 'string' }),
      id: 'id',
      ttl: '10m',
      dependsOn: [],
      load: (_client: unknown, ids) => {
        loads++
        return ids.map((id) => ({ id, name: 'loaded' }))
      },
    })
    const url = new URL(a.url)
    const proxy = await startServerProxy(Number(url.port))
    await proxy.refuse()
    url.port = String(proxy.port)
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url.href }) })
    const { app, cache, logger } = await start([
      ModelCacheModule.forRoot({ writes: 'manual', ...ownOptions(), prisma }),
      ModelCacheModule.forFeature([loaded]),
    ])
    await cache(loaded).get('71')
    await cache(loaded).get('71')
    expect(loads).toBe(2)
    expect(logger.warned).toEqual([expect.stringContaining('is not known yet')])
    await proxy.accept()
    const isStored = async (): Promise<boolean> => {
      const before = loads
      await cache(loaded).get('71')
      return loads === before
    }
    await eventually(isStored)
    expect(logger.logged).toContainEqual(expect.stringMatching(/namespace .* is for database "test_/))
    await app.close()
    await prisma.$disconnect()
    await proxy.stop()
  })
})

describe('a role with few rights', () => {
  const withRights = async (grant: string, check: (prisma: PrismaClient) => Promise<void>): Promise<void> => {
    const role = `plain_${databaseIn(a.url)}`
    await a.prisma.$executeRawUnsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'plain'`)
    await a.prisma.$executeRawUnsafe('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC')
    await a.prisma.$executeRawUnsafe(`${grant} TO ${role}`)
    const url = new URL(a.url)
    url.username = role
    url.password = 'plain'
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url.href }) })
    try {
      await check(prisma)
    } finally {
      await prisma.$disconnect()
      await a.prisma.$executeRawUnsafe('GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC')
      await a.prisma.$executeRawUnsafe(`DROP OWNED BY ${role}`)
      await a.prisma.$executeRawUnsafe(`DROP ROLE ${role}`)
    }
  }

  it('needs none by default', async () => {
    await withRights('GRANT EXECUTE ON FUNCTION pg_control_system()', async (prisma) => {
      const { id } = (await databaseOf(prisma).describe())!
      expect(id).toBe((await databaseOf(a.prisma).describe())!.id)
    })
  })

  it('tells databases apart by their first migration where the identifier is not for everybody', async () => {
    await withRights('GRANT SELECT ON _prisma_migrations', async (prisma) => {
      const [migration] = await a.prisma.$queryRawUnsafe<{ id: string }[]>(
        'SELECT id FROM _prisma_migrations ORDER BY started_at, id LIMIT 1',
      )
      expect(await databaseOf(prisma).describe()).toEqual({
        id: `migrated/${migration!.id}`,
        schema: 'public',
        history: '',
        name: `database (PostgreSQL, whose first migration is ${migration!.id})`,
      })
    })
  })

  it('warns if nothing can be determined, and caches as before', async () => {
    await withRights('GRANT SELECT ON "GuestUser"', async (prisma) => {
      const one = await startOn(prisma, ownOptions())
      expect(one.logger.warned).toEqual([expect.stringContaining('cannot be determined')])
      expect([await nameIn(one), await nameIn(one)]).toEqual(['database A', 'database A'])
      await one.app.close()
    })
  })
})

function databaseIn(url: string): string {
  return new URL(url).pathname.slice(1)
}
