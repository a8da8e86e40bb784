import type { WatchedLookup, WriteUnit } from '../../write-coordinator.js'
import type { Args } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { whereOf } from './conditions.js'
import { planWrite } from './plan-write.js'

const { models } = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
model Sale {
  id   String @id
  slug String @unique
  lots Lot[]
  logs Log[]  @ignore
}
model Log {
  id     String @id
  saleId String
  sale   Sale   @relation(fields: [saleId], references: [id])
}
model Lot {
  id        String   @id
  saleId    String
  number    Int      @default(autoincrement())
  price     Decimal
  state     String   @default("open")
  updatedAt DateTime @updatedAt
  sale      Sale     @relation(fields: [saleId], references: [id])
  bids      Bid[]
  tags      Tag[]
}
model Bid {
  id     String  @id
  lotId  String
  userId String?
  amount Int
  lot    Lot     @relation(fields: [lotId], references: [id], onDelete: Cascade)
  user   User?   @relation(fields: [userId], references: [id])
}
model User {
  id      String  @id
  bids    Bid[]
  mentor  Int     @default(1)
  profile Profile?
  badges  Badge[]
}
model Badge {
  id     String @id
  color  String
  userId String
  user   User   @relation(fields: [userId], references: [id], onUpdate: SetDefault)
}
model Profile {
  userId String @id
  user   User   @relation(fields: [userId], references: [id], onDelete: SetDefault)
  tags   Tag[]
}
model Tag {
  id        String    @id
  name      String    @unique
  groupId   String?
  lots      Lot[]
  profiles  Profile[]
  group     Group?    @relation(fields: [groupId], references: [id], onDelete: Cascade)
  similar   Tag[]     @relation("Similar")
  similarTo Tag[]     @relation("Similar")

  @@unique([id, name])
}
model Group {
  id   String  @id
  data String?
  tags Tag[]
}
model Room {
  id       String    @id @default(uuid())
  floor    Int       @default(1)
  messages Message[]
}
model Message {
  id       String    @id
  roomId   String
  parentId String?
  room     Room      @relation(fields: [roomId], references: [id])
  parent   Message?  @relation("Replies", fields: [roomId, parentId], references: [roomId, id])
  replies  Message[] @relation("Replies")

  @@unique([roomId, id])
}
`)

const lookup = (key: string, watched = ''): WatchedLookup => {
  const names = (text: string): string[] => text.split(' ').filter(Boolean)
  return { key: names(key), fields: [...names(key), ...names(watched)], through: undefined }
}
type Lookups = Record<string, WatchedLookup[]>

const ofLots: Lookups = { Lot: [lookup('saleId', 'number'), lookup('saleId state')] }
const ofBids: Lookups = { Bid: [lookup('lotId', 'amount')] }

/** What a query marks, what it looks up, how it has to run, and the key fields that the written rows have to show. */
function planOf(lookups: Lookups, model: string, operation: string, args: Args, returnsCreated = true) {
  const coordinator = {
    idFieldsOf: (name: string) => (lookups[name] ? [['id']] : []),
    lookupsOf: (name: string) => lookups[name] ?? [],
    prepare: never,
    begin: never,
    within: never,
  }
  const planning = { models, coordinator, limit: 3, groupsPerQuery: 50, returnsCreated, locksRows: true }
  const plan = planWrite(planning, model, operation, args)
  if (!plan) return undefined
  const marks: unknown[] = []
  plan.affected.announceTo({
    markWritten: (name, rows) => marks.push([name, ...rows]),
    markAllWritten: (name, reason) => marks.push(`${name}: ${reason}`),
    markCreated: (name, reason) => marks.push(`${name} created: ${reason}`),
    markJoined: (name, rows, changed) =>
      marks.push([changed ? `${name} by ${[...changed].join()}` : `${name} entered`, ...rows]),
    markJoinedThrough: (name, relation, rows) => marks.push([`${name}.${relation}`, ...rows]),
  } as Partial<WriteUnit> as WriteUnit)
  const { entering } = plan
  const furtherRows = plan.furtherRows.map(({ model, when, path }) => [model, when, whereOf(path, {})])
  return {
    marks,
    ...(furtherRows.length > 0 && { furtherRows }),
    ...(plan.mode !== 'plain' && { mode: plan.mode, unknown: plan.unknown }),
    ...(entering && { reads: entering.keyFields, by: entering.changed && [...entering.changed] }),
  }
}
const never = (): never => {
  throw new Error('planning begins nothing')
}

const lot = { id: 'l', saleId: 's', state: 'open', price: 1 }
const written = ['Lot', { id: 'l' }]

describe('a create', () => {
  it('enters lookups by the literals of its data, if they show the keys of all', () => {
    expect(planOf(ofLots, 'Lot', 'create', { data: lot })).toEqual({
      marks: [written, ['Lot entered', { saleId: 's', state: 'open' }]],
    })
  })

  it('enters lookups by the returned row if a field of a key may have a default', () => {
    const { state: _, ...data } = lot
    expect(planOf(ofLots, 'Lot', 'create', { data })).toEqual({
      marks: [written],
      mode: 'returning',
      unknown: 'created',
      reads: ['saleId', 'state'],
    })
  })

  it.each([
    ['connect', { connect: { id: 's' } }],
    ['create', { create: { id: 's', slug: 'x' } }],
    ['connectOrCreate', { connectOrCreate: { where: { id: 's' }, create: { id: 's', slug: 'x' } } }],
  ])('knows the foreign key that %s sets', (_, sale) => {
    const { saleId: __, ...data } = lot
    expect(planOf(ofLots, 'Lot', 'create', { data: { ...data, sale } })).toEqual({
      marks: [written, ['Lot entered', { saleId: 's', state: 'open' }]],
    })
  })

  it.each([
    ['connect by another key', { connect: { slug: 'x' } }],
    ['create with a default', { create: { slug: 'x' } }],
    [
      'connectOrCreate of another row',
      { connectOrCreate: { where: { slug: 'x' }, create: { id: 's', slug: 'x' } } },
    ],
  ])('does not know the foreign key that %s sets', (_, sale) => {
    const { saleId: __, ...data } = lot
    expect(planOf(ofLots, 'Lot', 'create', { data: { ...data, sale } })).toMatchObject({
      reads: ['saleId', 'state'],
    })
  })

  it('enters no entry whose key is null', () => {
    const lookups = { Bid: [lookup('userId')] }
    const data = { id: 'b', lotId: 'l', amount: 1 }
    expect(planOf(lookups, 'Bid', 'create', { data: { ...data, userId: null } })).toEqual({
      marks: [['Bid', { id: 'b' }]],
    })
    expect(planOf(lookups, 'Bid', 'create', { data })).toMatchObject({ reads: ['userId'] })
  })

  it('of many rows enters lookups by all literals, or by the returned rows', () => {
    const rows = [lot, { ...lot, id: 'm', saleId: 't' }]
    const keys = [
      { saleId: 's', state: 'open' },
      { saleId: 't', state: 'open' },
    ]
    expect(planOf(ofLots, 'Lot', 'createMany', { data: rows })).toEqual({
      marks: [
        ['Lot', { id: 'l' }, { id: 'm' }],
        ['Lot entered', ...keys],
      ],
    })
    const data = [lot, { id: 'm', saleId: 't', price: 1 }]
    const returned = { marks: [], unknown: 'created', reads: ['saleId', 'state'] }
    expect(planOf(ofLots, 'Lot', 'createMany', { data })).toEqual({ ...returned, mode: 'create-returning' })
    expect(planOf(ofLots, 'Lot', 'createManyAndReturn', { data })).toEqual({ ...returned, mode: 'returning' })
  })

  it('of more rows than the limit, or without returned rows, enters unknown entries', () => {
    const data = [1, 2, 3, 4].map((n) => ({ ...lot, id: `${n}` }))
    expect(planOf(ofLots, 'Lot', 'createMany', { data })).toEqual({ marks: ['Lot created: unbounded'] })
    expect(planOf(ofLots, 'Lot', 'createMany', { data: { id: 'l', price: 1 } }, false)).toEqual({
      marks: [written, ['Lot entered', {}]],
    })
  })
})

describe('an update', () => {
  const where = { id: 'l' }
  const update = (data: object, lookups = ofLots) => planOf(lookups, 'Lot', 'update', { where, data })

  it('that changes no field of a lookup is planned as without lookups', () => {
    for (const [operation, args] of [
      ['update', { where, data: { price: 2 } }],
      ['updateMany', { where, data: { price: 2 } }],
      ['updateManyAndReturn', { where, data: { price: 2 } }],
      ['update', { where, data: { sale: { update: { slug: 'y' } } } }],
      ['delete', { where }],
      ['deleteMany', { where }],
    ] as const) {
      const expected = planOf({ Lot: [] }, 'Lot', operation, args)
      expect([operation, planOf(ofLots, 'Lot', operation, args)]).toEqual([operation, expected])
      expect(expected).toEqual({ marks: [written] })
    }
  })

  it('of a key enters it by its literals, or by the returned row', () => {
    expect(update({ saleId: 't', state: 'open' })).toEqual({
      marks: [written, ['Lot by saleId,state', { saleId: 't', state: 'open' }]],
    })
    expect(update({ saleId: 't' }, { Lot: [lookup('saleId', 'number')] })).toEqual({
      marks: [written, ['Lot by saleId', { saleId: 't' }]],
    })
    expect(update({ saleId: 't' })).toEqual({
      marks: [written],
      mode: 'returning',
      unknown: 'none',
      reads: ['saleId', 'state'],
      by: ['updatedAt', 'saleId'],
    })
  })

  it('of another field of a lookup enters the key of the returned row, never of the condition', () => {
    expect(
      planOf(ofLots, 'Lot', 'update', {
        where: { id: 'l', saleId: 's' },
        data: { number: { increment: 1 } },
      }),
    ).toEqual({
      marks: [written],
      mode: 'returning',
      unknown: 'none',
      reads: ['saleId'],
      by: ['updatedAt', 'number'],
    })
    expect(
      planOf(ofLots, 'Lot', 'update', { where: { id: 'l', saleId: 's' }, data: { saleId: 's' } }),
    ).toMatchObject({
      by: ['updatedAt', 'saleId'],
    })
  })

  it('enters lookups that watch the time of the update', () => {
    expect(update({ price: 2 }, { Lot: [lookup('saleId', 'updatedAt')] })).toMatchObject({
      reads: ['saleId'],
    })
  })

  it('knows the foreign key that a relation sets', () => {
    const lookups = { Bid: [lookup('userId', 'amount')] }
    const bid = (user: object) => planOf(lookups, 'Bid', 'update', { where: { id: 'b' }, data: { user } })
    const bidWritten = ['Bid', { id: 'b' }]
    expect(bid({ connect: { id: 'u' } })).toEqual({ marks: [bidWritten, ['Bid by userId', { userId: 'u' }]] })
    expect(bid({ disconnect: true })).toEqual({ marks: [bidWritten] })
    for (const user of [
      { disconnect: { id: 'u' } },
      { delete: true },
      { upsert: { create: {}, update: {} } },
      { connect: { id: 'u' }, update: {} },
    ])
      expect([user, bid(user)]).toEqual([user, expect.objectContaining({ reads: ['userId'] })])
  })

  it('of many rows enters one literal key, or those of the returned rows', () => {
    const data = { saleId: 't', state: 'open' }
    expect(planOf(ofLots, 'Lot', 'updateMany', { where, data })).toEqual({
      marks: [written, ['Lot by saleId,state', data]],
    })
    expect(planOf(ofLots, 'Lot', 'updateMany', { where, data: { number: 1 } })).toEqual({
      marks: [written],
      mode: 'update-returning',
      unknown: 'none',
      reads: ['saleId'],
      by: ['updatedAt', 'number'],
    })
    expect(
      planOf(ofLots, 'Lot', 'updateManyAndReturn', { where: { price: 1 }, data: { number: 1 } }),
    ).toMatchObject({
      marks: [],
      mode: 'returning',
      unknown: 'any',
      reads: ['saleId'],
    })
  })

  it('of many rows that the database does not return selects them again', () => {
    const data = { number: 1 }
    expect(planOf(ofLots, 'Lot', 'updateMany', { where, data }, false)).toMatchObject({
      marks: [written],
      mode: 'restricted',
      reads: ['saleId'],
      unknown: 'none',
    })
    expect(planOf(ofLots, 'Lot', 'updateMany', { where: { price: 1 }, data }, false)).toMatchObject({
      mode: 'restricted',
      reads: ['saleId'],
    })
  })

  it('of many rows that the database does not return enters unknown entries if it filters by such rows', () => {
    const args = { where: { id: 't', similar: { some: {} } }, data: { name: 'x' } }
    expect(planOf({ Tag: [lookup('groupId', 'name')] }, 'Tag', 'updateMany', args, false)).toEqual({
      marks: [
        ['Tag', { id: 't' }],
        ['Tag by name', {}],
      ],
    })
  })

  it('in an upsert enters on both of its sides', () => {
    const upsert = (update: object, create: object) =>
      planOf(ofLots, 'Lot', 'upsert', { where, update, create })
    expect(upsert({}, lot)).toEqual({ marks: [written, ['Lot entered', { saleId: 's', state: 'open' }]] })
    expect(upsert({ saleId: 't', state: 'x' }, lot)).toEqual({
      marks: [
        written,
        ['Lot by saleId,state', { saleId: 't', state: 'x' }],
        ['Lot entered', { saleId: 's', state: 'open' }],
      ],
    })
    expect(upsert({ number: 1 }, lot)).toMatchObject({ reads: ['saleId'], by: ['updatedAt', 'number'] })
    expect(upsert({ number: 1 }, { ...lot, state: undefined })).toEqual({
      marks: [written],
      mode: 'returning',
      unknown: 'created',
      reads: ['saleId', 'state'],
      by: undefined,
    })
  })
})

describe('a lookup that cannot be followed', () => {
  const lookups = { Lot: [{ key: undefined, fields: undefined, through: undefined }] }
  const entered = [expect.stringMatching(/^Lot (?:by|entered)/), {}]

  it('may be entered by every create and update, and by none of the deletes', () => {
    for (const [operation, args] of [
      ['create', { data: lot }],
      ['createMany', { data: lot }],
      ['update', { where: { id: 'l' }, data: { price: 1 } }],
      ['updateMany', { where: { id: 'l' }, data: { price: 1 } }],
    ] as const)
      expect([operation, planOf(lookups, 'Lot', operation, args)]).toEqual([
        operation,
        { marks: [written, entered] },
      ])
    expect(planOf(lookups, 'Lot', 'delete', { where: { id: 'l' } })).toEqual({ marks: [written] })
  })

  it('may be entered by a row that is connected to another', () => {
    const data = { lots: { connect: { id: 'l' } } }
    const connected = ['Lot.tags', {}]
    expect(planOf(lookups, 'Tag', 'update', { where: { id: 't' }, data })).toEqual({ marks: [connected] })
    expect(planOf(lookups, 'Lot', 'update', { where: { id: 'l' }, data: { tags: { set: [] } } })).toEqual({
      marks: [[...entered], connected],
    })
  })
})

describe('nested writes', () => {
  const bid = { id: 'b', amount: 1 }
  const bidWritten = ['Bid', { id: 'b' }]
  const nested = (bids: object, where: object = { id: 'l' }) =>
    planOf(ofBids, 'Lot', 'update', { where, data: { bids } })

  it.each([
    ['create', { create: bid }, 'Bid entered'],
    ['createMany', { createMany: { data: [bid] } }, 'Bid entered'],
    ['connect', { connect: { id: 'b' } }, 'Bid by lotId'],
  ])('%s enters the key of a parent that the arguments name', (_, bids, entered) => {
    expect(nested(bids)).toEqual({ marks: [bidWritten, [entered, { lotId: 'l' }]] })
    expect(planOf(ofBids, 'Lot', 'create', { data: { ...lot, bids } })).toEqual({
      marks: [bidWritten, [entered, { lotId: 'l' }]],
    })
  })

  it('with both sides in an upsert enter both of its keys', () => {
    const args = {
      where: { id: 'l' },
      create: { ...lot, id: 'm', bids: { create: bid } },
      update: { bids: { create: bid } },
    }
    expect(planOf(ofBids, 'Lot', 'upsert', args)).toEqual({
      marks: [bidWritten, ['Bid entered', { lotId: 'l' }, { lotId: 'm' }]],
    })
  })

  it('are not found through a row whose key another relation may set, too', () => {
    const ofRooms = { Room: [lookup('floor')], Message: [lookup('roomId')] }
    const room = { create: {} }
    const parent = { connect: { roomId_id: { roomId: 'r', id: 'm' } } }
    const create = (data: object) => planOf(ofRooms, 'Message', 'create', { data: { id: 'n', ...data } })
    expect(create({ room })).toMatchObject({ furtherRows: [expect.anything()] })
    for (const data of [
      { room, parent },
      { parent, room },
    ])
      expect(create(data)).toMatchObject({ marks: expect.arrayContaining(['Room created: nested']) })
    expect(create({ room: { connect: { id: 's' } }, parent })).toMatchObject({
      mode: 'returning',
      reads: ['roomId'],
    })
    const entered = {
      marks: [
        ['Message', { id: 'n' }],
        ['Message entered', { roomId: 'r' }],
      ],
    }
    expect(create({ room: { connect: { id: 'r' } }, parent })).toEqual(entered)
    const messages = { create: { id: 'n', parent } }
    expect(planOf(ofRooms, 'Room', 'create', { data: { id: 's', messages } })).toMatchObject({
      marks: [
        ['Room', { id: 's' }],
        ['Message', { id: 'n' }],
        ['Message entered', {}],
      ],
    })
    expect(planOf(ofRooms, 'Room', 'create', { data: { id: 'r', messages } })).toMatchObject({
      marks: [['Room', { id: 'r' }], ...entered.marks],
    })
  })

  it('find no rows through those whose key another relation may set, too', () => {
    const lookups = { Room: [lookup('floor')], Message: [lookup('roomId')] }
    const parent = { connect: { roomId_id: { roomId: 'r', id: 'm' } } }
    const room = { update: { floor: 2 } }
    const update = (data: object) => planOf(lookups, 'Message', 'update', { where: { id: 'n' }, data })
    expect(update({ room })).toMatchObject({
      furtherRows: [
        ['Message', 'before', { parent: {} }],
        ['Room', 'before', { messages: { some: {} } }],
      ],
    })
    expect(update({ room, parent })).toMatchObject({ marks: expect.arrayContaining(['Room: nested']) })
    // The database passes a new key of the parent on.
    const renamed = { room, parent: { update: { id: 'z' } } }
    expect(update(renamed)).toMatchObject({ marks: expect.arrayContaining(['Room: nested']) })
    const below = { id: 'n', parent: { create: { room: { create: {} } } } }
    expect(planOf(lookups, 'Message', 'create', { data: below })).toMatchObject({
      marks: expect.arrayContaining(['Message created: nested']),
    })
    const create = { id: 'n', room: { connect: { id: 's' } }, parent: { create: {} } }
    expect(planOf(lookups, 'Message', 'create', { data: create })).toMatchObject({
      marks: [['Message', { id: 'n' }], 'Message created: nested'],
    })
    // The key of the new room is unknown.
    const messages = { connect: { roomId_id: { roomId: 'x', id: 'm' } } }
    const data = { id: 'n', room: { create: { messages } }, parent }
    expect(planOf({ Message: lookups.Message }, 'Message', 'create', { data })).toMatchObject({
      furtherRows: [['Message', 'before', {}]],
    })
  })

  it('find no rows through relations that the client hides, or by which the database may move others', () => {
    const update = (model: string, data: object, lookups: Lookups) =>
      planOf(lookups, model, 'update', { where: { id: '1' }, data })
    const ofSales = { Sale: [lookup('slug')] }
    expect(update('Lot', { sale: { update: { slug: 'y' } } }, ofSales)).toMatchObject({
      marks: [],
      furtherRows: [['Sale', 'before', { lots: { some: {} } }]],
    })
    expect(update('Log', { sale: { update: { slug: 'y' } } }, ofSales)).toEqual({ marks: ['Sale: nested'] })
    const ofUsers = { User: [lookup('mentor')] }
    const user = { update: { mentor: 2 } }
    for (const model of ['Profile', 'Badge'])
      expect(update(model, { user }, ofUsers)).toEqual({ marks: ['User: nested'] })
    const badges = { updateMany: { where: {}, data: { color: 'red' } } }
    expect(update('User', { badges }, { Badge: [lookup('color')] })).toEqual({ marks: ['Badge: nested'] })
  })

  it('update a single row whose model has a field of the name `data` by that, or by a condition and its data', () => {
    const lookups = { Group: [lookup('data')] }
    const nested = (update: object) =>
      planOf(lookups, 'Tag', 'update', { where: { id: 't' }, data: { group: { update } } })
    const found = { marks: [], furtherRows: [['Group', 'before', { tags: { some: {} } }]] }
    expect(nested({ data: 'x' })).toEqual(found)
    expect(nested({ data: 'x', where: undefined })).toEqual(found)
    expect(nested({ where: { id: 'g' }, data: { data: 'x' } })).toEqual({
      marks: [
        ['Group', { id: 'g' }],
        ['Group by data', { data: 'x' }],
      ],
    })
  })

  it('connectOrCreate and upsert enter on both of their sides', () => {
    expect(nested({ connectOrCreate: { where: { id: 'b' }, create: bid } })).toEqual({
      marks: [bidWritten, ['Bid by lotId', { lotId: 'l' }], ['Bid entered', { lotId: 'l' }]],
    })
    expect(nested({ upsert: { where: { id: 'b' }, create: bid, update: { amount: 2 } } })).toEqual({
      marks: [bidWritten, ['Bid by amount', {}], ['Bid entered', { lotId: 'l' }]],
    })
  })

  it('enter unknown entries if another key names the parent, or its key changes', () => {
    expect(
      planOf(ofBids, 'Lot', 'update', { where: { id: 'l' }, data: { id: 'm', bids: { create: bid } } }),
    ).toMatchObject({
      marks: [bidWritten, ['Bid entered', {}]],
    })
    const lots = { create: lot }
    const args = { where: { slug: 'x' }, data: { lots } }
    expect(planOf({ Lot: [lookup('saleId')] }, 'Sale', 'update', args)).toEqual({
      marks: [written, ['Lot entered', {}]],
    })
  })

  it('with generated ids are looked up with the others of their list', () => {
    expect(nested({ create: { amount: 1 } })).toEqual({
      marks: [],
      furtherRows: [['Bid', 'after', { lot: {} }]],
      mode: 'returning',
      unknown: 'none',
    })
  })

  it('with generated ids are not looked up in a list that may release them again', () => {
    const create = { amount: 1 }
    for (const beside of [{ set: [] }, { disconnect: { id: 'b' } }]) {
      const { marks, furtherRows = [] } = nested({ create, ...beside })!
      expect(marks).toContain('Bid created: nested')
      expect(furtherRows).not.toContainEqual(['Bid', 'after', { lot: {} }])
    }
    expect(nested({ create, deleteMany: {} })!.furtherRows).toContainEqual(['Bid', 'after', { lot: {} }])
  })

  it('below a new row are looked up through it if only that shows their keys', () => {
    const { id: _, ...data } = lot
    expect(planOf(ofBids, 'Lot', 'create', { data: { ...data, bids: { create: bid } } })).toEqual({
      marks: [],
      furtherRows: [['Bid', 'after', { lot: {} }]],
      mode: 'returning',
      unknown: 'none',
    })
    expect(
      planOf(ofBids, 'Lot', 'create', { data: { ...data, bids: { connect: { id: 'b' } } } }),
    ).toMatchObject({
      furtherRows: [['Bid', 'after', { lot: {} }]],
    })
  })

  it('that release a row enter no key, unless another field of it is watched', () => {
    const release = (lookups: Lookups) =>
      planOf(lookups, 'User', 'update', { where: { id: 'u' }, data: { bids: { disconnect: { id: 'b' } } } })
    expect(release({ Bid: [lookup('userId')] })).toEqual({ marks: [bidWritten] })
    expect(release({ Bid: [lookup('lotId', 'userId')] })).toMatchObject({
      furtherRows: [['Bid', 'before', {}]],
    })
    expect(release(ofBids)).toEqual({ marks: [bidWritten] })
  })

  it('that update or delete a row enter what its data says', () => {
    const where = { id: 'b' }
    expect(nested({ update: { where, data: { userId: 'u' } } })).toEqual({ marks: [bidWritten] })
    expect(nested({ update: { where, data: { amount: 2 } } })).toEqual({
      marks: [bidWritten, ['Bid by amount', {}]],
    })
    expect(nested({ updateMany: { where, data: { lotId: 'm' } } })).toEqual({
      marks: [bidWritten, ['Bid by lotId', { lotId: 'm' }]],
    })
    expect(nested({ updateMany: { where: { userId: 'u' }, data: { amount: 2 } } })).toEqual({
      marks: [],
      furtherRows: [['Bid', 'before', { lot: {} }]],
    })
    expect(nested({ delete: where })).toEqual({ marks: [bidWritten] })
    expect(nested({ set: [] })).toMatchObject({ furtherRows: [['Bid', 'before', { lot: {} }]] })
    expect(nested({ set: [where] })).toMatchObject({
      marks: [bidWritten, ['Bid by lotId', { lotId: 'l' }]],
      furtherRows: [['Bid', 'before', { lot: {} }]],
    })
  })
})

describe('a lookup through a relation', () => {
  const through = (relation: string, watched = 'id'): WatchedLookup => {
    return { key: ['id'], fields: watched.split(' '), through: relation }
  }
  const withTag: Lookups = { Lot: [through('tags', 'id number')] }
  const unknown = ['Lot.tags', {}]
  const t = { id: 't' }
  const lotOf = (tags: object, where: object = { id: 'l' }) =>
    planOf(withTag, 'Lot', 'update', { where, data: { tags } })
  const tagOf = (lots: object, where: object = t) =>
    planOf(withTag, 'Tag', 'update', { where, data: { lots } })

  it.each([
    ['connect', { connect: t }, [t]],
    ['connect of several', { connect: [t, { id: 'u' }] }, [t, { id: 'u' }]],
    ['connect by another key', { connect: { name: 'x' } }, [{}]],
    ['connect by a compound key', { connect: { id_name: { id: 't', name: 'x' } } }, [t]],
    ['disconnect', { disconnect: t }, [t]],
    ['disconnect by a compound key', { disconnect: { id_name: { id: 't', name: 'x' } } }, [t]],
    ['disconnect by another key', { disconnect: { name: 'x' } }, [{}]],
    ['connectOrCreate', { connectOrCreate: { where: t, create: { id: 'u', name: 'x' } } }, [t, { id: 'u' }]],
    ['connectOrCreate with a default', { connectOrCreate: { where: t, create: { name: 'x' } } }, [t, {}]],
    ['create', { create: { id: 'u', name: 'x' } }, [{ id: 'u' }]],
    ['create with a default', { create: { name: 'x' } }, [{}]],
    ['upsert', { upsert: { where: t, update: {}, create: { id: 'u', name: 'x' } } }, [{ id: 'u' }]],
    ['set', { set: [t] }, [{}]],
    ['set of none', { set: [] }, [{}]],
    ['delete', { delete: t }, [t]],
    ['delete by another key', { delete: { name: 'x' } }, [{}]],
    ['deleteMany', { deleteMany: { id: { in: ['t', 'u'] } } }, [t, { id: 'u' }]],
    ['deleteMany of all', { deleteMany: {} }, [{}]],
    ['update of the id', { update: { where: t, data: { id: 'u' } } }, [t, { id: 'u' }]],
    ['updateMany of the id', { updateMany: { where: { name: 'x' }, data: { id: 'u' } } }, [{}, { id: 'u' }]],
  ])('is affected by what is at the other side: %s', (_, tags, rows) => {
    expect(lotOf(tags)).toEqual({ marks: [['Lot.tags', ...rows]] })
    expect(lotOf(tags, { id: { not: 'l' } })).toMatchObject({ marks: [['Lot.tags', ...rows]] })
  })

  it.each([
    ['connect', { connect: { id: 'l' } }],
    ['disconnect', { disconnect: { id: 'l' } }],
    ['set', { set: [] }],
  ])('is affected by the row whose list changes: %s', (_, lots) => {
    expect(tagOf(lots)).toEqual({ marks: [['Lot.tags', t]] })
    expect(tagOf(lots, { name: 'x' })).toEqual({ marks: [unknown] })
  })

  it('has its rows looked up if one with an unknown id is created in it', () => {
    const create = { saleId: 's', price: 1 }
    for (const lots of [{ create }, { connectOrCreate: { where: { id: 'l' }, create } }])
      expect(tagOf(lots)).toMatchObject({ furtherRows: [['Lot', 'after', { tags: { some: {} } }]] })
  })

  it('is affected by nothing that updates other rows only', () => {
    expect(lotOf({ update: { where: t, data: { name: 'x' } } })).toBeUndefined()
    expect(tagOf({ update: { where: { id: 'l' }, data: { price: 2 } } })).toEqual({ marks: [written] })
    expect(tagOf({ delete: { id: 'l' } })).toEqual({ marks: [written] })
    expect(planOf(withTag, 'Lot', 'delete', { where: { id: 'l' } })).toEqual({ marks: [written] })
    expect(planOf(withTag, 'Tag', 'update', { where: t, data: { name: 'x' } })).toBeUndefined()
    expect(planOf(withTag, 'Tag', 'create', { data: { id: 't', name: 'x' } })).toBeUndefined()
  })

  it('is affected by the key of a row that is created with its list', () => {
    const lots = { connect: { id: 'l' } }
    expect(planOf(withTag, 'Tag', 'create', { data: { id: 't', name: 'x', lots } })).toEqual({
      marks: [['Lot.tags', t]],
    })
    expect(planOf(withTag, 'Tag', 'create', { data: { name: 'x', lots } })).toEqual({ marks: [unknown] })
    expect(planOf(withTag, 'Tag', 'update', { where: t, data: { id: 'u', lots } })).toEqual({
      marks: [['Lot.tags', t, { id: 'u' }, {}]],
    })
  })

  it.each([
    ['delete', { where: t }, [t]],
    ['delete', { where: { name: 'x' } }, [{}]],
    ['deleteMany', { where: { id: { in: ['t', 'u'] } } }, [t, { id: 'u' }]],
    ['deleteMany', { where: { name: 'x' } }, [{}]],
    ['deleteMany', {}, [{}]],
    ['update', { where: t, data: { id: 'u' } }, [t, { id: 'u' }]],
    ['update', { where: { name: 'x' }, data: { id: 'u' } }, [{}, { id: 'u' }]],
    ['update', { where: t, data: { id: { set: 'u' } } }, [t, { id: 'u' }]],
    ['updateMany', { where: t, data: { id: 'u' } }, [t, { id: 'u' }]],
    ['upsert', { where: t, update: { id: 'u' }, create: { id: 't', name: 'x' } }, [t, { id: 'u' }]],
  ])('is affected by rows at the other side that lose or get a key: %s %j', (operation, args, rows) => {
    expect(planOf(withTag, 'Tag', operation, args)).toEqual({ marks: [['Lot.tags', ...rows]] })
  })

  it('is affected by a cascade to the other side', () => {
    expect(planOf(withTag, 'Group', 'delete', { where: { id: 'g' } })).toEqual({ marks: [unknown] })
    expect(planOf(withTag, 'Group', 'update', { where: { id: 'g' }, data: { id: 'h' } })).toBeUndefined()
    const nested = (group: object) => planOf(withTag, 'Tag', 'update', { where: t, data: { group } })
    expect(nested({ delete: true })).toEqual({ marks: [unknown] })
    expect(nested({ update: { id: 'h' } })).toBeUndefined()
    const group = { connect: { id: 'h' }, delete: true }
    const lookups = { ...withTag, Tag: [lookup('name')] }
    expect(planOf(lookups, 'Tag', 'update', { where: t, data: { group } })).toEqual({
      marks: ['Tag: cascade', unknown],
    })
    const others = { Tag: [through('profiles'), through('similar')] }
    expect(planOf(others, 'User', 'update', { where: { id: 'u' }, data: { id: 'v' } })).toEqual({
      marks: [['Tag.profiles', {}]],
    })
    expect(planOf(others, 'Group', 'delete', { where: { id: 'g' } })).toMatchObject({
      marks: [['Tag.similar', {}]],
    })
  })

  it('has entries for both directions of a relation of a model to itself', () => {
    const lookups = { Tag: [through('similar'), through('similarTo')] }
    const update = (data: object) => planOf(lookups, 'Tag', 'update', { where: t, data })
    for (const similar of [{ connect: { id: 'u' } }, { disconnect: { id: 'u' } }]) {
      expect(update({ similar })).toEqual({
        marks: [
          ['Tag.similar', { id: 'u' }],
          ['Tag.similarTo', t],
        ],
      })
      expect(update({ similarTo: similar })).toEqual({
        marks: [
          ['Tag.similarTo', { id: 'u' }],
          ['Tag.similar', t],
        ],
      })
    }
    expect(update({ similar: { set: [] } })).toEqual({
      marks: [
        ['Tag.similar', {}],
        ['Tag.similarTo', t],
      ],
    })
    expect(planOf(lookups, 'Tag', 'delete', { where: t })).toEqual({
      marks: [
        ['Tag', t],
        ['Tag.similarTo', t],
        ['Tag.similar', t],
      ],
    })
  })

  it('is moved by a change of a field that it watches, not by one of a field named like its key', () => {
    const update = (data: object, lookups = withTag, model = 'Lot') =>
      planOf(lookups, model, 'update', { where: { id: 'l' }, data })
    expect(update({ number: 1 })).toEqual({ marks: [written, ['Lot by number']] })
    expect(update({ price: 1 })).toEqual({ marks: [written] })
    expect(update({ saleId: 't' }, { Lot: [through('tags', 'saleId'), lookup('saleId state')] })).toEqual({
      marks: [written, ['Lot by saleId']],
      mode: 'returning',
      unknown: 'none',
      reads: ['saleId', 'state'],
      by: ['updatedAt', 'saleId'],
    })
    expect(planOf(withTag, 'Lot', 'updateMany', { where: { id: 'l' }, data: { number: 1 } })).toEqual({
      marks: [written, ['Lot by number']],
    })
    expect(tagOf({ update: { where: { id: 'l' }, data: { number: 1 } } })).toEqual({
      marks: [written, ['Lot by number']],
    })
    expect(tagOf({ update: { where: { id: 'l' }, data: { price: 1 } } })).toEqual({ marks: [written] })
    const where = { price: 1 }
    const furtherRows = [['Lot', 'before', { tags: { some: {} } }]]
    expect(tagOf({ updateMany: { where, data: { number: 1 } } })).toEqual({
      marks: [['Lot by number']],
      furtherRows,
    })
    expect(tagOf({ deleteMany: where })).toEqual({ marks: [], furtherRows })
  })

  it('is moved by a foreign key that a nested write or a cascade changes', () => {
    const lookups = { Bid: [{ key: ['id'], fields: ['userId'], through: 'labels' }] }
    expect(
      planOf(lookups, 'User', 'update', { where: { id: 'u' }, data: { bids: { connect: { id: 'b' } } } }),
    ).toEqual({ marks: [['Bid', { id: 'b' }], ['Bid by userId']] })
    expect(planOf(lookups, 'User', 'delete', { where: { id: 'u' } })).toMatchObject({
      marks: [['Bid by userId']],
    })
  })

  it('may still name a deleted row whose id a new one is given', () => {
    expect(planOf(withTag, 'Lot', 'create', { data: lot })).toEqual({ marks: [written, unknown] })
    expect(planOf(withTag, 'Lot', 'createMany', { data: [lot] })).toEqual({ marks: [written, unknown] })
    expect(planOf(withTag, 'Lot', 'upsert', { where: { id: 'l' }, update: {}, create: lot })).toEqual({
      marks: [written, unknown],
    })
    expect(
      planOf(withTag, 'Sale', 'update', { where: { id: 's' }, data: { lots: { create: lot } } }),
    ).toEqual({ marks: [written, unknown] })
    const { id: _, ...data } = lot
    expect(planOf(withTag, 'Lot', 'create', { data: { ...data, tags: { connect: t } } })).toEqual({
      marks: [['Lot.tags', t]],
      mode: 'returning',
      unknown: 'created',
    })
  })
})
