/** Driver adapters whose transactions are none: Cloudflare D1 runs each statement by itself, Neon refuses transactions over HTTP. */
import { extendPrisma } from 'model-cache'
import type { PrismaClient } from '#prisma/client/client.js'
import { databaseNamed } from '../../support/databases.js'
import type { TestDatabase } from '../../support/test-database.js'
import { openClientOfText } from './client-of-text.js'
import type { Models } from './compared-writes.js'
import { RecordingCoordinator } from './recording-coordinator.js'

const schema = `
model Item {
  id    Int    @id
  state String
}
`
interface Query {
  readonly sql: string
}
interface Connection {
  queryRaw(query: Query): Promise<unknown>
  executeRaw(query: Query): Promise<unknown>
}

/** SQLite, as an adapter reaches it that has no transactions. */
function withoutTransactions(
  database: TestDatabase,
  adapterName: string,
  begin: (one: Connection) => unknown,
) {
  const factory = database.adapter()
  const connect = async (): Promise<object> => {
    const connection = (await factory.connect()) as unknown as Connection
    return Object.assign(Object.create(connection as object) as object, {
      adapterName,
      provider: 'sqlite',
      queryRaw: (query: Query) => connection.queryRaw(query),
      executeRaw: (query: Query) => connection.executeRaw(query),
      dispose: () => (connection as unknown as { dispose(): Promise<void> }).dispose(),
      startTransaction: async () => begin(connection),
    })
  }
  return { provider: 'sqlite', adapterName, connect } as never
}

const nothing = async (): Promise<void> => {}
const each = (one: Connection): object => ({
  provider: 'sqlite',
  options: { usePhantomQuery: true },
  queryRaw: (query: Query) => one.queryRaw(query),
  executeRaw: (query: Query) => one.executeRaw(query),
  commit: nothing,
  rollback: nothing,
})
const refused = (): never => {
  throw new Error('Transactions are not supported in HTTP mode')
}

const kinds = [
  ['@prisma/adapter-d1', each],
  ['@prisma/adapter-neon', refused],
] as const

describe.each(kinds)('writes by %s, which has no transactions', (name, begin) => {
  let database: TestDatabase
  let client: PrismaClient
  let models: Models
  const recorder = new RecordingCoordinator()
  beforeAll(async () => {
    database = await databaseNamed('sqlite').create()
    await database.run('CREATE TABLE "Item" (id int PRIMARY KEY, state text NOT NULL)')
    const adapter = withoutTransactions(database, name, begin)
    client = extendPrisma(await openClientOfText(adapter, schema), recorder)
    models = client as unknown as Models
  })
  beforeEach(async () => {
    await database.run(`DELETE FROM "Item"; INSERT INTO "Item" VALUES (1, 'old')`)
    recorder.caches = { Item: [['id']] }
    recorder.look = async () => (await database.rows<{ state: string }>('SELECT state FROM "Item"'))[0]?.state
    await recorder.take()
  })
  afterAll(async () => {
    await client.$disconnect()
    await database.drop()
  })

  it('are fenced before they are sent, by all rows where their parameters do not name these', async () => {
    const data = { state: 'new' }
    await models.item!['updateMany']!({ where: { id: 1 }, data })
    expect(await recorder.take()).toEqual(['markWritten Item {"id":1}', 'fence seeing old', 'end seeing new'])
    const updated = await models.item!['updateMany']!({ where: { state: 'new' }, data: { state: 'newer' } })
    expect(updated).toEqual({ count: 1 })
    // Neon refuses the transaction that the library asks for first.
    const events = (await recorder.take()).map((event) => event.replace(/^\d+: /, ''))
    expect(events).toEqual(['markWritten all Item: unknown', 'fence seeing new', 'end seeing newer'])
  })

  it('are fenced one by one in a batch, if that is not refused', async () => {
    if (begin === refused) return
    const { item } = models
    const both = [
      item!['updateMany']!({ where: { state: 'old' }, data: { state: 'new' } }),
      item!['updateMany']!({ where: { id: 1 }, data: { state: 'newer' } }),
    ]
    await client.$transaction(both as never)
    expect(await recorder.take()).toEqual([
      'markWritten all Item: unknown',
      'fence seeing old',
      'markWritten Item {"id":1}',
      'fence seeing new',
      'end seeing newer',
    ])
  })
})
