import { AffectedRows } from '../../affected-rows.js'
import type { WriteCoordinator, WriteUnit } from '../../write-coordinator.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import type { Queryable, SqlResultSet } from './adapter.js'
import { RowWriter } from './row-writer.js'
import { readStatement } from './statement.js'
import type { TableFacts } from './table-facts.js'
import { WrittenTable, type WrittenDatabase } from './written-table.js'

const { models } = describeSchemaText(`
  model User {
    id    Int    @id @default(autoincrement()) @ignore
    email String @unique
    name  String
  }
  model Guest {
    email String @unique
    name  String
  }
  model Item {
    id   Int    @id
    slug String @unique
    name String
  }
  model Reading {
    at DateTime @id
  }
  model Slot {
    room String
    hour String
    @@id([room, hour])
  }`)
const idFields: Readonly<Record<string, readonly string[]>> = {
  User: ['email'],
  Guest: ['email'],
  Item: ['slug'],
  Reading: ['at'],
  Slot: ['room', 'hour'],
}
const coordinator = {
  idFieldsOf: (model) => [idFields[model]!],
  lookupsOf: () => [],
} as Partial<WriteCoordinator> as WriteCoordinator
const facts = {
  triggers: new Map(),
  derived: new Set(),
  numbered: 'id',
  hasReturning: false,
} as Partial<TableFacts> as TableFacts
const found: SqlResultSet = { columnNames: ['email'], columnTypes: [], rows: [['a']], lastInsertId: '1' }
const tx: Queryable = { queryRaw: () => Promise.resolve(found), executeRaw: () => Promise.resolve(1) }

it.each<[string, string, unknown]>([
  ['mysql', 'INSERT INTO User (email, name) VALUES (?, ?)', found],
  ['mysql', 'UPDATE User SET email = ? WHERE name = ?', 1],
  ['mysql', 'DELETE FROM User WHERE name = ?', 1],
  ['sqlite', 'UPDATE User SET name = ? WHERE name = ?', 1],
])('writes rows of %s whose primary key the client hides: %s', async (provider, sql, expected) => {
  const database = { coordinator, models, provider, limit: 10 } as Partial<WrittenDatabase> as WrittenDatabase
  const statement = readStatement(sql, provider, 10)!
  const affected = new AffectedRows(coordinator, 10)
  const query = { sql, args: ['a', 'n'], argTypes: [] }
  const write = { tx, query, statement, affected, wantsRows: expected === found }
  const table = new WrittenTable(database, models.get('User')!, statement, facts)
  expect(await new RowWriter(database).write(write, table)).toBe(expected)
  expect(affected.isEmpty).toBe(false)
})

/** What a statement of PostgreSQL marks that finds some rows, and makes these of them. */
async function marked(sql: string, model: string, before: unknown[], after: unknown[]): Promise<unknown[]> {
  const provider = 'postgresql'
  const database = { coordinator, models, provider, limit: 10 } as Partial<WrittenDatabase> as WrittenDatabase
  const answering: Queryable = {
    queryRaw: ({ sql: sent }) =>
      Promise.resolve({ ...found, rows: [sent.startsWith('SELECT') ? before : [...after, 1]] }),
    executeRaw: () => Promise.resolve(0),
  }
  const statement = readStatement(sql, provider, 10)!
  const affected = new AffectedRows(coordinator, 10)
  const query = { sql, args: before, argTypes: [] }
  const write = { tx: answering, query, statement, affected, wantsRows: false }
  const table = new WrittenTable(database, models.get(model)!, statement, facts)
  expect(await new RowWriter(database).write(write, table)).toBe(1)
  return marksIn(affected)
}

function marksIn(affected: AffectedRows): unknown[] {
  const marks: unknown[] = []
  affected.markIn({
    markAllWritten: (_, reason) => void marks.push(reason),
    markWritten: (_, rows) => void marks.push(...rows),
  } as Partial<WriteUnit> as WriteUnit)
  return marks
}

it.each<[string, unknown[], unknown[], object, object]>([
  [
    'UPDATE "Reading" SET "at" = $2 WHERE "at" = $1',
    ['2026-01-01T00:00:00.100+00:00'],
    ['2026-01-01T00:00:00.200+00:00'],
    { at: new Date('2026-01-01T00:00:00.100Z') },
    { at: new Date('2026-01-01T00:00:00.200Z') },
  ],
  [
    'UPDATE "Slot" SET "room" = $3, "hour" = $4 WHERE "room" = $1 AND "hour" = $2',
    ['a,b', 'c'],
    ['a', 'b,c'],
    { room: 'a,b', hour: 'c' },
    { room: 'a', hour: 'b,c' },
  ],
])(
  'marks a row under its id before and after, also where both look alike: %s',
  async (sql, before, after, ...ids) => {
    const [, model] = sql.split('"')
    expect(await marked(sql, model!, before, after)).toEqual(ids)
  },
)

describe.each(['User', 'Guest'])('an upsert of %s, whose rows no primary key tells apart', (model) => {
  const upsert = (condition: string): string => `INSERT INTO "${model}" (email, name) VALUES ($1, 'n')
    ON CONFLICT (email) DO UPDATE SET email = 'new' WHERE "${model}".${condition}`

  it('has written the row that its condition names by another key', async () => {
    const marks = await marked(upsert('email = $1'), model, ['old'], ['new'])
    expect(marks).toEqual([{ email: 'old' }, { email: 'new' }])
  })

  it.each(["name = 'n'", 'email IN ($1, $2)'])(
    'may have written another row than its condition has found: %s',
    async (condition) => {
      expect(await marked(upsert(condition), model, ['old'], ['new'])).toEqual(['unknown'])
    },
  )
})

it('marks the id that a trigger of MySQL gives a row', async () => {
  const provider = 'mysql'
  const database = { coordinator, models, provider, limit: 10 } as Partial<WrittenDatabase> as WrittenDatabase
  let slug = 'old'
  const writing: Queryable = {
    queryRaw: () => Promise.resolve({ ...found, rows: [[1, slug]] }),
    executeRaw: () => {
      slug = 'new'
      return Promise.resolve(1)
    },
  }
  const sql = 'UPDATE Item SET name = ? WHERE id = ?'
  const statement = readStatement(sql, provider, 10)!
  const affected = new AffectedRows(coordinator, 10)
  const query = { sql, args: ['n', 1], argTypes: [] }
  const write = { tx: writing, query, statement, affected, wantsRows: false }
  const triggers: TableFacts['triggers'] = new Map([['before update', undefined]])
  const table = new WrittenTable(database, models.get('Item')!, statement, { ...facts, triggers })
  expect(await new RowWriter(database).write(write, table)).toBe(1)
  expect(marksIn(affected)).toEqual([{ slug: 'old' }, { slug: 'new' }])
})
