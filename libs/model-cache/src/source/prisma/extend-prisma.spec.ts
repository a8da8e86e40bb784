import { createSqliteDemo } from '../../../../../test/support/sqlite-demo.js'
import { useOpened } from '../../../../../test/support/use-opened.js'
import { type Arrival, asOwnQuery } from '../own-queries.js'
import type { WriteCoordinator, WriteUnit } from '../write-coordinator.js'
import { extendPrisma, type ExtendPrismaOptions } from './extend-prisma.js'
import { readsReplica } from './extended-clients.js'
import { databaseOf } from './prisma-database.js'

const demo = useOpened(createSqliteDemo)

const unit = new Proxy({} as WriteUnit, { get: () => async () => {} })

function coordinatorOf(change: Partial<WriteCoordinator> = {}): WriteCoordinator {
  return {
    idFieldsOf: () => [],
    lookupsOf: () => [],
    prepare: () => undefined,
    begin: () => unit,
    within: (_, __, work) => work(),
    ...change,
  }
}

it('takes the coordinator for its schema', async () => {
  const asked: string[] = []
  const own = coordinatorOf({ idFieldsOf: (model) => (asked.push(model), []) })
  const schemas: object[] = []
  const client = demo.client()
  extendPrisma(client, coordinatorOf({ forSchema: (schema) => (schemas.push(schema), own) }))
  await client.guestUser.deleteMany({ where: { id: 'nobody' } })
  expect(schemas).toHaveLength(1)
  expect(asked).toContain('GuestUser')
})

it('begins a write before it finds out what that affects, so that a cache which is known later counts as new', async () => {
  const calls: string[] = []
  const client = extendPrisma(
    demo.client(),
    coordinatorOf({
      idFieldsOf: () => (calls.push('what is affected'), []),
      begin: () => (calls.push('begin'), unit),
    }),
  )
  await client.guestUser.deleteMany({ where: { id: 'nobody' } })
  expect([...new Set(calls)]).toEqual(['begin', 'what is affected'])
})

it('says which database writes go to, unless it is a replica', () => {
  const databases: unknown[] = []
  const coordinator = coordinatorOf({ extended: (database) => void databases.push(database) })
  const client = extendPrisma(demo.client(), coordinator)
  expect(databases).toEqual([databaseOf(client)])
  expect(readsReplica(client)).toBe(false)
  const replica = extendPrisma(demo.client(), coordinator, { replica: true })
  expect(databases).toHaveLength(1)
  expect(readsReplica(replica)).toBe(true)
})

it('knows the rows of a table that is created after a write to it has failed', async () => {
  const marked: string[] = []
  const begin = (): WriteUnit =>
    new Proxy({} as WriteUnit, { get: (_, name) => async () => void marked.push(String(name)) })
  const idFieldsOf = (model: string): readonly string[][] => (model === 'GuestUser' ? [['id']] : [])
  const client = extendPrisma(demo.client(), coordinatorOf({ begin, idFieldsOf }))
  const other = demo.client()
  await other.$executeRaw`ALTER TABLE "GuestUser" RENAME TO "Guest"`
  const write = (): Promise<unknown> =>
    client.guestUser.updateMany({ where: { name: 'nobody' }, data: { name: 'somebody' } })
  await expect(write()).rejects.toThrow('no such table')
  await other.$executeRaw`ALTER TABLE "Guest" RENAME TO "GuestUser"`
  await other.guestUser.create({ data: { id: 'n', name: 'nobody', email: 'n@example' } })
  marked.length = 0
  expect(await write()).toEqual({ count: 1 })
  expect(marked).toEqual(expect.arrayContaining(['markWritten']))
  expect(marked).not.toContain('markAllWritten')
})

it('shows queries of the library to whoever sends them', async () => {
  const arrivals: Arrival[] = []
  const client = extendPrisma(demo.client(), coordinatorOf())
  const where = { id: 'nobody' }
  const result = await asOwnQuery(
    async () => [
      await client.guestUser.findMany({ where }),
      await client.$transaction((tx) => tx.guestUser.count({ where })),
    ],
    (arrival) => arrivals.push(arrival),
  )
  expect(arrivals).toMatchObject([
    { model: 'GuestUser', action: 'findMany', args: { where }, isInTransaction: false },
    { model: 'GuestUser', action: 'count', args: { where }, isInTransaction: true },
  ])
  expect(await Promise.all(arrivals.map((arrival) => arrival.result))).toEqual(result)
})

it.each<[string, ExtendPrismaOptions]>([
  ['maxRows', { maxRows: 0 }],
  ['maxRows', { maxRows: 1.5 }],
  ['replica', { replica: 'yes' as never }],
])('refuses an invalid %s: %j', (name, options) => {
  expect(() => extendPrisma(demo.client(), coordinatorOf(), options)).toThrow(`option "${name}" is `)
})

it('can be extended again after its options were refused', async () => {
  const begun: string[] = []
  const client = demo.client()
  expect(() => extendPrisma(client, coordinatorOf(), { reads: 'all' })).toThrow('option "reads" is ')
  extendPrisma(client, coordinatorOf({ begin: () => (begun.push('begin'), unit) }))
  await client.guestUser.deleteMany({ where: { id: 'nobody' } })
  expect(begun).not.toEqual([])
})

it('takes a limit of one row', () => {
  expect(extendPrisma(demo.client(), coordinatorOf(), { maxRows: 1 })).toBeDefined()
})

it('refuses what is no client of Prisma', () => {
  for (const client of [undefined, null, {}, { $extends: () => null }, { _originalClient: {} }])
    expect(() => extendPrisma(client as object, {} as WriteCoordinator)).toThrow('option "prisma" is ')
})
