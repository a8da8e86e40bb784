import { createSqliteDemo } from '../../../../../test/support/sqlite-demo.js'
import { isOwnQuery } from '../own-queries.js'
import { databaseOf } from './prisma-database.js'

type Answer = readonly object[] | { readonly failure: unknown }

interface Client {
  readonly provider?: string
  readonly models?: readonly { readonly schema?: string | null }[]
  /** That of the adapter. */
  readonly schema?: string
  /** What the database answers, in order. */
  readonly answers?: readonly Answer[]
}

/** A client, and the questions that reach its database without its extensions. */
function clientOf({ provider = 'postgresql', models = [{}], schema, answers = [] }: Client) {
  const asked: (readonly [sql: string, values: readonly string[]])[] = []
  const left = [...answers]
  const $queryRawUnsafe = async (sql: string, ...values: readonly string[]): Promise<readonly object[]> => {
    // What it makes of columns is another question.
    if (sql.includes('collisdeterministic')) return []
    asked.push([isOwnQuery() ? sql : '', values])
    const answer = left.shift()!
    if ('failure' in answer) throw answer.failure
    return answer
  }
  const client = {
    _activeProvider: provider,
    _appliedParent: { $queryRawUnsafe },
    _engineConfig: { adapter: schema === undefined ? {} : { options: { schema } } },
    _runtimeDataModel: { models: { ...models } },
  }
  Object.assign(client, { _originalClient: client })
  return { asked, client }
}

async function describeOf(options: Client) {
  const { asked, client } = clientOf(options)
  return { asked, described: await databaseOf(client).describe() }
}

/** How Prisma reports what its driver adapter does. */
const adapterError = (cause: object): object => ({ meta: { driverAdapterError: { cause } } })
const byCode = (isRefused: boolean, codes: readonly unknown[]): [boolean, unknown][] =>
  codes.map((originalCode) => [isRefused, adapterError({ originalCode })])
const refused: Answer = { failure: adapterError({ originalCode: '42501' }) }

const server = {
  system: '73',
  name: 'shop',
  branch: '',
  history: '1.16384.16390',
  position: '120',
  host: '10.0.0.5',
  port: '5432',
}
const migration = { id: 'd1', name: 'shop', history: '16384.16390' }

describe('databaseOf', () => {
  it('returns the same database for all clients of a PrismaClient', () => {
    const { client } = clientOf({})
    const database = databaseOf(client)
    expect(databaseOf(client)).toBe(database)
    expect(databaseOf(Object.create(client) as object)).toBe(database)
    expect(databaseOf(clientOf({}).client)).not.toBe(database)
  })

  it.each<[string, object]>([
    ['is not one of Prisma', {}],
    ['cannot be asked', { _originalClient: { _appliedParent: {} }, _activeProvider: 'sqlite' }],
  ])('describes nothing if the client %s', async (_, client) => {
    expect(await databaseOf(client).describe()).toBeUndefined()
  })
})

describe('PostgreSQL', () => {
  it.each<[string, object, object]>([
    [
      'its server',
      server,
      {
        id: 'postgresql/73/shop',
        position: '120',
        name: 'database "shop", schema "public" (PostgreSQL 73, 10.0.0.5:5432)',
      },
    ],
    [
      'a branch of Neon, by a socket',
      { ...server, branch: 'b1', host: null, port: null },
      {
        id: 'postgresql/73/b1/shop',
        position: '120',
        name: 'database "shop", schema "public" (PostgreSQL 73, b1)',
      },
    ],
    ['a replica, whose position does not count', { ...server, position: null }, { position: undefined }],
  ])('is described by %s', async (_, row, expected) => {
    const { asked, described } = await describeOf({ answers: [[row]] })
    expect(described).toEqual({
      id: 'postgresql/73/shop',
      schema: 'public',
      history: '1.16384.16390',
      name: expect.any(String) as string,
      ...expected,
    })
    expect(asked).toEqual([[expect.stringContaining('pg_control_system()'), ['["public"]']]])
  })

  it.each(['postgresql', 'postgres'])(
    'is described by its migrations if it refuses that (%s)',
    async (provider) => {
      const { asked, described } = await describeOf({
        provider,
        schema: 'my "shop',
        answers: [refused, [migration]],
      })
      expect(described).toEqual({
        id: 'migrated/d1/shop',
        schema: 'my "shop',
        history: '16384.16390',
        name: 'database "shop", schema "my "shop" (PostgreSQL, whose first migration is d1)',
      })
      expect(asked[1]).toEqual([
        expect.stringContaining('FROM "my ""shop"._prisma_migrations'),
        ['["my \\"shop"]'],
      ])
    },
  )

  it.each<[string, NonNullable<Client['models']>, string, readonly string[]]>([
    ['its default for no models', [], 'public', ['public']],
    ['its default if a model names none', [{ schema: 'a' }, {}, { schema: null }], 'public', ['public', 'a']],
    [
      'none if all models name theirs',
      [{ schema: 'a' }, { schema: 'b' }, { schema: 'a' }],
      '',
      ['public', 'a', 'b'],
    ],
  ])('has the schema of its tables: %s', async (_, models, schema, all) => {
    const detail = schema && `, schema "${schema}"`
    for (const answers of [[[server]], [refused, [migration]]]) {
      const { asked, described } = await describeOf({ models, answers })
      expect(described).toMatchObject({
        schema,
        name: expect.stringContaining(`"shop"${detail} (`) as string,
      })
      expect(asked.map(([, values]) => values)).toEqual(answers.map(() => [JSON.stringify(all)]))
    }
  })

  it.each<[boolean, unknown]>([
    [true, adapterError({ kind: 'TableDoesNotExist' })],
    [true, adapterError({ originalMessage: 'SQLITE_ERROR: no such table: _prisma_migrations' })],
    [false, adapterError({ originalMessage: 'SQLITE_IOERR: disk I/O error' })],
    ...byCode(true, ['42501', '42P08', '0A000', 1142, 1143]),
    // Connections, logins, resources and operators.
    ...byCode(false, ['08006', '25P02', '28000', '3D000', '40001', '53300', '55P03', '57P01', '58030']),
    // MariaDB's driver: a server that is not reached, a pool without a connection.
    ...byCode(false, ['45012', 45_028]),
    // No SQLSTATE, and other errors of MySQL.
    ...byCode(false, ['142501', '425010', '42.01', 1044, 1141, 114_300, 501_143]),
    [false, adapterError({ kind: 'Other' })],
    [false, { meta: { driverAdapterError: {} } }],
    [false, { meta: {} }],
    [false, new Error('lost')],
    [false, undefined],
  ])('%p: the next question follows after %j', async (isRefused, failure) => {
    const described = describeOf({ answers: [{ failure }, [migration]] })
    if (isRefused) expect((await described).described?.id).toBe('migrated/d1/shop')
    else await expect(described).rejects.toBe(failure)
  })

  it('is not described if nothing answers', async () => {
    const { asked, described } = await describeOf({ answers: [[], refused] })
    expect([described, asked.length]).toEqual([undefined, 2])
  })
})

describe('other databases', () => {
  it.each<[string, object, object]>([
    [
      'cockroachdb',
      migration,
      {
        id: 'migrated/d1/shop',
        schema: 'public',
        name: 'database "shop", schema "public" (CockroachDB, whose first migration is d1)',
      },
    ],
    [
      'mysql',
      migration,
      { id: 'migrated/d1/shop', name: 'database "shop" (MySQL, whose first migration is d1)' },
    ],
    [
      'mysql',
      { ...migration, name: null },
      { id: 'migrated/d1', name: 'database (MySQL, whose first migration is d1)' },
    ],
    [
      'sqlite',
      { ...migration, name: '' },
      { id: 'migrated/d1', name: 'database (SQLite, whose first migration is d1)' },
    ],
  ])('%s is described by its migrations', async (provider, row, expected) => {
    const { asked, described } = await describeOf({ provider, answers: [[row]] })
    const { schema = '' } = expected as { schema?: string }
    expect(described).toEqual({ schema, history: schema, ...expected })
    expect(asked).toEqual([[expect.stringContaining('FROM _prisma_migrations'), []]])
  })

  it.each(['mongodb', 'sqlserver'])('%s is not asked', async (provider) => {
    expect(await describeOf({ provider, answers: [[migration]] })).toEqual({
      asked: [],
      described: undefined,
    })
  })

  it('is described as SQLite answers', async () => {
    const demo = await createSqliteDemo()
    try {
      const [first] = await demo
        .client()
        .$queryRawUnsafe<{ id: string }[]>('SELECT id FROM _prisma_migrations ORDER BY started_at, id')
      expect(await databaseOf(demo.client()).describe()).toMatchObject({ id: `migrated/${first!.id}` })
      const client = demo.client()
      await client.$executeRawUnsafe('DROP TABLE _prisma_migrations')
      expect(await databaseOf(client).describe()).toBeUndefined()
    } finally {
      await demo.close()
    }
  })
})
