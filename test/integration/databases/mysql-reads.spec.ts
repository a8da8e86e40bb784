import { randomUUID } from 'node:crypto'
import { extendPrisma, type ModelCacheDefinition, modelCaches, ModelCacheWrites } from 'model-cache'
import {
  bindDefinition,
  createModelCache,
  createPrismaSource,
  type ReadThroughCache,
  schemaFactsOf,
  ValkeyStore,
} from 'model-cache/advanced'
import { describeOn } from '../../support/describe-databases.js'
import { eventually } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { valkeyUrl } from '../../support/servers.js'
import { type Prisma, PrismaClient } from '../differential/derived/mysql/client.js'
import { type MysqlFixture, openMysqlFixture } from './mysql-fixture.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const definition = defineModelCache('Label', { ttl: '1h' }) as unknown as ModelCacheDefinition<object, never>

describeOn(['mysql'], 'reads by text on $name, which a collation compares', () => {
  let fixture: MysqlFixture
  let prisma: PrismaClient
  let cache: ReadThroughCache<{ name: string; colour: string }, string>
  let close: () => Promise<void>
  const statements: string[] = []

  beforeAll(async () => {
    fixture = await openMysqlFixture()
    await fixture.refill()
    const client = new PrismaClient({
      adapter: fixture.database.adapter(2),
      log: [{ emit: 'event', level: 'query' }],
    })
    client.$on('query', ({ query }) => statements.push(query))
    const writes = new ModelCacheWrites()
    prisma = extendPrisma(client, writes, { reads: [definition] }) as unknown as PrismaClient
    const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
    await store.connect()
    const bound = bindDefinition(definition, schemaFactsOf(prisma))
    cache = createModelCache(bound, {
      namespace: randomUUID(),
      store,
      writes,
      source: createPrismaSource(prisma, { ...bound, ...bound.selection }),
    }) as never
    close = async () => {
      await cache.close()
      await store.close()
      await client.$disconnect()
      await fixture.close()
    }
  })
  afterAll(() => close())

  /** The row as a query returns it, and by how many statements. */
  async function find(name: string): Promise<[colour: string | undefined, statements: number]> {
    statements.length = 0
    const row = await prisma.label.findUnique({ where: { name } })
    await cache.drain()
    return [row?.colour, statements.length]
  }

  it('are answered by a cache if the id is spelled as it is stored', async () => {
    // A new store keeps nothing for the time of a fence.
    await eventually(async () => (await find('l1'))[1] === 0)
    expect(await find('l1')).toEqual(['blue', 0])
    expect(await prisma.label.findMany({ where: { name: { in: ['l1'] } } })).toHaveLength(1)
    expect(statements).toEqual([])
  })

  it.each(['L1', 'l1 ', 'Ĺ1'])('are answered by the database if the id is spelled %j', async (name) => {
    await find('l1')
    expect((await find(name))[0]).toBe('blue')
    expect(statements.length).toBeGreaterThan(0)
    expect((await find(name))[0]).toBe('blue')
  })

  it('are answered by the database one by one, as Prisma finds none of several in one turn', async () => {
    const finds = ['L1', 'L2'].map((name) => prisma.label.findUnique({ where: { name } }))
    expect((await Promise.all(finds)).map((row) => row?.name)).toEqual(['l1', 'l2'])
  })

  it('see a write that spells the id in another way', async () => {
    await find('l4')
    await prisma.label.update({ where: { name: 'L4' }, data: { colour: 'green' } })
    expect((await find('l4'))[0]).toBe('green')
    await prisma.label.updateMany({ where: { name: 'l4 ' }, data: { colour: 'grey' } })
    expect((await find('l4'))[0]).toBe('grey')
    await prisma.label.update({ where: { name: 'l4' }, data: { name: 'L4' } })
    expect((await find('l4'))[0]).toBe('grey')
    expect(await cache.get('L4')).toMatchObject({ name: 'L4' })
    await prisma.label.deleteMany({ where: { name: 'l4' } })
    expect((await find('L4'))[0]).toBeUndefined()
  })

  it('see what was written outside Prisma once the row is invalidated, however its id is spelled', async () => {
    await find('l5')
    await fixture.database.run("UPDATE `Label` SET colour = 'black' WHERE name = 'l5'")
    await cache.invalidate('L5')
    expect((await find('l5'))[0]).toBe('black')
    await fixture.database.run("DELETE FROM `_LabelToPost`; DELETE FROM `Label` WHERE name = 'l5'")
    await cache.invalidate('L5 ')
    expect((await find('l5'))[0]).toBeUndefined()
  })

  it('find a row that is created after it was missed, in another spelling', async () => {
    expect((await find('later'))[0]).toBeUndefined()
    await prisma.label.create({ data: { name: 'LATER', colour: 'white' } })
    expect((await find('later'))[0]).toBe('white')
    expect((await find('LATER'))[0]).toBe('white')
  })
})
