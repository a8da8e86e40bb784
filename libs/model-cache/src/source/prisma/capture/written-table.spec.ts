import { AffectedRows } from '../../affected-rows.js'
import type { WriteCoordinator } from '../../write-coordinator.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { readStatement } from './statement.js'
import type { TableFacts } from './table-facts.js'
import { addCascades, concerns, WrittenTable, type WrittenDatabase } from './written-table.js'

const { models } = describeSchemaText(`
  model Shelf {
    id    Int    @id
    code  String @unique @map("shelf_code") @ignore
    books Book[] @ignore
  }
  model Book {
    id        Int    @id
    shelfCode String
    shelf     Shelf  @relation(fields: [shelfCode], references: [code], onDelete: Restrict, onUpdate: Cascade) @ignore
  }`)
const coordinator = {
  idFieldsOf: (model: string) => (model === 'Book' ? [['id']] : []),
  lookupsOf: () => [],
} as Partial<WriteCoordinator> as WriteCoordinator
const database = {
  coordinator,
  models,
  provider: 'postgresql',
} as Partial<WrittenDatabase> as WrittenDatabase
const noFacts = { triggers: new Map(), derived: new Set() } as Partial<TableFacts> as TableFacts

describe('a column that the client lacks, and to which rows of others refer', () => {
  const model = models.get('Shelf')!

  it.each([
    ['UPDATE "Shelf" SET shelf_code = $1', true],
    ['UPDATE "Shelf" SET id = $1', false],
  ])('passes a change on to these: %s', (sql, expected) => {
    const statement = readStatement(sql, 'postgresql', 10)!
    expect(concerns(database, model, statement)).toBe(true)
    expect(new WrittenTable(database, model, statement, noFacts).passesOn).toBe(expected)
  })

  it('passes the change of a generated column on', () => {
    const statement = readStatement('UPDATE "Shelf" SET id = $1', 'postgresql', 10)!
    const facts = { ...noFacts, derived: new Set(['shelf_code']) }
    expect(new WrittenTable(database, model, statement, facts).passesOn).toBe(true)
  })

  it('passes on what an unknown write may change', () => {
    const affected = new AffectedRows(coordinator, 10)
    addCascades(affected, models, 'Shelf')
    expect(affected.isEmpty).toBe(false)
  })
})

describe('a trigger of some columns', () => {
  const facts: TableFacts = { ...noFacts, triggers: new Map([['before update', new Set(['shelf_code'])]]) }
  const writtenBy = (sql: string, change: Partial<TableFacts> = {}): WrittenTable =>
    new WrittenTable(database, models.get('Shelf')!, readStatement(sql, 'postgresql', 10)!, {
      ...facts,
      ...change,
    })
  const upsert = 'INSERT INTO "Shelf" (id, shelf_code) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET'

  it.each([
    ['UPDATE "Shelf" SET id = $1, shelf_code = $2', true],
    ['UPDATE "Shelf" SET id = $1', false],
    [`${upsert} shelf_code = $2`, true],
    [`${upsert} id = $1`, false],
    ['DELETE FROM "Shelf"', false],
  ])('is fired by a statement that sets one of these: %s', (sql, expected) => {
    const { hasTriggers, isDiverted } = writtenBy(sql)
    expect([hasTriggers, isDiverted]).toEqual([expected, expected])
  })

  it('is fired by a generated column, too', () => {
    const { hasTriggers } = writtenBy('UPDATE "Shelf" SET id = $1', { derived: new Set(['shelf_code']) })
    expect(hasTriggers).toBe(true)
  })
})
