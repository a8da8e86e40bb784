import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { databaseOf } from 'model-cache/advanced'
import { describeOn } from '../../support/describe-databases.js'
import { mysqlConnectionOf } from '../../support/mysql-database.js'
import { chosenDialects, type Dialect, dialectNamed } from '../differential/dialects/dialects.js'

/** What the views of a new database read. */
async function viewsOf({ client, kind }: Dialect, script: string) {
  const database = await kind.create()
  const quote = kind.provider === 'mysql' ? '`' : '"'
  await database.run(script.replaceAll('~', quote))
  const PrismaClient = await client()
  const prisma = new PrismaClient({ adapter: database.adapter(1) }) as { $disconnect(): Promise<void> }
  try {
    const shared = await databaseOf(prisma).sharedTables!()
    return (name: string) => {
      const { isOpaque, kind: found, tables } = shared!.of({ schema: 'public', name }) ?? {}
      return { isOpaque, kind: found, tables: new Set(tables?.map((table) => table.name.toLowerCase())) }
    }
  } finally {
    await prisma.$disconnect()
    await database.drop()
  }
}

/** Whether a database takes names for equal that differ in case. */
async function foldsNames({ kind }: Dialect): Promise<boolean> {
  if (kind.provider !== 'mysql') return kind.provider === 'sqlite'
  const database = await kind.create()
  try {
    const [row] = await database.rows<{ folds: unknown }>('SELECT @@lower_case_table_names AS folds')
    return Number(row!.folds) > 0
  } finally {
    await database.drop()
  }
}

const tables = `
  CREATE TABLE users (id int PRIMARY KEY, name varchar(20));
  CREATE TABLE ~order~ (id int PRIMARY KEY, name varchar(20));
  CREATE TABLE ~an odd.name~ (id int PRIMARY KEY, name varchar(20));`

describe.each(chosenDialects().map((dialect) => [dialect.kind.name, dialect] as const))(
  'the views of %s',
  (_, dialect) => {
    it.each<[string, string, readonly string[]]>([
      ['a condition', "SELECT id FROM users WHERE name <> 'a `quote'", ['users']],
      ['an alias', 'SELECT o.id FROM ~order~ o', ['order']],
      [
        'a join',
        'SELECT u.id FROM users AS u LEFT JOIN ~an odd.name~ x ON x.id = u.id',
        ['users', 'an odd.name'],
      ],
      ['a subquery', 'SELECT id FROM users WHERE id IN (SELECT id FROM ~order~)', ['users', 'order']],
      ['a union', 'SELECT id FROM users UNION SELECT id FROM ~order~', ['users', 'order']],
      ['a common table', 'WITH c AS (SELECT id FROM ~order~) SELECT id FROM c', ['order']],
      ['a count', 'SELECT count(*) AS id FROM users', ['users']],
      ['another view', 'SELECT id FROM base', ['users']],
    ])('read the tables of %s', async (__, query, expected) => {
      const view = await viewsOf(
        dialect,
        `${tables} CREATE VIEW base AS SELECT id FROM users; CREATE VIEW ~a view~ AS ${query};`,
      )
      const { isOpaque, kind, tables: read } = view('a view')
      expect({ isOpaque: isOpaque ?? false, kind }).toEqual({ isOpaque: false, kind: 'view' })
      // Others may count as read: an alias, a column.
      const known = ['users', 'order', 'an odd.name']
      expect(known.filter((name) => read.has(name)).toSorted()).toEqual([...expected].toSorted())
    })
  },
)

it.each(chosenDialects().map((dialect) => [dialect.kind.name, dialect] as const))(
  'views of %s whose names differ in case are two where the database tells them apart',
  async (_, dialect) => {
    const second = (await foldsNames(dialect)) ? '' : 'CREATE VIEW seen AS SELECT id FROM ~order~;'
    const views = await viewsOf(dialect, `${tables} CREATE VIEW ~Seen~ AS SELECT id FROM users; ${second}`)
    const [one, other] = [views('Seen').tables, views('seen').tables]
    expect([one.has('users'), other.has('users')]).toEqual([true, second === ''])
  },
)

describeOn(['mysql'], 'a view of $name', (kind) => {
  it('may read any table if the role may not see its definition', async () => {
    const database = await kind.create()
    const url = new URL(database.url)
    const own = url.pathname.slice(1)
    const role = `reader_${process.pid}`
    await database.run(`
      CREATE TABLE users (id int PRIMARY KEY); CREATE VIEW active AS SELECT id FROM users;
      CREATE USER ${role} IDENTIFIED BY 'reader'; GRANT SELECT ON active TO ${role};`)
    const PrismaClient = await dialectNamed(kind.name).client()
    const adapter = new PrismaMariaDb({
      ...mysqlConnectionOf(url),
      user: role,
      password: 'reader',
      database: own,
    })
    const prisma = new PrismaClient({ adapter }) as { $disconnect(): Promise<void> }
    try {
      const shared = await databaseOf(prisma).sharedTables!()
      expect(shared!.of({ schema: 'public', name: 'active' })).toMatchObject({ kind: 'view', isOpaque: true })
    } finally {
      await prisma.$disconnect()
      await database.run(`DROP USER ${role}`)
      await database.drop()
    }
  })
})
