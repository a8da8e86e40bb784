import type { WriteUnit } from '../../write-coordinator.js'
import type { Args } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { createPlanner } from './create-planner.js'

const { models } = describeSchemaText(`
model Shop {
  id      Int      @id
  lines   Line[]
  secrets Secret[] @ignore
}
model Line {
  id      Int   @id
  shopId  Int
  orderId Int
  shop    Shop  @relation(fields: [shopId], references: [id])
  order   Order @relation(fields: [orderId], references: [id])
}
model Order {
  id    Int    @id
  lines Line[]
  part  Part
}
model Part {
  id Int @id
}
model Secret {
  id     Int  @id
  shopId Int
  shop   Shop @relation(fields: [shopId], references: [id]) @ignore
}
model Note {
  id Int @id
}
`)

const broken = new Error('broken')
const never = (): never => {
  throw broken
}

/** The models of which a query marks all rows; undefined if it is planned exactly. */
function allOf(model: string, args: Args, isComplete = true, idFieldsOf = () => [['id']]) {
  const coordinator = { idFieldsOf, lookupsOf: () => [], prepare: never, begin: never, within: never }
  const planning = {
    models,
    coordinator,
    limit: 3,
    groupsPerQuery: 50,
    returnsCreated: true,
    locksRows: true,
  }
  const plan = createPlanner(planning)({ model, operation: 'create', args, isComplete })!
  const marked: string[] = []
  plan.affected.announceTo({
    markAllWritten: (name: string) => marked.push(name),
    markWritten: () => {},
    markCreated: () => {},
  } as Partial<WriteUnit> as WriteUnit)
  return { marked: marked.toSorted(), plan }
}
const connected = ['Line', 'Order', 'Part', 'Secret', 'Shop']

const order = { create: { id: 1 } }
it.each<[string, Args]>([
  ['Order', { data: { id: 1 } }],
  ['Line', { data: { id: 1, order } }],
  ['Shop', { data: { id: 1, lines: { create: [{ id: 1 }, { id: 2, order }] } } }],
])('a write that may reach a model with a problem marks all that are connected: %s %j', (model, args) => {
  expect(models.get('Order')!.problem).toBeDefined()
  expect(allOf(model, args).marked).toEqual(connected)
})

it('plans others exactly', () => {
  expect(allOf('Shop', { data: { id: 1, lines: { create: [{ id: 1, orderId: 1 }] } } }).marked).toEqual([])
  expect(allOf('Note', { data: { id: 1 } }).marked).toEqual([])
})

it('knows of an unknown model no other, and runs the query as it is', () => {
  const { marked, plan } = allOf('Other', { data: { lines: { create: {} } } })
  const { affected: _, ...rest } = plan
  expect(marked).toEqual(['Other'])
  expect(rest).toEqual({
    model: 'Other',
    idFields: [],
    unknown: 'none',
    entering: undefined,
    furtherRows: [],
    mode: 'plain',
    isOneStatement: false,
    changes: {},
  })
})

it('follows relations that the client hides', () => {
  expect(allOf('Secret', { data: { id: 1 } }, false).marked).toEqual(connected)
  expect(allOf('Note', { data: { id: 1 } }, false).marked).toEqual(['Note'])
})

it('passes on errors that are about something else', () => {
  let calls = 0
  const idFieldsOf = () => (calls++ === 0 ? never() : [['id']])
  expect(() => allOf('Note', { data: { id: 1 } }, true, idFieldsOf)).toThrow(broken)
})
