import type { WriteCoordinator, WriteUnit } from '../../write-coordinator.js'
import type { ClientSchema } from '../client-schema.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import type { Queryable } from './adapter.js'
import { WriteCapture } from './write-capture.js'

const facts = describeSchemaText(`
  datasource db {
    provider = "postgresql"
  }
  model Lot {
    id   Int    @id @ignore
    code String @unique
    tags Tag[]
  }
  model Tag {
    id   Int   @id
    lots Lot[]
  }`)
const coordinator = {
  idFieldsOf: (model: string) => (model === 'Lot' ? [['code']] : [['id']]),
  lookupsOf: (model: string) =>
    model === 'Lot'
      ? [{ key: ['id'], fields: ['code'], through: 'tags' }]
      : [{ key: undefined, fields: ['id'], through: 'lots' }],
  prepare: () => undefined,
} as Partial<WriteCoordinator> as WriteCoordinator

describe('a pair of a join table, of which the client hides one key', () => {
  it.each([
    ['INSERT INTO "_LotToTag" ("A", "B") VALUES ($1, $2)', [7, 3]],
    ['DELETE FROM "_LotToTag" WHERE "B" = $1', [3]],
  ])('affects all entries by that key, and one by the other: %s', async (sql, args) => {
    const capture = new WriteCapture(facts, {} as ClientSchema, coordinator, 10, undefined)
    const { writing } = capture.read(sql)
    const { all } = await capture.plan(writing!, { sql, args, argTypes: [] }, false, {} as Queryable)
    const marked: unknown[][] = []
    const unit: Partial<WriteUnit> = { markJoinedThrough: (...call) => void marked.push(call) }
    capture.announce(all, unit as WriteUnit)
    expect(marked).toEqual([
      ['Lot', 'tags', [{ id: 3 }]],
      ['Tag', 'lots', [{}]],
    ])
  })
})
