import {
  answeringPrisma,
  type AskedOfPrisma,
  type PrismaAnswer,
} from '../../../../../../test/support/answering-prisma.js'
import { prepareLockingReads } from '../locking-reads.js'
import type { WrittenRow, WriteUnit } from '../../write-coordinator.js'
import type { Args } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { performWrite } from './perform-write.js'
import { planWrite } from './plan-write.js'

const { models } = describeSchemaText(`
datasource db {
  provider = "postgresql"
}
enum Kind {
  OLD @map("old")
  NEW
}
model Sale {
  id   String @id
  name String
  lots Lot[]
}
model Lot {
  id     String @id
  slug   String @unique
  saleId String
  state  String
  sale   Sale   @relation(fields: [saleId], references: [id], onDelete: Cascade)
  bids   Bid[]
  marks  Mark[] @ignore
  cover  Cover?
  shares Share[]
}
model Mark {
  id     String  @id
  lotId  String
  lot    Lot     @relation(fields: [lotId], references: [id], onDelete: Cascade)
  traces Trace[]
}
model Trace {
  id     String @id
  markId String
  mark   Mark   @relation(fields: [markId], references: [id], onDelete: Cascade)
}
model Cover {
  id       String @id
  lotId    String @unique
  artistId String
  lot      Lot    @relation(fields: [lotId], references: [id])
  artist   Artist @relation(fields: [artistId], references: [id])
}
model Artist {
  id     String  @id
  name   String
  covers Cover[]
}
model Share {
  lotId  String
  number Int    @unique
  lot    Lot    @relation(fields: [lotId], references: [id])

  @@id([lotId, number])
}
model Route {
  length Decimal @id
  code   String? @unique
}
model Bid {
  id    String @id
  lotId String
  lot   Lot    @relation(fields: [lotId], references: [id], onDelete: Cascade)
}
model Seat {
  kind  Kind
  place BigInt  @map("no")
  taken Boolean
  stubs Stub[]

  @@id([kind, place])
  @@map("my \\"seats")
}
model Stub {
  id    String @id
  kind  Kind
  place BigInt
  seat  Seat   @relation(fields: [kind, place], references: [kind, place], onDelete: Cascade)
}
model Folder {
  id       String   @id
  parentId String?
  parent   Folder?  @relation("Tree", fields: [parentId], references: [id], onDelete: Cascade)
  children Folder[] @relation("Tree")
  files    File[]
}
model File {
  id       String @id
  folderId String
  folder   Folder @relation(fields: [folderId], references: [id], onDelete: Cascade)
}
model Page {
  id       String  @id
  parentId String?
  linkId   String?
  parent   Page?   @relation("Tree", fields: [parentId], references: [id], onDelete: Cascade)
  children Page[]  @relation("Tree")
  link     Page?   @relation("Link", fields: [linkId], references: [id], onDelete: SetNull)
  links    Page[]  @relation("Link")
}
model Thread {
  id        String    @id
  messageId String?
  message   Message?  @relation("Replies", fields: [messageId], references: [id], onDelete: Cascade)
  messages  Message[] @relation("Messages")
}
model Message {
  id       String   @id
  threadId String
  thread   Thread   @relation("Messages", fields: [threadId], references: [id], onDelete: Cascade)
  replies  Thread[] @relation("Replies")
}
model Part {
  id       String  @id
  roomId   String
  parentId String?
  parent   Part?   @relation("Parts", fields: [roomId, parentId], references: [roomId, id])
  parts    Part[]  @relation("Parts")
  pins     Pin[]

  @@unique([roomId, id])
}
model Pin {
  id     String @id
  partId String
  part   Part   @relation(fields: [partId], references: [id])
}
`)

type Ids = Readonly<Record<string, readonly (readonly string[])[]>>

const byId: Ids = {
  Sale: [['id']],
  Lot: [['id']],
  Bid: [['id']],
  Seat: [['kind', 'place']],
  Folder: [['id']],
}

interface Database {
  readonly provider?: string
  readonly ids?: Ids
  /** The key fields of a lookup of each model. */
  readonly lookups?: Readonly<Record<string, readonly string[]>>
  readonly limit?: number
  readonly groupsPerQuery?: number
  /** Of the fluent API. */
  readonly dataPath?: readonly string[]
}

/** What a query asks the database, what it marks written, and what it returns. */
async function perform(
  query: string,
  args: Args,
  answer: PrismaAnswer,
  {
    provider = 'postgresql',
    ids = byId,
    lookups = {},
    limit = 3,
    groupsPerQuery = 2,
    dataPath = [],
  }: Database = {},
) {
  const [model, operation] = query.split('.') as [string, string]
  const { asked, ask, client } = await answeringPrisma(
    provider,
    [...models.keys()],
    answer,
    prepareLockingReads,
  )
  const coordinator = {
    idFieldsOf: (name: string) => ids[name] ?? [],
    lookupsOf: (name: string) => {
      const key = lookups[name]
      return key ? [{ key, fields: key, through: undefined }] : []
    },
    prepare: never,
    begin: never,
    within: never,
  }
  const returnsCreated = provider !== 'mysql'
  const planning = { models, coordinator, limit, groupsPerQuery, returnsCreated, locksRows: true }
  const plan = planWrite(planning, model, operation, args)!
  const marks: unknown[] = []
  const unit = {
    markWritten: (name: string, rows: readonly WrittenRow[]) => marks.push([name, ...rows]),
    markAllWritten: (name: string, reason: string) => marks.push(`${name}: ${reason}`),
    markCreated: (name: string, reason: string) => marks.push(`${name} created: ${reason}`),
    markJoined: (name: string, joined: readonly WrittenRow[]) => marks.push([`${name} entered`, ...joined]),
    markJoinedThrough: never,
  } as Partial<WriteUnit> as WriteUnit
  const transaction = { kind: 'itx', id: 'tx' } as const
  const mayReadSnapshot = provider === 'mysql'
  const context = { planning, bareClient: client, transaction, unit, mayReadSnapshot }
  const params = { model, action: operation, dataPath, args }
  const result = await performWrite(context, plan, {
    model,
    operation,
    args,
    isComplete: true,
    params,
    query: async (given, passed = params) =>
      followed(ask(`${model}.${passed.action}`, given), passed.dataPath),
  }).catch((error: unknown) => error)
  return {
    asked: asked.map(textOf),
    marks,
    ...(result instanceof Error ? { error: result.message } : { result }),
  }
}

/** What Prisma returns of a result for a call of the fluent API. */
function followed(result: unknown, dataPath: readonly string[]): unknown {
  const names = dataPath.filter((step) => step !== 'select' && step !== 'include')
  return names.reduce((value, name) => (value as Args | undefined)?.[name], result)
}

/** A query as a short text. It shows `undefined`, which Prisma may refuse. */
function textOf([query, args]: AskedOfPrisma): string {
  const text = JSON.stringify(args, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value === undefined ? 'undefined' : value,
  )
  const short = query
    .replace(/^raw SELECT has_any_column_privilege.*/, 'may lock')
    .replace(/^raw SELECT 1 FROM "public"."(.*?)" WHERE.*/, 'lock $1')
  return `${short} ${text.replaceAll(/[\\"]/g, '')}`
}

const never = (): never => {
  throw new Error('not in this spec')
}

type AnswerTo = readonly [text: string, answer: unknown]

/** Answers queries by the texts that they contain; the first one counts. */
const answers =
  (...of: readonly AnswerTo[]): PrismaAnswer =>
  (query, args) => {
    const [, answer] = of.find(([text]) => query.includes(text)) ?? ['', []]
    return typeof answer === 'function' ? (answer as (args: unknown) => unknown)(args) : answer
  }

const rows = (...ids: readonly string[]) => ids.map((id) => ({ id }))

const mayLock = ['raw SELECT has', [{ may: true }]] as const
const invalid = Object.assign(new Error('invalid'), { name: 'PrismaClientValidationError' })
const broken = new Error('broken')
const denied = Object.assign(new Error('denied'), {
  name: 'DriverAdapterError',
  cause: { kind: 'mysql', code: 1142 },
})
/** A lock finds as many rows as it names. */
const locks = ['raw', ([text]: readonly [string]) => JSON.parse(text) as unknown] as const
const inTurn = (...of: readonly unknown[]) => {
  let turn = 0
  return () => of[turn++] ?? []
}

describe('a delete that the database passes on', () => {
  const found = answers(
    mayLock,
    ['raw SELECT 1 FROM "public"."Lot"', [{}, {}]],
    ['raw', [{}]],
    ['Sale.findMany', rows('s')],
    ['Lot.findMany', rows('l', 'm')],
    ['Bid.findMany', rows('b')],
    ['Sale.delete', { id: 's' }],
  )
  it.each([
    [
      'postgresql',
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [[{id:s}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l},{id:m}]]',
          'Bid.findMany {where:{lot:{sale:{id:s}}},select:{id:true},take:4}',
          'may lock [public.Bid]',
          'lock Bid [[{id:b}]]',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }, { id: 'm' }],
          ['Bid', { id: 'b' }],
        ],
        result: { id: 's' },
      },
    ],
    [
      'cockroachdb',
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [s]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [l,m]',
          'Bid.findMany {where:{lot:{sale:{id:s}}},select:{id:true},take:4}',
          'may lock [public.Bid]',
          'lock Bid [b]',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }, { id: 'm' }],
          ['Bid', { id: 'b' }],
        ],
        result: { id: 's' },
      },
    ],
    [
      'sqlite',
      {
        asked: [
          'Sale.deleteMany {where:{OR:[]}}',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'Bid.findMany {where:{lot:{sale:{id:s}}},select:{id:true},take:4}',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }, { id: 'm' }],
          ['Bid', { id: 'b' }],
        ],
        result: { id: 's' },
      },
    ],
    [
      'mysql',
      {
        asked: [
          'Sale.findMany FOR UPDATE {where:{id:s},select:{id:true},take:1}',
          'Lot.findMany FOR UPDATE {where:{sale:{id:s}},select:{id:true},take:4}',
          'Bid.findMany FOR UPDATE {where:{lot:{sale:{id:s}}},select:{id:true},take:4}',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }, { id: 'm' }],
          ['Bid', { id: 'b' }],
        ],
        result: { id: 's' },
      },
    ],
    [
      'sqlserver',
      {
        asked: ['Sale.delete {where:{id:s}}'],
        marks: [['Sale', { id: 's' }], 'Lot: cascade', 'Bid: cascade'],
        result: { id: 's' },
      },
    ],
  ])('locks and marks the rows below: %s', async (provider, expected) => {
    expect(await perform('Sale.delete', { where: { id: 's' } }, found, { provider })).toEqual(expected)
  })

  it('has its rows leave lookups, and enter none', async () => {
    const lookups = { Lot: ['saleId'], Bid: ['lotId'] }
    expect(await perform('Sale.delete', { where: { id: 's' } }, found, { lookups })).toMatchObject({
      marks: [
        ['Sale', { id: 's' }],
        ['Lot', { id: 'l' }, { id: 'm' }],
        ['Bid', { id: 'b' }],
      ],
      result: { id: 's' },
    })
  })

  it.each<[string, PrismaAnswer, object]>([
    [
      'the user may not lock',
      answers(['raw', [{ may: false }]], ['delete', {}]),
      {
        asked: ['may lock [public.Sale]', 'Sale.delete {where:{id:s}}'],
        marks: [['Sale', { id: 's' }], 'Lot: cascade', 'Bid: cascade'],
        result: {},
      },
    ],
    [
      'the database does not know the table',
      answers(['delete', {}]),
      {
        asked: ['may lock [public.Sale]', 'Sale.delete {where:{id:s}}'],
        marks: [['Sale', { id: 's' }], 'Lot: cascade', 'Bid: cascade'],
        result: {},
      },
    ],
    [
      'the user may not lock the table of the rows below',
      answers(
        ['raw SELECT has', ([table]: readonly [string]) => [{ may: table.includes('Sale') }]],
        locks,
        ['findMany', rows('l')],
        ['delete', {}],
      ),
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [[{id:s}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [['Sale', { id: 's' }], 'Lot: cascade', 'Bid: cascade'],
        result: {},
      },
    ],
    [
      'there is no row',
      answers(mayLock, ['delete', {}]),
      {
        asked: ['may lock [public.Sale]', 'lock Sale [[{id:s}]]', 'Sale.delete {where:{id:s}}'],
        marks: [['Sale', { id: 's' }], 'Lot: cascade', 'Bid: cascade'],
        result: {},
      },
    ],
    [
      'there are more rows than the limit',
      answers(mayLock, locks, ['findMany', rows('l', 'm', 'n', 'o')], ['delete', {}]),
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [[{id:s}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [['Sale', { id: 's' }], 'Lot: unbounded', 'Bid: unbounded'],
        result: {},
      },
    ],
    [
      'there are as many rows as the limit',
      answers(mayLock, locks, ['findMany', rows('l', 'm', 'n')], ['delete', {}]),
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [[{id:s}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l},{id:m},{id:n}]]',
          'Bid.findMany {where:{lot:{sale:{id:s}}},select:{id:true},take:4}',
          'may lock [public.Bid]',
          'lock Bid [[{id:l},{id:m},{id:n}]]',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }, { id: 'm' }, { id: 'n' }],
          ['Bid', { id: 'l' }, { id: 'm' }, { id: 'n' }],
        ],
        result: {},
      },
    ],
    [
      'a row is gone before it is locked',
      answers(
        mayLock,
        ['raw SELECT 1 FROM "public"."Lot"', inTurn([{}], [])],
        locks,
        ['Lot.findMany', inTurn(rows('l', 'm'), rows('l'))],
        ['delete', {}],
      ),
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [[{id:s}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l},{id:m}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'Bid.findMany {where:{lot:{sale:{id:s}}},select:{id:true},take:4}',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }],
        ],
        result: {},
      },
    ],
    [
      'other rows match each time',
      answers(
        mayLock,
        ['raw SELECT 1 FROM "public"."Lot"', []],
        locks,
        ['Lot.findMany', inTurn(rows('l'), rows('m'), rows('n'), rows('o'), rows('p'))],
        ['delete', {}],
      ),
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [[{id:s}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'lock Lot [[{id:m}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'lock Lot [[{id:n}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'lock Lot [[{id:o}]]',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [['Sale', { id: 's' }], 'Lot: cascade', 'Bid: cascade'],
        result: {},
      },
    ],
    [
      'Prisma refuses a query',
      answers(mayLock, locks, ['findMany', invalid], ['delete', {}]),
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [[{id:s}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [['Sale', { id: 's' }], 'Lot: cascade', 'Bid: cascade'],
        result: {},
      },
    ],
    [
      'the database refuses a query',
      answers(mayLock, locks, ['findMany', broken], ['delete', {}]),
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [[{id:s}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
        ],
        marks: [['Sale', { id: 's' }]],
        error: 'broken',
      },
    ],
    [
      'the write fails',
      answers(mayLock, locks, ['delete', broken]),
      {
        asked: [
          'may lock [public.Sale]',
          'lock Sale [[{id:s}]]',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
          'Bid.findMany {where:{lot:{sale:{id:s}}},select:{id:true},take:4}',
          'Sale.delete {where:{id:s}}',
        ],
        marks: [['Sale', { id: 's' }]],
        error: 'broken',
      },
    ],
  ])('where %s', async (_, answer, expected) => {
    expect(await perform('Sale.delete', { where: { id: 's' } }, answer)).toEqual(expected)
  })

  it('locks generation by generation what a model has below itself', async () => {
    const below: Readonly<Record<string, readonly object[]>> = {
      f: rows('g', 'h'),
      g: rows('f'),
      h: rows('i'),
    }
    const children = ({ where }: { readonly where: { readonly parent?: { readonly id: unknown } } }) => {
      const id = where.parent?.id
      return typeof id === 'string' ? (below[id] ?? []) : rows('i', 'g')
    }
    const answer = answers(mayLock, locks, ['findMany', children], ['delete', {}])
    expect(await perform('Folder.delete', { where: { id: 'f' } }, answer, { limit: 4 })).toEqual({
      asked: [
        'may lock [public.Folder]',
        'lock Folder [[{id:f}]]',
        'Folder.findMany {where:{parent:{id:f}},select:{id:true},take:5}',
        'lock Folder [[{id:g},{id:h}]]',
        'Folder.findMany {where:{parent:{id:{in:[g,h]}}},select:{id:true},take:5}',
        'lock Folder [[{id:i},{id:g}]]',
        'Folder.findMany {where:{parent:{id:i}},select:{id:true},take:5}',
        'Folder.delete {where:{id:f}}',
      ],
      marks: [
        ['Folder', { id: 'f' }],
        ['Folder', { id: 'g' }, { id: 'h' }],
        ['Folder', { id: 'i' }, { id: 'g' }],
      ],
      result: {},
    })
    expect(await perform('Folder.delete', { where: { id: 'f' } }, answer, { limit: 2 })).toMatchObject({
      asked: [
        'may lock [public.Folder]',
        'lock Folder [[{id:f}]]',
        'Folder.findMany {where:{parent:{id:f}},select:{id:true},take:3}',
        'lock Folder [[{id:g},{id:h}]]',
        'Folder.findMany {where:{parent:{id:{in:[g,h]}}},select:{id:true},take:3}',
        'lock Folder [[{id:i},{id:g}]]',
        'Folder.delete {where:{id:f}}',
      ],
      marks: [
        ['Folder', { id: 'f' }],
        ['Folder', { id: 'g' }, { id: 'h' }],
        ['Folder', { id: 'i' }, { id: 'g' }],
        'Folder: unbounded',
      ],
      result: {},
    })
  })

  it('finds the rows below those of a model without a cache that it leads back to', async () => {
    const messages = inTurn(rows('m'), rows('n'), [])
    const answer = answers(['Message.findMany', messages], ['Thread.findMany', inTurn(rows('u'), [])])
    const ids = { Message: [['id']] }
    const deleted = perform('Thread.delete', { where: { id: 't' } }, answer, { ids, provider: 'sqlite' })
    expect(await deleted).toMatchObject({
      asked: [
        'Thread.deleteMany {where:{OR:[]}}',
        'Message.findMany {where:{thread:{id:t}},select:{id:true},take:4}',
        'Thread.findMany {where:{message:{id:m}},select:{id:true},take:4}',
        'Message.findMany {where:{thread:{id:u}},select:{id:true},take:4}',
        'Thread.findMany {where:{message:{id:n}},select:{id:true},take:4}',
        'Thread.delete {where:{id:t}}',
      ],
      marks: [
        ['Message', { id: 'm' }],
        ['Message', { id: 'n' }],
      ],
    })
  })
})

describe('rows that change with others', () => {
  const l = { where: { id: 'l' } }
  const locking = (...of: readonly AnswerTo[]) => answers(mayLock, locks, ...of)

  it('are found by a foreign key that the client hides', async () => {
    const ids = { Mark: [['id']], Trace: [['id']] }
    const answer = locking(['Mark.findMany', rows('m')], ['Trace.findMany', rows('t')], ['delete', {}])
    const { asked, marks } = await perform('Lot.delete', l, answer, { ids, provider: 'sqlite' })
    expect(asked.slice(1)).toEqual([
      'Mark.findMany {where:{lotId:l},select:{id:true},take:4}',
      'Trace.findMany {where:{mark:{lotId:l}},select:{id:true},take:4}',
      'Lot.delete {where:{id:l}}',
    ])
    expect(marks).toEqual([
      ['Mark', { id: 'm' }],
      ['Trace', { id: 't' }],
    ])
  })

  it('are found by the condition of a bulk write whose rows have too many keys', async () => {
    const seats = [
      { kind: 'OLD', place: 1n },
      { kind: 'NEW', place: 2n },
    ]
    const answer = locking(['Seat.findMany', seats], ['Stub.findMany', rows('s')], ['delete', { count: 2 }])
    const database = { ids: { Stub: [['id']] }, provider: 'sqlite', groupsPerQuery: 1 }
    expect(await perform('Seat.deleteMany', { where: { taken: true } }, answer, database)).toMatchObject({
      asked: expect.arrayContaining(['Stub.findMany {where:{seat:{taken:true}},select:{id:true},take:4}']),
      marks: [['Stub', { id: 's' }]],
    })
  })

  it('are found again until their ids stay, if these are not their key', async () => {
    const found = [{ id: 'l', slug: 'a' }]
    const answer = locking(['Lot.findMany', found], ['delete', {}])
    const { asked } = await perform('Sale.delete', l, answer, { ids: { Lot: [['slug']] } })
    const select = 'Lot.findMany {where:{sale:{id:l}},select:{id:true,slug:true},take:4}'
    expect(asked.slice(2, -1)).toEqual([select, 'may lock [public.Lot]', 'lock Lot [[{id:l}]]', select])
  })

  it('are found by the fields of their model, of which an id that a load computes is none', async () => {
    const answer = locking(['findMany', rows('l')], ['delete', { count: 1 }])
    const { asked, marks } = await perform('Lot.deleteMany', { where: { state: 'x' } }, answer, {
      ids: { Lot: [['id', 'score']], Bid: [['id']] },
      provider: 'sqlite',
    })
    expect(asked[1]).toBe('Lot.findMany {where:{state:x},select:{id:true},take:4}')
    expect(marks).toEqual(['Lot: unknown', ['Bid', { id: 'l' }], 'Lot: unknown'])
  })

  it('are not those that the query creates', async () => {
    const data = { sale: { create: { name: 'x' } }, bids: { deleteMany: {} } }
    const answer = locking(['Bid.findMany', rows('b')], ['Sale.findMany', rows('s')], ['update', { id: 'l' }])
    const { asked, marks } = await perform('Lot.update', { ...l, data }, answer, { provider: 'sqlite' })
    expect(asked.map((text) => text.split(' ')[0])).toEqual([
      'Lot.deleteMany',
      'Bid.findMany',
      'Lot.update',
      'Sale.findMany',
    ])
    expect(marks).toEqual([
      ['Lot', { id: 'l' }],
      ['Bid', { id: 'b' }],
      ['Sale', { id: 's' }],
    ])
  })

  it('count as unknown if MySQL finds them in lists, of which it reads a snapshot', async () => {
    const data = { cover: { update: { artist: { update: { name: 'x' } } } } }
    const ids = { Artist: [['id']] }
    const answer = locking(['findMany', rows('a')], ['update', {}])
    const asks = async (provider: string) => {
      const { asked, marks } = await perform('Lot.update', { ...l, data }, answer, { ids, provider })
      return [asked.some((text) => text.startsWith('Artist.findMany')), marks]
    }
    expect(await asks('postgresql')).toEqual([true, [['Artist', { id: 'a' }]]])
    expect(await asks('mysql')).toEqual([false, ['Artist: nested']])
  })

  it('count as unknown if MySQL does not let the user lock them', async () => {
    const cause = { kind: 'mysql', code: 1142 }
    const denied = Object.assign(new Error('denied'), { name: 'DriverAdapterError', cause })
    const answer = answers(['FOR UPDATE', denied], ['deleteMany', { count: 1 }])
    expect(await perform('Lot.deleteMany', {}, answer, { provider: 'mysql' })).toMatchObject({
      marks: ['Bid: cascade', 'Lot: unknown'],
      result: { count: 1 },
    })
  })

  it('are followed as deleted, even if they were found as changed before', async () => {
    const found = ({ where }: { readonly where: { readonly parent?: object; readonly link?: object } }) => {
      const { id } = (where.parent ?? where.link) as { readonly id: string }
      const below: Readonly<Record<string, string>> = where.link ? { p: 'b' } : { p: 'a', a: 'b', b: 'c' }
      const next = below[id]
      return next === undefined ? [] : rows(next)
    }
    const ids = { Page: [['id']] }
    const answer = locking(['findMany', found], ['delete', {}])
    const database = { ids, provider: 'sqlite', limit: 9 }
    const { marks } = await perform('Page.delete', { where: { id: 'p' } }, answer, database)
    expect(marks).toEqual(['p', 'a', 'b', 'b', 'c'].map((id) => ['Page', { id }]))
  })

  it.each<[string, PrismaAnswer, string]>([
    ['more than the limit', locking(['findMany', rows('a', 'b', 'c', 'd')], ['delete', {}]), 'unbounded'],
    ['refused', locking(['findMany', invalid], ['delete', {}]), 'cascade'],
  ])('count as unknown if those of a generation are %s', async (_, answer, reason) => {
    const { marks } = await perform('Folder.delete', { where: { id: 'f' } }, answer)
    expect(marks).toEqual([['Folder', { id: 'f' }], `Folder: ${reason}`])
  })

  it('are those of nested writes, besides the ones of each generation', async () => {
    const args = { where: { id: 'p' }, data: { roomId: 'r', pins: { deleteMany: {} } } }
    const ids = { Part: [['id']], Pin: [['id']] }
    const answer = locking(['Part.findMany', inTurn(rows('q'))], ['Pin.findMany', rows('i')], ['update', {}])
    const { marks } = await perform('Part.update', args, answer, { ids })
    expect(marks).toEqual([
      ['Part', { id: 'p' }],
      ['Pin', { id: 'i' }],
      ['Part', { id: 'q' }],
    ])
  })
})

describe('a bulk delete', () => {
  const seats = [
    { kind: 'OLD', place: 1n },
    { kind: 'NEW', place: 2n },
    { kind: 'OLD', place: 3n },
  ]
  const args = { where: { taken: true } }
  it.each<[string, Args, PrismaAnswer, Database, object]>([
    [
      'of few rows',
      args,
      answers(['findMany', seats.slice(0, 2)], ['deleteMany', inTurn({ count: 2 }, { count: 0 })]),
      {},
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'Seat.deleteMany {where:{taken:true,AND:[{OR:[{kind:OLD,place:1n},{kind:NEW,place:2n}]}]}}',
          'Seat.deleteMany {where:{taken:true}}',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }]],
        result: { count: 2 },
      },
    ],
    [
      'of few rows and another one',
      args,
      answers(['findMany', seats.slice(0, 2)], ['deleteMany', inTurn({ count: 2 }, { count: 1 })]),
      {},
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'Seat.deleteMany {where:{taken:true,AND:[{OR:[{kind:OLD,place:1n},{kind:NEW,place:2n}]}]}}',
          'Seat.deleteMany {where:{taken:true}}',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }], 'Seat: unknown'],
        result: { count: 3 },
      },
    ],
    [
      'of many groups, not gone',
      args,
      answers(mayLock, locks, ['findMany', seats], ['deleteMany', { count: 3 }]),
      { groupsPerQuery: 1 },
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'may lock [public.my seats]',
          'lock my ""seats [[{kind:old,no:1},{kind:NEW,no:2},{kind:old,no:3}]]',
          'Seat.deleteMany {where:{taken:true}}',
          'lock my ""seats [[{kind:old,no:1},{kind:NEW,no:2},{kind:old,no:3}]]',
        ],
        marks: [
          ['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }, { kind: 'OLD', place: 3n }],
          'Seat: unknown',
        ],
        result: { count: 3 },
      },
    ],
    [
      'of many groups, gone',
      args,
      answers(
        mayLock,
        ['raw SELECT 1', inTurn([{}, {}, {}], [])],
        ['findMany', seats],
        ['deleteMany', { count: 3 }],
      ),
      { groupsPerQuery: 1 },
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'may lock [public.my seats]',
          'lock my ""seats [[{kind:old,no:1},{kind:NEW,no:2},{kind:old,no:3}]]',
          'Seat.deleteMany {where:{taken:true}}',
          'lock my ""seats [[{kind:old,no:1},{kind:NEW,no:2},{kind:old,no:3}]]',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }, { kind: 'OLD', place: 3n }]],
        result: { count: 3 },
      },
    ],
    [
      'of many groups, with another count',
      args,
      answers(
        mayLock,
        ['raw SELECT 1', inTurn([{}, {}, {}], [])],
        ['findMany', seats],
        ['deleteMany', { count: 2 }],
      ),
      { groupsPerQuery: 1 },
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'may lock [public.my seats]',
          'lock my ""seats [[{kind:old,no:1},{kind:NEW,no:2},{kind:old,no:3}]]',
          'Seat.deleteMany {where:{taken:true}}',
        ],
        marks: [
          ['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }, { kind: 'OLD', place: 3n }],
          'Seat: unknown',
        ],
        result: { count: 2 },
      },
    ],
    [
      'of many groups, not all locked',
      args,
      answers(
        mayLock,
        ['raw SELECT 1', [{}]],
        ['findMany', seats],
        ['deleteMany', inTurn({ count: 1 }, { count: 2 }, { count: 0 })],
      ),
      { groupsPerQuery: 1 },
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'may lock [public.my seats]',
          'lock my ""seats [[{kind:old,no:1},{kind:NEW,no:2},{kind:old,no:3}]]',
          'Seat.deleteMany {where:{taken:true,AND:[{kind:OLD,place:{in:[1n,3n]}}]}}',
          'Seat.deleteMany {where:{taken:true,AND:[{kind:NEW,place:2n}]}}',
          'Seat.deleteMany {where:{taken:true}}',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }, { kind: 'OLD', place: 3n }]],
        result: { count: 3 },
      },
    ],
    [
      'of many groups, on CockroachDB',
      args,
      answers(
        mayLock,
        ['raw SELECT 1', inTurn([{}, {}, {}], [])],
        ['findMany', seats],
        ['deleteMany', { count: 3 }],
      ),
      { groupsPerQuery: 1, provider: 'cockroachdb' },
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'may lock [public.my seats]',
          'lock my ""seats [old,1n,NEW,2n,old,3n]',
          'Seat.deleteMany {where:{taken:true}}',
          'lock my ""seats [old,1n,NEW,2n,old,3n]',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }, { kind: 'OLD', place: 3n }]],
        result: { count: 3 },
      },
    ],
    [
      'of many groups, on MySQL',
      args,
      answers(['Seat.findMany', inTurn(seats, [])], ['deleteMany', { count: 3 }]),
      { groupsPerQuery: 1, provider: 'mysql' },
      {
        asked: [
          'Seat.findMany FOR UPDATE {where:{taken:true},select:{kind:true,place:true},take:4}',
          'Seat.deleteMany {where:{taken:true}}',
          'Seat.findMany FOR UPDATE {where:{kind:OLD,place:{in:[1n,3n]}},select:{kind:true,place:true},take:3}',
          'Seat.findMany FOR UPDATE {where:{kind:NEW,place:2n},select:{kind:true,place:true},take:3}',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }, { kind: 'OLD', place: 3n }]],
        result: { count: 3 },
      },
    ],
    [
      'of many groups, on SQLite',
      args,
      answers(['findMany', seats], ['deleteMany', inTurn({ count: 0 }, { count: 3 })]),
      { groupsPerQuery: 1, provider: 'sqlite' },
      {
        asked: [
          'Seat.deleteMany {where:{OR:[]}}',
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'Seat.deleteMany {where:{taken:true}}',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }, { kind: 'OLD', place: 3n }]],
        result: { count: 3 },
      },
    ],
    [
      'of more rows than the limit',
      args,
      answers(['findMany', seats], ['deleteMany', { count: 3 }]),
      { limit: 2 },
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:3}',
          'Seat.deleteMany {where:{taken:true}}',
        ],
        marks: ['Seat: unbounded'],
        result: { count: 3 },
      },
    ],
    [
      'with a limit',
      { where: { taken: true }, limit: 2 },
      answers(['findMany', seats.slice(0, 2)], ['deleteMany', inTurn({ count: 2 }, { count: 1 })]),
      {},
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:2}',
          'Seat.deleteMany {where:{taken:true,AND:[{OR:[{kind:OLD,place:1n},{kind:NEW,place:2n}]}]},limit:2}',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }]],
        result: { count: 2 },
      },
    ],
    [
      'with a limit, of many groups',
      { where: { taken: true }, limit: 2 },
      answers(mayLock, locks, ['findMany', seats.slice(0, 2)], ['deleteMany', { count: 1 }]),
      { groupsPerQuery: 1 },
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:2}',
          'Seat.deleteMany {where:{taken:true,AND:[{kind:OLD,place:1n}]},limit:2}',
          'Seat.deleteMany {where:{taken:true,AND:[{kind:NEW,place:2n}]},limit:1}',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }]],
        result: { count: 2 },
      },
    ],
    [
      'with a limit that is not reached',
      { where: { taken: true }, limit: 9 },
      answers(['findMany', seats.slice(0, 2)], ['deleteMany', inTurn({ count: 2 }, { count: 1 })]),
      {},
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'Seat.deleteMany {where:{taken:true,AND:[{OR:[{kind:OLD,place:1n},{kind:NEW,place:2n}]}]},limit:9}',
          'Seat.deleteMany {where:{taken:true},limit:7}',
        ],
        marks: [['Seat', { kind: 'OLD', place: 1n }, { kind: 'NEW', place: 2n }], 'Seat: unknown'],
        result: { count: 3 },
      },
    ],
    [
      'with a limit of no rows',
      { where: { taken: true }, limit: 0 },
      answers(['deleteMany', { count: 0 }]),
      {},
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:0}',
          'Seat.deleteMany {where:{taken:true},limit:0}',
        ],
        marks: [],
        result: { count: 0 },
      },
    ],
    [
      'with a limit below zero',
      { where: { taken: true }, limit: -1 },
      answers(['deleteMany', invalid]),
      {},
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'Seat.deleteMany {where:{taken:true},limit:-1}',
          'Seat.deleteMany {where:{taken:true},limit:-1}',
        ],
        marks: [],
        error: 'invalid',
      },
    ],
    [
      'with a limit that is a fraction',
      { where: { taken: true }, limit: 1.5 },
      answers(['findMany', seats], ['deleteMany', { count: 1 }]),
      {},
      {
        asked: ['Seat.deleteMany {where:{taken:true},limit:1.5}'],
        marks: ['Seat: unknown'],
        result: { count: 1 },
      },
    ],
    [
      'without a condition',
      {},
      answers(['deleteMany', { count: 0 }]),
      {},
      {
        asked: [
          'Seat.findMany {where:{},select:{kind:true,place:true},take:4}',
          'Seat.deleteMany {where:{}}',
        ],
        marks: [],
        result: { count: 0 },
      },
    ],
    [
      'that Prisma refuses',
      args,
      answers(['findMany', invalid], ['deleteMany', broken]),
      {},
      {
        asked: [
          'Seat.findMany {where:{taken:true},select:{kind:true,place:true},take:4}',
          'Seat.deleteMany {where:{taken:true}}',
        ],
        marks: ['Seat: unknown'],
        error: 'broken',
      },
    ],
  ])('%s', async (_, given, answer, database, expected) => {
    expect(await perform('Seat.deleteMany', given, answer, database)).toEqual(expected)
  })

  const lots = { where: { state: 'x' } }
  it.each<[string, PrismaAnswer, Database, object]>([
    [
      'locked',
      answers(
        mayLock,
        ['raw SELECT 1 FROM "public"."Lot"', inTurn([{}], [])],
        locks,
        ['findMany', rows('l')],
        ['deleteMany', { count: 1 }],
      ),
      {},
      {
        asked: [
          'Lot.findMany {where:{state:x},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true},take:4}',
          'may lock [public.Bid]',
          'lock Bid [[{id:l}]]',
          'Lot.deleteMany {where:{state:x}}',
          'lock Lot [[{id:l}]]',
        ],
        marks: [
          ['Bid', { id: 'l' }],
          ['Lot', { id: 'l' }],
        ],
        result: { count: 1 },
      },
    ],
    [
      'not gone',
      answers(mayLock, locks, ['findMany', rows('l')], ['deleteMany', { count: 1 }]),
      {},
      {
        asked: [
          'Lot.findMany {where:{state:x},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true},take:4}',
          'may lock [public.Bid]',
          'lock Bid [[{id:l}]]',
          'Lot.deleteMany {where:{state:x}}',
          'lock Lot [[{id:l}]]',
        ],
        marks: [['Bid', { id: 'l' }], ['Lot', { id: 'l' }], 'Bid: cascade', 'Lot: unknown'],
        result: { count: 1 },
      },
    ],
    [
      'on MySQL',
      answers(
        ['Lot.findMany', inTurn(rows('l'), rows('l'), [])],
        ['findMany', rows('l')],
        ['deleteMany', { count: 1 }],
      ),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:4}',
          'Lot.findMany {where:{state:x},select:{id:true},take:4}',
          'Bid.findMany FOR UPDATE {where:{lot:{id:l}},select:{id:true},take:4}',
          'Lot.deleteMany {where:{state:x}}',
          'Lot.findMany FOR UPDATE {where:{id:l},select:{id:true},take:1}',
        ],
        marks: [
          ['Bid', { id: 'l' }],
          ['Lot', { id: 'l' }],
        ],
        result: { count: 1 },
      },
    ],
    [
      'on MySQL, where the snapshot has another row',
      answers(
        ['Lot.findMany', inTurn(rows('l'), rows('l', 'm'), [])],
        ['findMany', rows('l')],
        ['deleteMany', { count: 1 }],
      ),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:4}',
          'Lot.findMany {where:{state:x},select:{id:true},take:4}',
          'Lot.deleteMany {where:{state:x}}',
        ],
        marks: ['Bid: cascade', 'Lot: unknown'],
        result: { count: 1 },
      },
    ],
    [
      'on MySQL, more than the limit',
      answers(['Lot.findMany', rows('k', 'l', 'm', 'n')], ['deleteMany', { count: 1 }]),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:4}',
          'Lot.deleteMany {where:{state:x}}',
        ],
        marks: ['Bid: unbounded', 'Lot: unbounded'],
        result: { count: 1 },
      },
    ],
    [
      'on SQLite',
      answers(['findMany', rows('l')], ['deleteMany', { count: 1 }]),
      { provider: 'sqlite' },
      {
        asked: [
          'Lot.deleteMany {where:{OR:[]}}',
          'Lot.findMany {where:{state:x},select:{id:true},take:4}',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true},take:4}',
          'Lot.deleteMany {where:{state:x}}',
        ],
        marks: [
          ['Bid', { id: 'l' }],
          ['Lot', { id: 'l' }],
        ],
        result: { count: 1 },
      },
    ],
    [
      'on SQLite, of several',
      answers(['findMany', rows('l', 'm')], ['deleteMany', { count: 2 }]),
      { provider: 'sqlite' },
      {
        asked: [
          'Lot.deleteMany {where:{OR:[]}}',
          'Lot.findMany {where:{state:x},select:{id:true},take:4}',
          'Bid.findMany {where:{lot:{id:{in:[l,m]}}},select:{id:true},take:4}',
          'Lot.deleteMany {where:{state:x}}',
        ],
        marks: [
          ['Bid', { id: 'l' }, { id: 'm' }],
          ['Lot', { id: 'l' }, { id: 'm' }],
        ],
        result: { count: 2 },
      },
    ],
    [
      'that cannot be locked',
      answers(['findMany', rows('l')], ['deleteMany', { count: 1 }]),
      {},
      {
        asked: [
          'Lot.findMany {where:{state:x},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'Lot.deleteMany {where:{state:x}}',
        ],
        marks: ['Bid: cascade', 'Lot: unknown'],
        result: { count: 1 },
      },
    ],
  ])('of rows with others below: %s', async (_, answer, database, expected) => {
    expect(await perform('Lot.deleteMany', lots, answer, database)).toEqual(expected)
  })

  it.each<[string, PrismaAnswer, object]>([
    [
      'locked',
      answers(mayLock, ['raw', inTurn([{}], [])], ['findMany', rows('l')], ['deleteMany', { count: 1 }]),
      {
        asked: [
          'Lot.findMany {where:{sale:{lots:{some:{}}}},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Lot.deleteMany {where:{sale:{lots:{some:{}}}}}',
          'lock Lot [[{id:l}]]',
        ],
        marks: [['Lot', { id: 'l' }]],
        result: { count: 1 },
      },
    ],
    [
      'that cannot be locked',
      answers(['raw', [{ may: false }]], ['findMany', rows('l')], ['deleteMany', { count: 1 }]),
      {
        asked: [
          'Lot.findMany {where:{sale:{lots:{some:{}}}},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'Lot.deleteMany {where:{sale:{lots:{some:{}}}}}',
        ],
        marks: [['Lot', { id: 'l' }], 'Lot: unknown'],
        result: { count: 1 },
      },
    ],
  ])('of rows that decide what matches: %s', async (_, answer, expected) => {
    const args = { where: { sale: { lots: { some: {} } } } }
    expect(await perform('Lot.deleteMany', args, answer, { ids: { Lot: [['id']] } })).toEqual(expected)
  })

  it.each(['length', 'code'])('of rows that no query finds again runs as it is: %s', async (field) => {
    const answer = answers(['deleteMany', { count: 1 }])
    expect(await perform('Route.deleteMany', { where: {} }, answer, { ids: { Route: [[field]] } })).toEqual({
      asked: ['Route.deleteMany {where:{}}'],
      marks: ['Route: unknown'],
      result: { count: 1 },
    })
  })
})

describe('a bulk update', () => {
  const bySlug: Ids = { Lot: [['slug']] }
  const args = { where: { state: 'x' }, data: { state: 'y' } }
  const moved = { where: { state: 'x' }, data: { slug: 'new' } }
  const lot = { id: 'l', slug: 'old' }
  it.each<[string, Args, PrismaAnswer, Database, object]>([
    [
      'returns its rows',
      args,
      answers(['count', 3], ['AndReturn', rows('l', 'm')]),
      {},
      {
        asked: [
          'Lot.count {where:{state:x},take:4}',
          'Lot.updateManyAndReturn {where:{state:x},data:{state:y},select:{id:true}}',
        ],
        marks: [['Lot', { id: 'l' }, { id: 'm' }]],
        result: { count: 2 },
      },
    ],
    [
      'returns no rows beyond the limit',
      args,
      answers(['count', 4], ['updateMany', { count: 4 }]),
      {},
      {
        asked: ['Lot.count {where:{state:x},take:4}', 'Lot.updateMany {where:{state:x},data:{state:y}}'],
        marks: ['Lot: unbounded'],
        result: { count: 4 },
      },
    ],
    [
      'needs no count with a limit',
      { ...args, limit: 3 },
      answers(['AndReturn', rows('l')]),
      {},
      {
        asked: ['Lot.updateManyAndReturn {where:{state:x},data:{state:y},limit:3,select:{id:true}}'],
        marks: [['Lot', { id: 'l' }]],
        result: { count: 1 },
      },
    ],
    [
      'needs a count with a high limit',
      { ...args, limit: 4 },
      answers(['count', 1], ['AndReturn', rows('l')]),
      {},
      {
        asked: [
          'Lot.count {where:{state:x},take:4}',
          'Lot.updateManyAndReturn {where:{state:x},data:{state:y},limit:4,select:{id:true}}',
        ],
        marks: [['Lot', { id: 'l' }]],
        result: { count: 1 },
      },
    ],
    [
      'cannot count',
      args,
      answers(['count', invalid], ['updateMany', broken]),
      {},
      {
        asked: ['Lot.count {where:{state:x},take:4}', 'Lot.updateMany {where:{state:x},data:{state:y}}'],
        marks: ['Lot: unknown'],
        error: 'broken',
      },
    ],
    [
      'of ids locks the rows',
      moved,
      answers(mayLock, locks, ['findMany', [lot]], ['AndReturn', [{ id: 'l', slug: 'new' }]]),
      { ids: bySlug },
      {
        asked: [
          'Lot.findMany {where:{state:x},select:{id:true,slug:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Lot.findMany {where:{state:x},select:{id:true,slug:true},take:4}',
          'Lot.updateManyAndReturn {where:{state:x},data:{slug:new},select:{slug:true,id:true}}',
        ],
        marks: [
          ['Lot', { slug: 'old' }],
          ['Lot', { slug: 'new' }],
        ],
        result: { count: 1 },
      },
    ],
    [
      'of ids writes another row',
      moved,
      answers(
        mayLock,
        locks,
        ['findMany', [lot]],
        [
          'AndReturn',
          [
            { id: 'l', slug: 'new' },
            { id: 'm', slug: 'new' },
          ],
        ],
      ),
      { ids: bySlug },
      {
        asked: [
          'Lot.findMany {where:{state:x},select:{id:true,slug:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Lot.findMany {where:{state:x},select:{id:true,slug:true},take:4}',
          'Lot.updateManyAndReturn {where:{state:x},data:{slug:new},select:{slug:true,id:true}}',
        ],
        marks: [['Lot', { slug: 'old' }], ['Lot', { slug: 'new' }, { slug: 'new' }], 'Lot: unknown'],
        result: { count: 2 },
      },
    ],
    [
      'of ids cannot lock',
      moved,
      answers(['findMany', [lot]], ['AndReturn', [{ id: 'l', slug: 'new' }]]),
      { ids: bySlug },
      {
        asked: [
          'Lot.findMany {where:{state:x},select:{id:true,slug:true},take:4}',
          'may lock [public.Lot]',
          'Lot.count {where:{state:x},take:4}',
          'Lot.updateManyAndReturn {where:{state:x},data:{slug:new},select:{slug:true,id:true}}',
        ],
        marks: ['Lot: unknown', ['Lot', { slug: 'new' }]],
        result: { count: 1 },
      },
    ],
    [
      'on MySQL',
      args,
      answers(['findMany', rows('l', 'm')], ['updateMany', inTurn({ count: 2 }, { count: 0 })]),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:4}',
          'Lot.updateMany {where:{state:x,AND:[{id:{in:[l,m]}}]},data:{state:y}}',
          'Lot.updateMany {where:{state:x,AND:[{NOT:{OR:[{id:{in:[l,m]}}]}}]},data:{state:y}}',
        ],
        marks: [['Lot', { id: 'l' }, { id: 'm' }]],
        result: { count: 2 },
      },
    ],
    [
      'on MySQL with another row',
      args,
      answers(['findMany', rows('l', 'm')], ['updateMany', inTurn({ count: 2 }, { count: 1 })]),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:4}',
          'Lot.updateMany {where:{state:x,AND:[{id:{in:[l,m]}}]},data:{state:y}}',
          'Lot.updateMany {where:{state:x,AND:[{NOT:{OR:[{id:{in:[l,m]}}]}}]},data:{state:y}}',
        ],
        marks: [['Lot', { id: 'l' }, { id: 'm' }], 'Lot: unknown'],
        result: { count: 3 },
      },
    ],
    [
      'on MySQL of no rows',
      args,
      answers(['updateMany', { count: 0 }]),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:4}',
          'Lot.updateMany {where:{state:x},data:{state:y}}',
        ],
        marks: [],
        result: { count: 0 },
      },
    ],
    [
      'on MySQL of no rows but another one',
      args,
      answers(['updateMany', { count: 1 }]),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:4}',
          'Lot.updateMany {where:{state:x},data:{state:y}}',
        ],
        marks: ['Lot: unknown'],
        result: { count: 1 },
      },
    ],
    [
      'on SQLite takes the lock before it counts',
      args,
      answers(['count', 1], ['AndReturn', rows('l')]),
      { provider: 'sqlite' },
      {
        asked: [
          'Lot.deleteMany {where:{OR:[]}}',
          'Lot.count {where:{state:x},take:4}',
          'Lot.updateManyAndReturn {where:{state:x},data:{state:y},select:{id:true}}',
        ],
        marks: [['Lot', { id: 'l' }]],
        result: { count: 1 },
      },
    ],
    [
      'needs no count if it names the rows',
      { where: { id: 'l' }, data: { saleId: 't' } },
      answers(['AndReturn', [{ id: 'l', saleId: 't', state: 'x' }]]),
      { lookups: { Lot: ['saleId', 'state'] } },
      {
        asked: [
          'Lot.updateManyAndReturn {where:{id:l},data:{saleId:t},select:{id:true,saleId:true,state:true}}',
        ],
        marks: [
          ['Lot', { id: 'l' }],
          ['Lot entered', { saleId: 't', state: 'x' }],
        ],
        result: { count: 1 },
      },
    ],
    [
      'on MySQL with a limit',
      { ...args, limit: 2 },
      answers(['findMany', rows('l', 'm')], ['updateMany', inTurn({ count: 1 }, { count: 1 })]),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:2}',
          'Lot.updateMany {where:{state:x,AND:[{id:{in:[l,m]}}]},data:{state:y},limit:2}',
          'Lot.updateMany {where:{state:x,AND:[{NOT:{OR:[{id:{in:[l,m]}}]}}]},data:{state:y},limit:1}',
        ],
        marks: [['Lot', { id: 'l' }, { id: 'm' }], 'Lot: unknown'],
        result: { count: 2 },
      },
    ],
    [
      'on MySQL beyond the limit',
      args,
      answers(['findMany', rows('l', 'm', 'n', 'o')], ['updateMany', { count: 4 }]),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:4}',
          'Lot.updateMany {where:{state:x},data:{state:y}}',
        ],
        marks: ['Lot: unbounded'],
        result: { count: 4 },
      },
    ],
    [
      'of ids on MySQL',
      moved,
      answers(['findMany', [lot]], ['updateMany', inTurn({ count: 1 }, { count: 0 })]),
      { provider: 'mysql', ids: bySlug },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true,slug:true},take:4}',
          'Lot.findMany {where:{state:x},select:{id:true,slug:true},take:4}',
          'Lot.updateMany {where:{state:x,AND:[{id:l}]},data:{slug:new}}',
          'Lot.updateMany {where:{state:x,AND:[{NOT:{OR:[{id:l}]}}]},data:{slug:new}}',
        ],
        marks: [['Lot', { slug: 'old' }, { slug: 'new' }]],
        result: { count: 1 },
      },
    ],
    [
      'of ids on MySQL, with a limit that is a fraction',
      { ...moved, limit: 1.5 },
      answers(['findMany', [lot]], ['updateMany', { count: 1 }]),
      { provider: 'mysql', ids: bySlug, limit: 1 },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true,slug:true},take:2}',
          'Lot.findMany {where:{state:x},select:{id:true,slug:true},take:2}',
          'Lot.updateMany {where:{state:x},data:{slug:new},limit:1.5}',
        ],
        marks: ['Lot: unknown'],
        result: { count: 1 },
      },
    ],
    [
      'of ids of which the arguments do not show all, on MySQL',
      { where: { state: 'x' }, data: { slug: { set: undefined }, saleId: 's' } },
      answers(['findMany', [{ ...lot, saleId: 'r' }]], ['updateMany', inTurn({ count: 1 }, { count: 0 })]),
      { provider: 'mysql', ids: { Lot: [['slug'], ['saleId']] } },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true,slug:true,saleId:true},take:4}',
          'Lot.findMany {where:{state:x},select:{id:true,slug:true,saleId:true},take:4}',
          'Lot.updateMany {where:{state:x,AND:[{id:l}]},data:{slug:{set:undefined},saleId:s}}',
          'Lot.updateMany {where:{state:x,AND:[{NOT:{OR:[{id:l}]}}]},data:{slug:{set:undefined},saleId:s}}',
          'Lot.findMany {where:{id:l},select:{id:true,slug:true,saleId:true},take:4}',
        ],
        marks: [
          ['Lot', { slug: 'old', saleId: 'r' }],
          ['Lot', { slug: 'old', saleId: 'r' }],
        ],
        result: { count: 1 },
      },
    ],
  ])('%s', async (_, given, answer, database, expected) => {
    expect(await perform('Lot.updateMany', given, answer, database)).toEqual(expected)
  })
})

describe('a bulk update of rows with compound keys, on MySQL', () => {
  const seats = [
    { kind: 'OLD', place: 1n },
    { kind: 'NEW', place: 2n },
    { kind: 'OLD', place: 3n },
  ]
  const args = { where: { taken: true }, data: { taken: false } }
  const around = '{kind:{in:[OLD,NEW]},place:{in:[1n,3n,2n]}}'
  const once = ['updateMany', inTurn({ count: 3 }, { count: 0 })] as const
  const updates = [
    `Seat.updateMany {where:{taken:true,AND:[${around}]},data:{taken:false}}`,
    `Seat.updateMany {where:{taken:true,AND:[{NOT:{OR:[${around}]}}]},data:{taken:false}}`,
  ]
  const few = { provider: 'mysql', groupsPerQuery: 1 }
  it.each<[string, Args, PrismaAnswer, Database, object]>([
    [
      'marks all rows that the same few conditions match',
      args,
      answers(['findMany', seats], once),
      few,
      {
        asked: [
          'Seat.findMany FOR UPDATE {where:{taken:true},select:{kind:true,place:true},take:4}',
          ...updates,
          `Seat.findMany {where:${around},select:{kind:true,place:true},take:4}`,
        ],
        marks: [
          ['Seat', ...seats],
          ['Seat', ...seats],
        ],
      },
    ],
    [
      'counts more rows than the limit as all',
      args,
      answers(['findMany', inTurn(seats, [...seats, { kind: 'NEW', place: 1n }])], once),
      few,
      { marks: [['Seat', ...seats], 'Seat: unbounded'] },
    ],
    [
      'counts rows that it has not locked as unknown, if it needs their old ids',
      args,
      answers(['findMany', seats.map((seat) => ({ ...seat, taken: true }))], once),
      { ...few, ids: { Seat: [['taken'], ['place']] } },
      { marks: expect.arrayContaining(['Seat: unknown']) },
    ],
    [
      'finds them by the id of a cache if the key changes',
      { where: { taken: true }, data: { place: 5n } },
      answers(['findMany', [{ kind: 'OLD' }]], once),
      { ...few, ids: { Seat: [['kind']] } },
      {
        asked: [
          'Seat.findMany FOR UPDATE {where:{taken:true},select:{kind:true},take:4}',
          'Seat.updateMany {where:{taken:true,AND:[{kind:OLD}]},data:{place:5n}}',
          'Seat.updateMany {where:{taken:true,AND:[{NOT:{OR:[{kind:OLD}]}}]},data:{place:5n}}',
        ],
        marks: [['Seat', { kind: 'OLD' }]],
      },
    ],
  ])('%s', async (_, given, answer, database, expected) => {
    expect(await perform('Seat.updateMany', given, answer, database)).toMatchObject(expected)
  })
})

describe('a bulk update of keys', () => {
  const args = { where: { state: 'x' }, data: { id: 'new', slug: 'new' } }
  const ids: Ids = { Lot: [['slug']] }
  const lot = { id: 'l', slug: 'old' }
  it.each([
    ['the locked row', {}, [{ id: 'new', slug: 'new' }], false],
    [
      'another row as well',
      {},
      [
        { id: 'new', slug: 'new' },
        { id: 'new', slug: 'new' },
      ],
      true,
    ],
    ['the locked row, with a limit', { limit: 1 }, [{ id: 'new', slug: 'new' }], true],
  ])('knows whether it writes %s', async (_, limit, returned, isUnknown) => {
    const answer = answers(mayLock, locks, ['findMany', [lot]], ['AndReturn', returned])
    const { marks } = await perform('Lot.updateMany', { ...args, ...limit }, answer, { ids })
    expect(marks).toContainEqual(['Lot', { slug: 'old' }])
    expect(marks.includes('Lot: unknown')).toBe(isUnknown)
  })

  it('knows that by their number if a part of the key changes', async () => {
    const seat = { kind: 'OLD', place: 1n }
    const moved = { ...seat, place: 9n }
    const answer = answers(mayLock, locks, ['findMany', [seat]], ['AndReturn', [moved]])
    const { marks } = await perform('Seat.updateMany', { data: { place: 9n } }, answer)
    expect(marks).toEqual([
      ['Seat', seat],
      ['Seat', moved],
    ])
  })

  it.each<[string, string, object, unknown, readonly unknown[]]>([
    [
      'by the keys of the returned rows, whatever it filters by',
      'updateMany',
      { sale: { name: 'a' } },
      [{ id: 'l', slug: 'new' }],
      [],
    ],
    [
      'by those that the caller gets',
      'updateManyAndReturn',
      { state: 'x' },
      [{ id: 'm', slug: 'new' }],
      ['Lot: unknown'],
    ],
    [
      'never if Prisma refuses to return them',
      'updateMany',
      { state: 'x' },
      invalid,
      ['Lot: unknown', 'Lot: unknown'],
    ],
  ])('of unique fields knows that %s', async (_, operation, where, returned, unknown) => {
    const answer = answers(
      mayLock,
      locks,
      ['findMany', [lot]],
      ['AndReturn', returned],
      ['updateMany', { count: 1 }],
    )
    const { marks } = await perform(`Lot.${operation}`, { where, data: { slug: 'new' } }, answer, { ids })
    expect(marks.filter((mark) => typeof mark === 'string')).toEqual(unknown)
  })
})

it('follows the path of a fluent call itself, as it needs the written row', async () => {
  const args = { where: { slug: 'a' }, data: { state: 'y' }, select: { sale: true } }
  const answer = answers(['update', { id: 'l', sale: { id: 's' } }])
  expect(await perform('Lot.update', args, answer, { dataPath: ['select', 'sale'] })).toMatchObject({
    marks: [['Lot', { id: 'l' }]],
    result: { id: 's' },
  })
})

it('hides the fields that it has added to a result', async () => {
  const args = { where: { slug: 'a' }, data: { state: 'y' }, select: { state: true } }
  const performed = await perform('Lot.update', args, answers(['update', { id: 'l', state: 'y' }]))
  expect(Object.keys((performed as { result: object }).result)).toEqual(['state'])
})

describe('a write of one row', () => {
  const bySlug = { where: { slug: 'a' }, data: { state: 'y' } }
  const nested = (bids: object, where: object = { id: 'l' }) => ({ where, data: { bids } })
  it.each<[string, string, Args, PrismaAnswer, Database, object]>([
    [
      'returns its id',
      'Lot.update',
      bySlug,
      answers(['update', { id: 'l', slug: 'a' }]),
      {},
      {
        asked: ['Lot.update {where:{slug:a},data:{state:y}}'],
        marks: [['Lot', { id: 'l' }]],
        result: { id: 'l', slug: 'a' },
      },
    ],
    [
      'names its id',
      'Lot.update',
      { where: { id: 'l' }, data: { state: 'y' }, select: { state: true } },
      answers(['update', { state: 'y' }]),
      {},
      {
        asked: ['Lot.update {where:{id:l},data:{state:y},select:{state:true}}'],
        marks: [['Lot', { id: 'l' }]],
        result: { state: 'y' },
      },
    ],
    [
      'returns its id, on SQLite',
      'Lot.update',
      bySlug,
      answers(['update', { id: 'l' }]),
      { provider: 'sqlite' },
      {
        asked: ['Lot.update {where:{slug:a},data:{state:y}}'],
        marks: [['Lot', { id: 'l' }]],
        result: { id: 'l' },
      },
    ],
    [
      'returns its id, hidden',
      'Lot.update',
      { ...bySlug, select: { state: true } },
      answers(['update', { id: 'l', state: 'y' }]),
      {},
      {
        asked: ['Lot.update {where:{slug:a},data:{state:y},select:{state:true,id:true}}'],
        marks: [['Lot', { id: 'l' }]],
        result: { state: 'y' },
      },
    ],
    [
      'returns null',
      'Lot.update',
      bySlug,
      answers(['update', null]),
      {},
      { asked: ['Lot.update {where:{slug:a},data:{state:y}}'], marks: ['Lot: unknown'], result: null },
    ],
    [
      'is invalid',
      'Lot.update',
      bySlug,
      answers(['update', inTurn(invalid, { id: 'l' })]),
      {},
      {
        asked: ['Lot.update {where:{slug:a},data:{state:y}}', 'Lot.update {where:{slug:a},data:{state:y}}'],
        marks: ['Lot: unknown'],
        result: { id: 'l' },
      },
    ],
    [
      'fails',
      'Lot.update',
      bySlug,
      answers(['update', broken]),
      {},
      { asked: ['Lot.update {where:{slug:a},data:{state:y}}'], marks: [], error: 'broken' },
    ],
    [
      'creates rows with unknown ids',
      'Lot.createMany',
      { data: [{ slug: 'a' }, { slug: 'b' }] },
      answers(['createManyAndReturn', rows('l', 'm')]),
      {},
      {
        asked: ['Lot.createManyAndReturn {data:[{slug:a},{slug:b}],select:{id:true}}'],
        marks: [['Lot', { id: 'l' }, { id: 'm' }]],
        result: { count: 2 },
      },
    ],
    [
      'creates a row with another unknown id',
      'Lot.createMany',
      { data: { state: 'x' } },
      answers(['createManyAndReturn', [{ slug: 'a' }]]),
      { ids: { Lot: [['slug']] } },
      {
        asked: ['Lot.createManyAndReturn {data:{state:x},select:{slug:true}}'],
        marks: [['Lot', { slug: 'a' }]],
        result: { count: 1 },
      },
    ],
    [
      'creates a row, by whose key it finds those below',
      'Lot.create',
      { data: { slug: 'a', bids: { create: {} } }, select: { slug: true } },
      answers(['create', { id: 'l', slug: 'a' }], ['Bid.findMany', rows('b')]),
      { ids: { Lot: [['slug']], Bid: [['id']] } },
      {
        asked: [
          'Lot.create {data:{slug:a,bids:{create:{}}},select:{slug:true,id:true}}',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true},take:4}',
        ],
        marks: [
          ['Lot', { slug: 'a' }],
          ['Bid', { id: 'b' }],
        ],
        result: { slug: 'a' },
      },
    ],
    [
      'creates a row below with an unknown id',
      'Lot.update',
      nested({ create: {} }),
      answers(['update', { id: 'l' }], ['Bid.findMany', rows('b')]),
      {},
      {
        asked: ['Lot.update {where:{id:l},data:{bids:{create:{}}}}'],
        marks: [['Lot', { id: 'l' }], 'Bid created: nested'],
        result: { id: 'l' },
      },
    ],
    [
      'replaces rows below',
      'Lot.update',
      nested({ set: [] }),
      answers(mayLock, locks, ['update', { id: 'l' }], ['Bid.findMany', rows('b')]),
      {},
      {
        asked: [
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true},take:4}',
          'may lock [public.Bid]',
          'lock Bid [[{id:b}]]',
          'Lot.update {where:{id:l},data:{bids:{set:[]}}}',
        ],
        marks: [
          ['Lot', { id: 'l' }],
          ['Bid', { id: 'b' }],
        ],
        result: { id: 'l' },
      },
    ],
    [
      'replaces rows below on MySQL',
      'Lot.update',
      nested({ set: [] }),
      answers(['update', { id: 'l' }], ['Lot.findMany', rows('l')], ['Bid.findMany', rows('b')]),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{id:l},select:{id:true},take:1}',
          'Bid.findMany FOR UPDATE {where:{lot:{id:l}},select:{id:true},take:4}',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true},take:4}',
          'Lot.update {where:{id:l},data:{bids:{set:[]}}}',
        ],
        marks: [
          ['Lot', { id: 'l' }],
          ['Bid', { id: 'b' }],
        ],
        result: { id: 'l' },
      },
    ],
    [
      'replaces rows below that the user of MySQL may not lock',
      'Lot.update',
      nested({ set: [] }),
      answers(['update', { id: 'l' }], ['findMany', denied]),
      { provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{id:l},select:{id:true},take:1}',
          'Lot.update {where:{id:l},data:{bids:{set:[]}}}',
        ],
        marks: [['Lot', { id: 'l' }], 'Bid: nested'],
        result: { id: 'l' },
      },
    ],
    [
      'fails if rows below cannot be read',
      'Lot.update',
      nested({ set: [] }),
      answers(['findMany', broken]),
      { provider: 'mysql' },
      {
        asked: ['Lot.findMany FOR UPDATE {where:{id:l},select:{id:true},take:1}'],
        marks: [['Lot', { id: 'l' }]],
        error: 'broken',
      },
    ],
    [
      'replaces rows below one found by another key',
      'Lot.update',
      nested({ set: [] }, { slug: 'a' }),
      answers(
        mayLock,
        locks,
        ['update', { id: 'l' }],
        ['Lot.findMany', rows('l')],
        ['Bid.findMany', rows('b')],
      ),
      {},
      {
        asked: [
          'Lot.findMany {where:{slug:a},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Lot.findMany {where:{slug:a},select:{id:true},take:4}',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true},take:4}',
          'may lock [public.Bid]',
          'lock Bid [[{id:b}]]',
          'Lot.update {where:{slug:a},data:{bids:{set:[]}}}',
        ],
        marks: [
          ['Bid', { id: 'b' }],
          ['Lot', { id: 'l' }],
        ],
        result: { id: 'l' },
      },
    ],
    [
      'updates a row below that another key names',
      'Sale.update',
      { where: { id: 's' }, data: { lots: { update: { where: { slug: 'a' }, data: { state: 'y' } } } } },
      answers(mayLock, locks, ['update', { id: 's' }], ['Lot.findMany', rows('l')]),
      {},
      {
        asked: [
          'Lot.findMany {where:{slug:a},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Sale.update {where:{id:s},data:{lots:{update:{where:{slug:a},data:{state:y}}}}}',
        ],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }],
        ],
        result: { id: 's' },
      },
    ],
    [
      'connects a row that another key names',
      'Sale.update',
      { where: { id: 's' }, data: { lots: { connect: { slug: 'a' } } } },
      answers(mayLock, locks, ['update', { id: 's' }], ['Lot.findMany', rows('l')]),
      {},
      {
        asked: [
          'Lot.findMany {where:{slug:a},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Sale.update {where:{id:s},data:{lots:{connect:{slug:a}}}}',
        ],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }],
        ],
        result: { id: 's' },
      },
    ],
    [
      'connects a row that it may not lock',
      'Sale.update',
      { where: { id: 's' }, data: { lots: { connect: { slug: 'a' } } } },
      answers(['update', { id: 's' }], ['Lot.findMany', rows('l')]),
      {},
      {
        asked: [
          'Lot.findMany {where:{slug:a},select:{id:true},take:4}',
          'may lock [public.Lot]',
          'Sale.update {where:{id:s},data:{lots:{connect:{slug:a}}}}',
        ],
        marks: [['Sale', { id: 's' }], 'Lot: nested'],
        result: { id: 's' },
      },
    ],
    [
      'connects as many rows as the limit to a new one',
      'Sale.create',
      { data: { lots: { connect: { slug: 'a' } } } },
      answers(['create', { id: 's' }], ['Lot.findMany', rows('l', 'm', 'n')]),
      {},
      {
        asked: [
          'Sale.create {data:{lots:{connect:{slug:a}}}}',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
        ],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }, { id: 'm' }, { id: 'n' }],
        ],
        result: { id: 's' },
      },
    ],
    [
      'connects more rows than the limit to a new one',
      'Sale.create',
      { data: { lots: { connect: { slug: 'a' } } } },
      answers(['create', { id: 's' }], ['Lot.findMany', rows('l', 'm', 'n', 'o')]),
      {},
      {
        asked: [
          'Sale.create {data:{lots:{connect:{slug:a}}}}',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
        ],
        marks: [['Sale', { id: 's' }], 'Lot: nested'],
        result: { id: 's' },
      },
    ],
    [
      'connects a row that somebody may be creating',
      'Sale.update',
      { where: { id: 's' }, data: { lots: { connect: { slug: 'a' } } } },
      answers(mayLock, locks, ['update', { id: 's' }]),
      {},
      {
        asked: [
          'Lot.findMany {where:{slug:a},select:{id:true},take:4}',
          'Sale.update {where:{id:s},data:{lots:{connect:{slug:a}}}}',
        ],
        marks: [['Sale', { id: 's' }], 'Lot: nested'],
        result: { id: 's' },
      },
    ],
    [
      'changes an id that it does not know',
      'Lot.update',
      { where: { id: 'l' }, data: { slug: 'new' } },
      answers(mayLock, locks, ['findMany', [{ id: 'l', slug: 'old' }]], ['update', { id: 'l', slug: 'new' }]),
      { ids: { Lot: [['slug']] } },
      {
        asked: [
          'Lot.findMany {where:{id:l},select:{id:true,slug:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Lot.findMany {where:{id:l},select:{id:true,slug:true},take:4}',
          'Lot.update {where:{id:l},data:{slug:new}}',
        ],
        marks: [
          ['Lot', { slug: 'old' }],
          ['Lot', { slug: 'new' }],
        ],
        result: { id: 'l', slug: 'new' },
      },
    ],
  ])('%s', async (_, query, given, answer, database, expected) => {
    expect(await perform(query, given, answer, database)).toEqual(expected)
  })
})

describe('a write that enters lookups', () => {
  const bidOfLot = { Bid: ['lotId'] }
  const bid = { id: 'b', lotId: 'l' }
  const moved = (saleId: string) => ({ id: 'l', saleId, state: 'x' })
  const withLot: Ids = { Lot: [['id']], Bid: [['id', 'lotId']] }
  const cascaded = [
    'may lock [public.Lot]',
    'lock Lot [[{id:l}]]',
    'Bid.findMany {where:{lot:{id:l}},select:{id:true,lotId:true},take:4}',
    'may lock [public.Bid]',
    'lock Bid [[{id:b}]]',
    'Bid.findMany {where:{lot:{id:l}},select:{id:true,lotId:true},take:4}',
    'Lot.update {where:{id:l},data:{id:m}}',
  ]
  const ofState = { where: { slug: 'a' }, data: { state: 'y' } }
  const below = { where: { id: 's' }, data: { lots: { updateMany: ofState } } }
  const belowAsked = [
    'may lock [public.Sale]',
    'lock Sale [[{id:s}]]',
    'Lot.findMany {where:{sale:{id:s}},select:{id:true},take:4}',
  ]
  const belowSent = 'Sale.update {where:{id:s},data:{lots:{updateMany:{where:{slug:a},data:{state:y}}}}}'
  it.each<[string, string, Args, PrismaAnswer, Database, object]>([
    [
      'by the returned row',
      'Bid.update',
      { where: { id: 'b' }, data: { lot: { connect: { slug: 'a' } } } },
      answers(mayLock, locks, ['update', { id: 'b', lotId: 'l' }], ['findMany', rows('l')]),
      { lookups: bidOfLot },
      {
        asked: ['Bid.update {where:{id:b},data:{lot:{connect:{slug:a}}}}'],
        marks: [
          ['Bid', { id: 'b' }],
          ['Bid entered', { lotId: 'l' }],
        ],
        result: { id: 'b', lotId: 'l' },
      },
    ],
    [
      'by a row below that is new',
      'Lot.update',
      { where: { slug: 'a' }, data: { bids: { create: {} } } },
      answers(['update', { id: 'l' }], ['findMany', [{ id: 'b', lotId: 'l' }]]),
      { lookups: bidOfLot },
      {
        asked: [
          'Lot.update {where:{slug:a},data:{bids:{create:{}}}}',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true,lotId:true},take:4}',
        ],
        marks: [
          ['Lot', { id: 'l' }],
          ['Bid', { id: 'b' }],
          ['Bid entered', { lotId: 'l' }],
        ],
        result: { id: 'l' },
      },
    ],
    [
      'by a row below that is new, of which the schema lacks a field',
      'Lot.update',
      { where: { slug: 'a' }, data: { bids: { create: {} } } },
      answers(['update', { id: 'l' }], ['findMany', [{ id: 'b', lotId: 'l' }]]),
      { lookups: { Bid: ['lotId', 'gone'] } },
      {
        asked: [
          'Lot.update {where:{slug:a},data:{bids:{create:{}}}}',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true,lotId:true},take:4}',
        ],
        marks: [
          ['Lot', { id: 'l' }],
          ['Bid', { id: 'b' }],
          ['Bid entered', { lotId: 'l' }],
        ],
        result: { id: 'l' },
      },
    ],
    [
      'by a row below that is new, where Prisma returns null',
      'Lot.update',
      { where: { slug: 'a' }, data: { bids: { create: {} } } },
      answers(['update', null]),
      { lookups: bidOfLot },
      {
        asked: ['Lot.update {where:{slug:a},data:{bids:{create:{}}}}'],
        marks: ['Lot: unknown', 'Bid created: nested'],
        result: null,
      },
    ],
    [
      'by a row below that is new, where Prisma refuses added fields',
      'Lot.update',
      { where: { slug: 'a' }, data: { bids: { create: {} } } },
      answers(['update', inTurn(invalid, { id: 'l' })]),
      { lookups: bidOfLot },
      {
        asked: [
          'Lot.update {where:{slug:a},data:{bids:{create:{}}}}',
          'Lot.update {where:{slug:a},data:{bids:{create:{}}}}',
        ],
        marks: ['Lot: unknown', 'Bid created: nested'],
        result: { id: 'l' },
      },
    ],
    [
      'by a row below that is new, beside rows that cannot be locked',
      'Lot.update',
      { where: { id: 'l' }, data: { slug: 'new', bids: { create: {} } } },
      answers(['update', { id: 'l', slug: 'new' }], ['findMany', [{ id: 'l', slug: 'old', lotId: 'l' }]]),
      { ids: { Lot: [['slug']], Bid: [['id']] }, lookups: bidOfLot },
      {
        asked: [
          'Lot.findMany {where:{id:l},select:{id:true,slug:true},take:4}',
          'may lock [public.Lot]',
          'Lot.update {where:{id:l},data:{slug:new,bids:{create:{}}}}',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true,lotId:true},take:4}',
        ],
        marks: [
          'Lot: unknown',
          ['Lot', { slug: 'new' }],
          ['Bid', { id: 'l' }],
          ['Bid entered', { lotId: 'l' }],
        ],
        result: { id: 'l', slug: 'new' },
      },
    ],
    [
      'by a row below that is new, but not connected',
      'Lot.update',
      { where: { slug: 'a' }, data: { bids: { create: {} } } },
      answers(['update', { id: 'l' }], ['findMany', []]),
      { lookups: bidOfLot },
      {
        asked: [
          'Lot.update {where:{slug:a},data:{bids:{create:{}}}}',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true,lotId:true},take:4}',
        ],
        marks: [['Lot', { id: 'l' }], 'Bid created: nested'],
        result: { id: 'l' },
      },
    ],
    [
      'by more rows below than the limit',
      'Lot.update',
      { where: { slug: 'a' }, data: { bids: { create: {} } } },
      answers(['update', { id: 'l' }], ['findMany', rows('b', 'c', 'd', 'e')]),
      { lookups: bidOfLot },
      {
        asked: [
          'Lot.update {where:{slug:a},data:{bids:{create:{}}}}',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true,lotId:true},take:4}',
        ],
        marks: [['Lot', { id: 'l' }], 'Bid created: nested'],
        result: { id: 'l' },
      },
    ],
    [
      'by rows that the database changes',
      'Lot.update',
      { where: { id: 'l' }, data: { id: 'm' } },
      answers(mayLock, locks, ['update', { id: 'm' }], ['findMany', [{ id: 'b', lotId: 'm' }]]),
      { lookups: bidOfLot },
      {
        asked: [
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Bid.findMany {where:{lot:{id:l}},select:{id:true},take:4}',
          'may lock [public.Bid]',
          'lock Bid [[{id:b}]]',
          'Lot.update {where:{id:l},data:{id:m}}',
          'Bid.findMany {where:{id:b},select:{lotId:true},take:4}',
        ],
        marks: [
          ['Lot', { id: 'l' }, { id: 'm' }],
          ['Bid', { id: 'b' }],
          ['Bid entered', { lotId: 'm' }],
        ],
        result: { id: 'm' },
      },
    ],
    [
      'with a key that the schema lacks',
      'Lot.update',
      { where: { slug: 'a' }, data: { saleId: 's' }, select: { state: true } },
      answers(['update', { id: 'l', saleId: 's', state: 'x' }]),
      { lookups: { Lot: ['saleId', 'gone'] } },
      {
        asked: ['Lot.update {where:{slug:a},data:{saleId:s},select:{state:true,id:true,saleId:true}}'],
        marks: [
          ['Lot', { id: 'l' }],
          ['Lot entered', { saleId: 's' }],
        ],
        result: { state: 'x' },
      },
    ],
    [
      'by rows to which the database gives new ids',
      'Lot.update',
      { where: { id: 'l' }, data: { id: 'm' } },
      answers(
        mayLock,
        locks,
        ['update', { id: 'm' }],
        ['findMany', inTurn([bid], [bid], [{ ...bid, lotId: 'm' }], [{ lotId: 'm' }])],
      ),
      { ids: withLot, lookups: bidOfLot },
      {
        asked: [
          ...cascaded,
          'Bid.findMany {where:{id:b},select:{id:true,lotId:true},take:4}',
          'Bid.findMany {where:{id:b},select:{lotId:true},take:4}',
        ],
        marks: [
          ['Lot', { id: 'l' }, { id: 'm' }],
          ['Bid', bid],
          ['Bid', { id: 'b', lotId: 'm' }],
          ['Bid entered', { lotId: 'm' }],
        ],
        result: { id: 'm' },
      },
    ],
    [
      'by rows that Prisma does not find again',
      'Lot.update',
      { where: { id: 'l' }, data: { id: 'm' } },
      answers(mayLock, locks, ['update', { id: 'm' }], ['findMany', inTurn([bid], [bid], invalid, invalid)]),
      { ids: withLot, lookups: bidOfLot },
      {
        asked: [
          ...cascaded,
          'Bid.findMany {where:{id:b},select:{id:true,lotId:true},take:4}',
          'Bid.findMany {where:{id:b},select:{lotId:true},take:4}',
        ],
        marks: [['Lot', { id: 'l' }, { id: 'm' }], ['Bid', bid], 'Bid: cascade', ['Bid entered', {}]],
        result: { id: 'm' },
      },
    ],
    [
      'by rows whose keys the write has changed',
      'Lot.update',
      { where: { id: 'l' }, data: { id: 'm' } },
      answers(mayLock, locks, ['update', { id: 'm' }], ['findMany', inTurn([bid], [bid])]),
      { ids: withLot, lookups: bidOfLot },
      {
        asked: [
          ...cascaded,
          'Bid.findMany {where:{id:b},select:{id:true,lotId:true},take:4}',
          'Bid.findMany {where:{id:b},select:{lotId:true},take:4}',
        ],
        marks: [['Lot', { id: 'l' }, { id: 'm' }], ['Bid', bid], 'Bid: cascade', ['Bid entered', {}]],
        result: { id: 'm' },
      },
    ],
    [
      'by rows whose keys the database changes',
      'Lot.update',
      { where: { id: 'l' }, data: { id: 'm' } },
      answers(mayLock, locks, ['update', { id: 'm' }], ['findMany', [{ lotId: 'l', number: 1 }]]),
      { ids: { Lot: [['id']], Share: [['number']] }, lookups: { Share: ['lotId'] } },
      {
        asked: [
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Share.findMany {where:{lot:{id:l}},select:{lotId:true,number:true},take:4}',
          'may lock [public.Share]',
          'lock Share [[{lotId:l,number:1}]]',
          'Lot.update {where:{id:l},data:{id:m}}',
        ],
        marks: [
          ['Lot', { id: 'l' }, { id: 'm' }],
          ['Share', { number: 1 }],
          ['Share entered', {}],
        ],
        result: { id: 'm' },
      },
    ],
    [
      'by rows below whose data shows the key',
      'Sale.update',
      below,
      answers(mayLock, locks, ['update', { id: 's' }], ['findMany', rows('l')]),
      { lookups: { Lot: ['state'] } },
      {
        asked: [...belowAsked, 'may lock [public.Lot]', 'lock Lot [[{id:l}]]', belowSent],
        marks: [
          ['Sale', { id: 's' }],
          ['Lot', { id: 'l' }],
          ['Lot entered', { state: 'y' }],
        ],
        result: { id: 's' },
      },
    ],
    [
      'by no rows below',
      'Sale.update',
      below,
      answers(mayLock, locks, ['update', { id: 's' }]),
      { lookups: { Lot: ['state'] } },
      { asked: [...belowAsked, belowSent], marks: [['Sale', { id: 's' }]], result: { id: 's' } },
    ],
    [
      'by rows below that are found again through a new one',
      'Sale.create',
      { data: { id: 's', lots: { connect: { slug: 'a' } } } },
      answers(
        mayLock,
        locks,
        ['create', { id: 's' }],
        ['Lot.findMany', inTurn([moved('r')], [moved('r')], [moved('s')])],
      ),
      { ids: { Lot: [['id', 'saleId']] }, lookups: { Lot: ['state'] } },
      {
        asked: [
          'Lot.findMany {where:{slug:a},select:{id:true,saleId:true},take:4}',
          'may lock [public.Lot]',
          'lock Lot [[{id:l}]]',
          'Lot.findMany {where:{slug:a},select:{id:true,saleId:true},take:4}',
          'Sale.create {data:{id:s,lots:{connect:{slug:a}}}}',
          'Lot.findMany {where:{sale:{id:s}},select:{id:true,saleId:true},take:4}',
        ],
        marks: [
          ['Lot', { id: 'l', saleId: 'r' }],
          ['Lot', { id: 'l', saleId: 's' }],
        ],
        result: { id: 's' },
      },
    ],
    [
      'by rows that MySQL does not return',
      'Lot.updateMany',
      { where: { state: 'x' }, data: { saleId: 's' } },
      answers(
        ['findMany', [{ id: 'l', saleId: 's', state: 'x' }]],
        ['updateMany', inTurn({ count: 1 }, { count: 0 })],
      ),
      { lookups: { Lot: ['saleId', 'state'] }, provider: 'mysql' },
      {
        asked: [
          'Lot.findMany FOR UPDATE {where:{state:x},select:{id:true},take:4}',
          'Lot.updateMany {where:{state:x,AND:[{id:l}]},data:{saleId:s}}',
          'Lot.updateMany {where:{state:x,AND:[{NOT:{OR:[{id:l}]}}]},data:{saleId:s}}',
          'Lot.findMany {where:{id:l},select:{saleId:true,state:true},take:4}',
        ],
        marks: [
          ['Lot', { id: 'l' }],
          ['Lot entered', { saleId: 's', state: 'x' }],
        ],
        result: { count: 1 },
      },
    ],
  ])('%s', async (_, query, given, answer, database, expected) => {
    expect(await perform(query, given, answer, database)).toEqual(expected)
  })
})
