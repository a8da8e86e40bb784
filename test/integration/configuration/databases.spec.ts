import { hostname } from 'node:os'
import { PrismaPg } from '@prisma/adapter-pg'
import { type } from 'arktype'
import { ModelCacheModule, type ModelCacheModuleOptions, modelCaches } from 'model-cache'
import { type Prisma, PrismaClient } from '#prisma/client/client.js'
import {
  bindDefinition,
  createModelCache,
  createPrismaSource,
  databaseOf,
  NamespaceDatabase,
  schemaFactsOf,
  ValkeyStore,
} from 'model-cache/advanced'
import { handOverCommand } from '../../../libs/cli/src/hand-over-command.js'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { valkeyUrl } from '../../support/servers.js'
import { createClientOfText } from '../writes/client-of-text.js'
import { startServerProxy } from '../../support/server-proxy.js'
import { diagnose, findingOf } from '../doctor/command-line.js'
import { failureOf, openPrisma, ownOptions, start, type Started } from './application.js'

const { defineModelCache } = modelCaches()

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

const failureOn = (prisma: object, options: ModelCacheModuleOptions): Promise<Error & { code?: string }> =>
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
    const { message, code } = await failureOn(b.prisma, options)
    expect(code).toBe('E_FOREIGN_DATABASE')
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
        /The caches of namespace .* begin empty\. They held rows of database "test_.*this process reads/,
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
    expect(findingOf(await diagnose(address), 'caches.databases').severity).toBe('ok')
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
    const { found, severity } = findingOf(await diagnose(address), 'caches.databases')
    expect(severity).toBe('error')
    expect(found).toContain(databaseIn(a.url))
    expect(found).toContain(databaseIn(b.url))
    // The former one is kept out from now on.
    expect((await failureOn(a.another(), options)).code).toBe('E_FOREIGN_DATABASE')
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

  it('begins with empty caches when its tables were restored from a dump, as by pg_restore --clean', async () => {
    const options = ownOptions()
    const first = await startOn(a.prisma, options)
    expect(await nameIn(first)).toBe('database A')
    await first.app.close()
    await restoreTables(a.prisma, ['GuestUser', '_prisma_migrations'])
    await a.prisma.guestUser.update({ where: { id: '71' }, data: { name: 'restored' } })
    const second = await startOn(a.prisma, options)
    expect(second.logger.warned).toEqual([expect.stringContaining('restored, promoted or made again since')])
    expect(await nameIn(second)).toBe('restored')
    await second.app.close()
    await a.prisma.guestUser.update({ where: { id: '71' }, data: { name: 'database A' } })
  })

  it.each(['with', 'without'])('is another state of itself, %s migrations', async (migrations) => {
    const { prisma, close } = await openPrisma()
    if (migrations === 'without') await prisma.$executeRawUnsafe('DROP TABLE _prisma_migrations')
    const describe = () => databaseOf(prisma).describe()
    const before = (await describe())!
    await prisma.$executeRawUnsafe('CREATE TABLE later (id INT)')
    await prisma.$executeRawUnsafe('DROP TABLE "AuctionItem" CASCADE')
    expect((await describe())!.history).toBe(before.history)
    const tables = await prisma.$queryRawUnsafe<{ relname: string }[]>(
      `SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
    )
    for (const { relname } of tables) await restoreTables(prisma, [relname])
    const { history, id } = (await describe())!
    expect([id, history === before.history]).toEqual([before.id, false])
    await close()
  })

  it('is another state of itself for a client whose models name their schemas', async () => {
    const people = `
datasource db {
  provider = "postgresql"
  schemas = ["sales", "staff"]
}
model Person {
  id Int @id
  @@schema("staff")
}
model Lot {
  id Int @id
  @@schema("sales")
}
`
    const make = async () => {
      await a.prisma.$executeRawUnsafe('DROP SCHEMA IF EXISTS staff, sales CASCADE')
      for (const schema of ['staff', 'sales']) await a.prisma.$executeRawUnsafe(`CREATE SCHEMA ${schema}`)
      await a.prisma.$executeRawUnsafe('CREATE TABLE staff."Person" (id INT PRIMARY KEY)')
      await a.prisma.$executeRawUnsafe('CREATE TABLE sales."Lot" (id INT PRIMARY KEY)')
    }
    await a.prisma.$executeRawUnsafe('ALTER SCHEMA public RENAME TO former')
    await make()
    const client = createClientOfText(a.url, people)
    const before = (await databaseOf(client).describe())!
    await make()
    const after = (await databaseOf(client).describe())!
    expect([after.id, after.history === before.history]).toEqual([before.id, false])
    await client.$disconnect()
    await a.prisma.$executeRawUnsafe('DROP SCHEMA staff, sales CASCADE')
    await a.prisma.$executeRawUnsafe('ALTER SCHEMA former RENAME TO public')
  })

  it('empties the caches of a process that runs, once it has loaded rows', async () => {
    const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: 2_000 })
    await store.connect()
    const { namespace } = ownOptions()
    const warned: string[] = []
    const database = new NamespaceDatabase({
      store,
      namespace,
      database: databaseOf(a.prisma),
      warn: (message) => void warned.push(message),
      heartbeatMs: 20,
    })
    await database.start()
    const facts = schemaFactsOf(a.prisma)
    const { idFields, model, name, selection } = bindDefinition(users, facts)
    const source = createPrismaSource<object, string>(a.prisma, { name, model, idFields, ...selection })
    const cache = createModelCache(users, { store, source: source as never, facts, database, namespace })
    const nameOf = async () => (await cache.get('71'))?.name
    expect(await nameOf()).toBe('database A')
    await restoreTables(a.prisma, ['GuestUser', '_prisma_migrations'])
    await a.prisma.guestUser.update({ where: { id: '71' }, data: { name: 'restored' } })
    await cache.get('missing')
    await eventuallyEqual(nameOf, 'restored')
    expect(warned).toEqual([expect.stringContaining('or has gone back to an earlier state')])
    await cache.close()
    await database.stop()
    await store.close()
    await a.prisma.guestUser.update({ where: { id: '71' }, data: { name: 'database A' } })
  })
})

/** What the restore of a dump does: the same rows in new tables. */
async function restoreTables(prisma: PrismaClient, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    await prisma.$executeRawUnsafe(`CREATE TABLE restored (LIKE "${table}" INCLUDING ALL)`)
    await prisma.$executeRawUnsafe(`INSERT INTO restored TABLE "${table}"`)
    await prisma.$executeRawUnsafe(`DROP TABLE "${table}" CASCADE`)
    await prisma.$executeRawUnsafe(`ALTER TABLE restored RENAME TO "${table}"`)
  }
}

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
    expect(logger.logged).toContainEqual(expect.stringMatching(/Namespace .* is for database "test_/))
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
        id: `migrated/${migration!.id}/${databaseIn(a.url)}`,
        schema: 'public',
        history: expect.stringMatching(/^\d+\.\d+$/),
        name: `database "${databaseIn(a.url)}", schema "public" (PostgreSQL, whose first migration is ${migration!.id})`,
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
