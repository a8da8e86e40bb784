import { AffectedRows } from '../../affected-rows.js'
import type { WriteCoordinator } from '../../write-coordinator.js'
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
  }`)
const coordinator = {
  idFieldsOf: () => [['email']],
  lookupsOf: () => [],
} as Partial<WriteCoordinator> as WriteCoordinator
const facts = {
  triggers: new Set(),
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
