import { AffectedRows } from '../../affected-rows.js'
import type { Change } from '../../referential-actions.js'
import type { WriteUnit } from '../../write-coordinator.js'
import type { Args } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { canFindIds, planCascades, showsNewIds } from './plan-cascades.js'

const { models } = describeSchemaText(`
model Site {
  org    String
  slug   String
  code   String
  pages  Page[]
  rates  Rate[]
  marks  Mark[] @ignore

  @@id([org, slug])
  @@unique([org, code])
}
model Page {
  id    String  @id
  org   String?
  slug  String?
  site  Site?   @relation(fields: [org, slug], references: [org, slug])
  notes Note[]  @ignore
}
model Rate {
  amount Decimal @id
  org    String
  slug   String
  site   Site    @relation(fields: [org, slug], references: [org, slug], onDelete: Cascade)
  lines  Line[]
}
model Line {
  id     String  @id
  amount Decimal
  rate   Rate    @relation(fields: [amount], references: [amount], onDelete: Cascade)
  stamps Stamp[] @ignore
}
model Stamp {
  id     String @id
  lineId String
  line   Line   @relation(fields: [lineId], references: [id], onDelete: Cascade)
}
model Mark {
  id   String @id
  org  String
  code String
  site Site   @relation(fields: [org, code], references: [org, code], onDelete: Cascade)
}
model Note {
  id     String @id
  pageId String
  page   Page   @relation(fields: [pageId], references: [id], onDelete: Cascade)
}
model Tree {
  id       String  @id
  parentId String?
  parent   Tree?   @relation("tree", fields: [parentId], references: [id], onDelete: Cascade)
  children Tree[]  @relation("tree")
  leaves   Leaf[]
  prices   Price[]
}
model Branch {
  id       String   @id
  org      String
  no       Int
  parentId Int?
  parent   Branch?  @relation("branch", fields: [org, parentId], references: [org, no])
  branches Branch[] @relation("branch")

  @@unique([org, no])
}
model Desk {
  id     String  @id
  lampId String?
  lamp   Lamp?   @relation("light", fields: [lampId], references: [deskId])
  lamps  Lamp?   @relation("place")
}
model Lamp {
  id     String @id
  deskId String @unique
  desk   Desk   @relation("place", fields: [deskId], references: [id])
  desks  Desk[] @relation("light")
}
model Leaf {
  id     String @id
  treeId String
  tree   Tree   @relation(fields: [treeId], references: [id], onDelete: Cascade)
}
model Price {
  amount Decimal @id
  treeId String
  tree   Tree    @relation(fields: [treeId], references: [id], onDelete: Cascade)
}
model Account {
  id      String   @id
  threads Thread[]
  teams   Team[]
}
model Thread {
  id        String    @id
  accountId String?
  teamId    String?
  messageId String?
  account   Account?  @relation(fields: [accountId], references: [id], onDelete: Cascade)
  team      Team?     @relation(fields: [teamId], references: [id], onDelete: Cascade)
  message   Message?  @relation("replies", fields: [messageId], references: [id], onDelete: Cascade)
  messages  Message[] @relation("messages")
}
model Message {
  id       String   @id
  threadId String
  thread   Thread   @relation("messages", fields: [threadId], references: [id], onDelete: Cascade)
  replies  Thread[] @relation("replies")
}
model Team {
  id        String   @id
  accountId String
  account   Account  @relation(fields: [accountId], references: [id], onDelete: Cascade)
  threads   Thread[]
}
model Market {
  id    String @id
  halls Hall[]
}
model Hall {
  id       String  @id
  marketId String
  market   Market  @relation(fields: [marketId], references: [id], onDelete: Cascade)
  stalls   Stall[]
  labels   Label[]
}
model Label {
  id     String @id
  hallId String
  hall   Hall   @relation(fields: [hallId], references: [id], onDelete: Cascade)
  stall  Stall?
}
model Stall {
  id      String  @id
  hallId  String
  labelId String? @unique
  hall    Hall    @relation(fields: [hallId], references: [id], onDelete: Cascade)
  label   Label?  @relation(fields: [labelId], references: [id], onDelete: SetNull)
  sign    Sign?
}
model Sign {
  id      String  @id
  labelId String  @unique
  stall   Stall   @relation(fields: [labelId], references: [labelId], onDelete: Cascade)
  prints  Print[]
}
model Print {
  id      String @id
  labelId String
  sign    Sign   @relation(fields: [labelId], references: [labelId], onDelete: Restrict)
}
`)

type Ids = Readonly<Record<string, readonly (readonly string[])[]>>

const never = (): never => {
  throw new Error('planning begins nothing')
}
const coordinatorOf = (ids: Ids) => ({
  idFieldsOf: (name: string) => ids[name] ?? [],
  lookupsOf: () => [],
  prepare: never,
  begin: never,
  within: never,
})

/** What a delete of a row looks up, and which models it marks. */
function deleting(model: string, ids: Ids, isOwn = true) {
  return changing(model, 'deleted', ids, isOwn)
}

function changing(model: string, change: Change, ids: Ids, isOwn = true) {
  const coordinator = coordinatorOf(ids)
  const affected = new AffectedRows(coordinator, 3)
  const { lookUps, areCircular } = planCascades({ affected, coordinator, models }, model, change, isOwn)
  const marks: string[] = []
  affected.announceTo({
    markAllWritten: (name: string, reason: string) => marks.push(`${name}: ${reason}`),
  } as Partial<WriteUnit> as WriteUnit)
  return { areCircular, marks, found: lookUps.map(({ model, after }) => [model, after]) }
}

it('finds rows whose foreign key becomes null, which shows their new ids', () => {
  const after = { org: null, slug: null }
  for (const ids of [['id'], ['org', 'id']])
    expect(deleting('Site', { Page: [ids] })).toEqual({
      areCircular: false,
      marks: [],
      found: [['Page', after]],
    })
})

it.each<[string, string, Ids]>([
  ['that no query finds again', 'Site', { Rate: [['org']] }],
  ['below a hidden relation to fields that are unknown', 'Site', { Mark: [['id']] }],
  ['below a hidden relation of rows in between', 'Rate', { Stamp: [['id']] }],
])('marks all rows %s', (_, model, ids) => {
  const marks = Object.keys(ids).map((name) => `${name}: cascade`)
  expect(deleting(model, ids)).toEqual({ areCircular: false, marks, found: [] })
})

it('finds the rows of a tree generation by generation, or none of them', () => {
  const ids = { Leaf: [['id']] }
  expect(deleting('Tree', ids)).toEqual({
    areCircular: true,
    marks: [],
    found: [
      ['Tree', {}],
      ['Leaf', {}],
      ['Leaf', {}],
    ],
  })
  expect(deleting('Tree', ids, false)).toEqual({ areCircular: false, marks: ['Leaf: cascade'], found: [] })
  expect(deleting('Tree', { ...ids, Price: [['treeId']] })).toEqual({
    areCircular: false,
    marks: expect.arrayContaining(['Leaf: cascade', 'Price: cascade']),
    found: [],
  })
})

it('finds the rows of a circle of several models through all of these, and on all ways to it', () => {
  const found = (model: string) => {
    const { areCircular, marks, found } = deleting(model, { Message: [['id']] })
    return { areCircular, marks, found: [...new Set(found.map(([name]) => name))] }
  }
  expect(found('Thread')).toEqual({ areCircular: true, marks: [], found: ['Message', 'Thread'] })
  expect(found('Account')).toEqual({ areCircular: true, marks: [], found: ['Thread', 'Message', 'Team'] })
})

it('marks all rows of a model of which the database changes what the write sets itself', () => {
  const marksOf = (...fields: string[]) => changing('Tree', new Set(fields), { Tree: [['id']] }).marks
  expect(marksOf('id')).toEqual([])
  expect(marksOf('parentId')).toEqual([])
  expect(marksOf('id', 'parentId')).toEqual(['Tree: cascade'])
})

it('marks none if the database sets it to the same value', () => {
  const marksOf = (...fields: string[]) => changing('Branch', new Set(fields), { Branch: [['id']] }).marks
  expect(marksOf('org')).toEqual([])
  expect(marksOf('org', 'parentId')).toEqual([])
  expect(marksOf('no', 'parentId')).toEqual(['Branch: cascade'])
})

it('marks all rows of a model to which the change comes back through another one', () => {
  const marksOf = (...fields: string[]) => changing('Desk', new Set(fields), { Desk: [['id']] }).marks
  expect(marksOf('id')).toEqual([])
  expect(marksOf('id', 'lampId')).toEqual(['Desk: cascade'])
})

it('finds the rows that lead to cached ones by a changed key, also where a deletion leads to none', () => {
  expect(deleting('Market', { Print: [['id']] })).toEqual({
    areCircular: false,
    marks: [],
    found: [
      ['Hall', {}],
      ['Label', {}],
      ['Stall', { labelId: null }],
      ['Sign', {}],
      ['Print', {}],
    ],
  })
})

it.each<[readonly string[], Args, boolean]>([
  [['id'], {}, true],
  [['org'], {}, false],
  [['org'], { org: 'a' }, true],
  [['org', 'slug'], { org: 'a' }, false],
])('knows the new ids if they stay or are given: %j %j', (ids, after, expected) => {
  const changed = { model: 'Page', change: new Set(['org', 'slug']), after }
  const coordinator = coordinatorOf({ Page: [ids] })
  expect(showsNewIds(coordinator, changed)).toBe(expected)
  expect(canFindIds({ coordinator, models }, changed)).toBe(true)
})
