import { answeringPrisma } from '../../../../../../test/support/answering-prisma.js'
import { prepareLockingReads } from '../locking-reads.js'
import type { WriteUnit } from '../../write-coordinator.js'
import type { HookCall } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import type { Row } from './literals.js'
import { lockRows, takeWriteLock } from './lock-rows.js'
import type { WriteContext } from './write-context.js'

const { models } = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
enum Kind {
  OLD @map("old")
  NEW
}
model Seat {
  kind  Kind
  place BigInt  @map("no")
  taken Boolean

  @@id([kind, place])
  @@map("my \\"seats")
}
model Ticket {
  id String @id
}
model Price {
  amount Decimal @id
}
`)

async function lock(provider: string, model: string, rows: readonly Row[], answer: unknown = rows) {
  const found = ([text]: readonly string[]): unknown => JSON.parse(text!)
  const { asked, client } = await answeringPrisma(
    provider,
    [...models.keys()],
    (query, values) => {
      if (query.includes('has_any_column_privilege')) return [{ may: true }]
      return query.includes('json') ? found(values) : answer
    },
    prepareLockingReads,
  )
  const never = (): never => {
    throw new Error('locking marks nothing')
  }
  const coordinator = { idFieldsOf: never, lookupsOf: never, prepare: never, begin: never, within: never }
  const planning = {
    models,
    coordinator,
    limit: 3,
    groupsPerQuery: 2,
    returnsCreated: true,
    locksRows: true,
  }
  const transaction = { kind: 'itx', id: 'tx' } as const
  const unit = {} as WriteUnit
  const context = { planning, bareClient: client, transaction, unit, mayReadSnapshot: false }
  return { locked: await lockRows(context, models.get(model)!, rows), asked }
}

const seats = [
  { kind: 'OLD', place: 1n },
  { kind: 'NEW', place: 2n },
]
const permission = [
  `raw SELECT has_any_column_privilege(to_regclass($1)::oid, 'UPDATE') AS "may"`,
  ['"public"."my ""seats"'],
]

it('names tables, columns and values as PostgreSQL does, in one parameter', async () => {
  expect(await lock('postgresql', 'Seat', seats)).toEqual({
    locked: 2,
    asked: [
      permission,
      [
        'raw SELECT 1 FROM "public"."my ""seats" WHERE ("kind", "no") IN ' +
          '(SELECT "kind", "no" FROM json_populate_recordset(NULL::"public"."my ""seats", $1::json)) FOR UPDATE',
        ['[{"kind":"old","no":"1"},{"kind":"NEW","no":"2"}]'],
      ],
    ],
  })
})

it('gives CockroachDB a parameter for each value', async () => {
  expect(await lock('cockroachdb', 'Seat', seats)).toEqual({
    locked: 2,
    asked: [
      permission,
      [
        'raw SELECT 1 FROM "public"."my ""seats" WHERE ("kind", "no") IN (($1, $2), ($3, $4)) FOR UPDATE',
        ['old', 1n, 'NEW', 2n],
      ],
    ],
  })
})

it('locks a thousand rows per query', async () => {
  const rows = Array.from({ length: 2_001 }, (_, index) => ({ id: `${index}` }))
  const { asked, locked } = await lock('postgres', 'Ticket', rows)
  const [, ...locks] = asked.map(([, values]) => values as readonly [string])
  expect(locked).toBe(2_001)
  expect(locks.map(([text]) => (JSON.parse(text) as unknown[]).length)).toEqual([1_000, 1_000, 1])
  expect(locks.flatMap(([text]) => JSON.parse(text) as unknown[])).toEqual(rows)
  expect((await lock('postgres', 'Ticket', rows.slice(1))).asked).toHaveLength(3)
})

it('locks no rows if the user may not, or if no query finds them again', async () => {
  const denied = { name: 'DriverAdapterError', cause: { kind: 'mysql', code: 1142 } }
  const refused = Object.assign(new Error('denied'), denied)
  expect((await lock('mysql', 'Ticket', [{ id: 'a' }], refused)).locked).toBeUndefined()
  expect(await lock('postgresql', 'Price', [{ amount: 1 }])).toEqual({ locked: undefined, asked: [] })
})

it('takes the lock of SQLite once for all writes of a unit', async () => {
  const sent: unknown[] = []
  const call = {
    params: { model: 'Ticket', action: 'update', dataPath: ['select', 'seat'] },
    query: async (args: object, params: unknown) => void sent.push([args, params]),
  } as unknown as HookCall
  const transaction = { kind: 'itx', id: 'tx' } as const
  const context = { transaction, unit: {} } as WriteContext
  await takeWriteLock(context, call)
  await takeWriteLock(context, call)
  expect(sent).toEqual([
    [{ where: { OR: [] } }, { model: 'Ticket', transaction, action: 'deleteMany', dataPath: [] }],
  ])
  await takeWriteLock({ ...context, unit: {} as WriteUnit }, call)
  expect(sent).toHaveLength(2)
})

it('asks no other database than those that it knows', async () => {
  expect(await lock('sqlserver', 'Seat', seats)).toEqual({ locked: undefined, asked: [] })
  expect(await lock('sqlite', 'Seat', seats)).toEqual({ locked: 2, asked: [] })
})
