/* oxlint-disable no-underscore-dangle -- that is how Prisma marks what is its own */
import { answeringPrisma } from '../../../../../test/support/answering-prisma.js'
import { type Arrival, asOwnQuery } from '../own-queries.js'
import type { WriteCoordinator, WrittenRow, WriteUnit } from '../write-coordinator.js'
import { extendPrisma, type ExtendPrismaOptions } from './extend-prisma.js'
import { readsReplica } from './extended-clients.js'
import type { CallbackTransaction, PrismaTransaction, QueryParams } from './internals.js'
import { databaseOf } from './prisma-database.js'

const inlineSchema = `
datasource db {
  provider = "postgresql"
}
model Lot {
  id   String @id
  name String
}
model Seat {
  row   String
  place Int
  name  String

  @@id([row, place])
}
`
const modelOf = (fields: Readonly<Record<string, string>>): object => ({
  fields: Object.entries(fields).map(([name, type]) => ({ name, type, kind: 'scalar' })),
})
const models = {
  Lot: modelOf({ id: 'String', name: 'String' }),
  Seat: modelOf({ row: 'String', place: 'Int', name: 'String' }),
}
const found: Readonly<Record<string, readonly object[]>> = {
  Lot: [{ id: 'a', name: 'n' }],
  Seat: [
    { row: 'a', place: 1 },
    { row: 'b', place: 2 },
  ],
}

interface Setting extends ExtendPrismaOptions {
  readonly provider?: string
  /** The default of the client's transactions. */
  readonly timeout?: number
  readonly coordinator?: Partial<WriteCoordinator>
}

/** A client that was extended, what reaches its database, and what is announced. */
async function extended({ provider = 'postgresql', timeout = 5_000, coordinator, ...options }: Setting = {}) {
  const log: string[] = []
  const sent: QueryParams[] = []
  let methods: { readonly findMany?: unknown } = {}
  const unit = {
    markWritten: (model: string, rows: readonly WrittenRow[]) =>
      log.push(`written ${model} ${JSON.stringify(rows)}`),
    markAllWritten: (model: string, reason: string) => log.push(`written all ${model}: ${reason}`),
    markCreated: (model: string, reason: string) => log.push(`created ${model}: ${reason}`),
    noteWrite: () => {},
    fence: async () => {},
    end: async () => {},
  } as Partial<WriteUnit> as WriteUnit
  const writes: WriteCoordinator = {
    idFieldsOf: (model) => (model === 'Lot' ? [['id']] : [['row', 'place']]),
    lookupsOf: () => [],
    prepare: () => undefined,
    begin: () => unit,
    within: (_, __, work) => work(),
    ...coordinator,
  }
  const promiseIn =
    (transaction?: PrismaTransaction) => (callback: (own?: PrismaTransaction) => unknown) => ({
      // oxlint-disable-next-line unicorn/no-thenable -- a promise of Prisma runs its query when it is awaited
      then: () => void callback(transaction),
    })
  const answer = (query: string): unknown => {
    log.push(query)
    return found[query.split('.')[0]!]
  }
  const { client } = await answeringPrisma(provider, Object.keys(models), answer, (given) => {
    const own = given as { readonly _engineConfig: { readonly adapter: object } }
    Object.assign(own._engineConfig, { inlineSchema, transactionOptions: { timeout } })
    Object.assign(own._engineConfig.adapter, { adapterName: '@prisma/adapter-libsql' })
    Object.assign(own, {
      _originalClient: own,
      _appliedParent: own,
      _runtimeDataModel: { models },
      _createPrismaPromise: promiseIn(),
      _engine: { transaction: async () => undefined },
      $extends: () => own,
      _errorFormat: 'minimal',
      _extensions: {
        getAllComputedFields: () => undefined,
        getAllModelExtensions: () => undefined,
        getAllQueryCallbacks: () => [],
      },
      _executeRequest: async (params: QueryParams) => {
        const { model, action } = params
        sent.push(params)
        log.push(`${model}.${action}`)
        if (action === 'delete') return found[model!]![0]
        return action.endsWith('Return') ? found[model!] : { count: 0 }
      },
      _transactionWithCallback: ({ callback, options }: CallbackTransaction) => {
        log.push(`start ${JSON.stringify(options)}`)
        const transaction = { kind: 'itx', id: 't' } as const
        return callback(
          Object.create(own, { _createPrismaPromise: { value: promiseIn(transaction) } }) as object,
        )
      },
    })
    methods = { ...(given as { readonly lot: object }).lot }
    extendPrisma(own, writes, options)
  })
  const { _executeRequest: query } = client as unknown as {
    _executeRequest(params: Partial<QueryParams>): Promise<unknown>
  }
  const run = (name: string, args: object | null = {}, change: Partial<QueryParams> = {}) => {
    const [model, action] = name.split('.') as [string, string]
    return query.call(client, { model, action, args: args as never, dataPath: [], ...change })
  }
  return { client, log, methods, run, sent }
}

describe('the database', () => {
  const written = 'written Lot [{"name":"n"}]'
  it.each<[string, boolean, readonly string[]]>([
    ['postgresql', true, ['Lot.delete', written]],
    ['postgres', true, ['Lot.delete', written]],
    ['cockroachdb', true, ['Lot.delete', written]],
    ['sqlite', true, ['Lot.delete', written]],
    ['mysql', false, ['Lot.findMany FOR UPDATE', written, 'Lot.delete', written]],
    ['sqlserver', false, ['written all Lot: unknown', 'Lot.delete']],
  ])('decides how the rows of a write are found: %s', async (provider, returnsCreated, deleted) => {
    const { log, run } = await extended({ provider, coordinator: { idFieldsOf: () => [['name']] } })
    await run('Lot.delete', { where: { id: 'a' } })
    expect(log.filter((line) => !line.startsWith('start'))).toEqual(deleted)
    log.length = 0
    await run('Lot.createMany', { data: [{ id: 'a' }] })
    expect(log).toContain(returnsCreated ? 'Lot.createManyAndReturn' : 'created Lot: unknown')
  })
})

it.each([
  [20, true],
  [21, false],
])('names few compound keys at once, with a limit of %d rows', async (maxRows, isAll) => {
  const { log, run } = await extended({ provider: 'sqlite', maxRows })
  await run('Seat.deleteMany', { where: { name: 'n' } })
  expect(log.includes('written all Seat: unknown')).toBe(isAll)
})

it.each<[Setting, number]>([
  [{}, 30_000],
  [{ timeout: 60_000 }, 60_000],
  [{ timeout: 60_000, transactionTimeoutMs: 1 }, 1],
  [{ transactionTimeoutMs: 3_600_000 }, 3_600_000],
])('limits the transaction around a write: %j', async (setting, timeout) => {
  const { log, run } = await extended(setting)
  await run('Lot.deleteMany')
  expect(log[0]).toBe(
    `start ${JSON.stringify({ timeout, maxWait: 2 ** 31 - 1, isolationLevel: 'ReadCommitted' })}`,
  )
})

it('takes the coordinator for its schema', async () => {
  const schemas: object[] = []
  const idFieldsOf = () => []
  const { log, run } = await extended({
    coordinator: {
      forSchema(schema) {
        schemas.push(schema)
        return { ...(this as WriteCoordinator), idFieldsOf }
      },
    },
  })
  await run('Lot.delete', { where: { id: 'a' } })
  expect(log).toEqual(['Lot.delete'])
  expect(schemas).toHaveLength(1)
})

it('gives Prisma what it refuses', async () => {
  const { run, sent } = await extended()
  await run('Lot.delete', null)
  expect(sent).toMatchObject([{ args: null }])
})

it('says which database writes go to, unless it is a replica', async () => {
  const databases: unknown[] = []
  const coordinator = { extended: (database: object) => databases.push(database) }
  const { client } = await extended({ coordinator })
  expect(databases).toEqual([databaseOf(client)])
  expect(readsReplica(client)).toBe(false)
  const replica = await extended({ coordinator, replica: true })
  expect(databases).toHaveLength(1)
  expect(readsReplica(replica.client)).toBe(true)
})

it('shows queries of the library to whoever sends them', async () => {
  const arrivals: Arrival[] = []
  const { run } = await extended()
  const transaction = { kind: 'itx', id: 't' } as const
  const args = { where: {} }
  const result = await asOwnQuery(
    async () => [await run('Lot.findMany', args), await run('Lot.count', args, { transaction })],
    (arrival) => arrivals.push(arrival),
  )
  expect(arrivals).toEqual([
    {
      model: 'Lot',
      action: 'findMany',
      args,
      isInTransaction: false,
      result: expect.any(Promise) as unknown,
    },
    { model: 'Lot', action: 'count', args, isInTransaction: true, result: expect.any(Promise) as unknown },
  ])
  expect(await Promise.all(arrivals.map((arrival) => arrival.result))).toEqual(result)
})

it.each<[ExtendPrismaOptions['reads'], boolean]>([
  [undefined, false],
  ['all', true],
])('has find methods ask the caches first, with reads: %s', async (reads, isDirect) => {
  const coordinator = { reads: { version: 1, all: () => [], isInTransaction: false } }
  const { client, methods } = await extended({ coordinator, ...(reads && { reads }) })
  expect((client['lot'] as typeof methods).findMany !== methods.findMany).toBe(isDirect)
})

it.each<[string, ExtendPrismaOptions]>([
  ['maxRows', { maxRows: 0 }],
  ['maxRows', { maxRows: 1.5 }],
  ['transactionTimeoutMs', { transactionTimeoutMs: 0 }],
  ['transactionTimeoutMs', { transactionTimeoutMs: 3_600_001 }],
  ['transactionTimeoutMs', { transactionTimeoutMs: NaN }],
  ['replica', { replica: 'yes' as never }],
])('refuses an invalid %s: %j', async (name, options) => {
  await expect(extended(options)).rejects.toThrow(`option "${name}" is `)
})

it('takes a limit of one row', async () => {
  await expect(extended({ maxRows: 1 })).resolves.toBeDefined()
})

it('refuses what is no client of Prisma', () => {
  for (const client of [undefined, null, {}, { $extends: () => null }, { _originalClient: {} }])
    expect(() => extendPrisma(client as object, {} as WriteCoordinator)).toThrow('option "prisma" is ')
})
