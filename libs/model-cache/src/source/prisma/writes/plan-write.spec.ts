import type { WriteUnit } from '../../write-coordinator.js'
import type { Args } from '../internals.js'
import { describeSchema } from '../schema/describe-schema.js'
import { whereOf } from './conditions.js'
import { createPlanner } from './create-planner.js'
import type { WritePlanning } from './planning.js'

const schema = `
model Folder {
  id       BigInt   @id
  name     String   @default("} // none")
  code     String   @unique @db.Uuid
  parentId BigInt?
  parent   Folder?  @relation("tree", fields: [parentId], references: [id], onDelete: Cascade)
  children Folder[] @relation("tree")
  files    File[]   // model Folder { }
  lock     Lock?
  tags     Tag[]
  shares   Share[]
}
model Share {
  code   String @db.Uuid
  number Int
  folder Folder @relation(fields: [code], references: [code])
  @@id([code, number])
}
model Secret {
  id     Int     @id
  tagId  Int
  tag    Tag     @relation(fields: [tagId], references: [id], onDelete: Cascade)
  traces Trace[]
}
model Trace {
  id       Int    @id
  secretId Int
  secret   Secret @relation(fields: [secretId], references: [id], onDelete: Cascade)
}
model Hint {
  id    Int    @id
  label String
  tag   Tag    @relation(fields: [label], references: [label], onDelete: Cascade)
}
model File {
  folderId BigInt
  name     String
  kind     Kind
  seenAt   DateTime? @unique
  ownerId  String?
  folder   Folder   @relation(fields: [folderId], references: [id], onDelete: Cascade, onUpdate: Restrict)
  owner    Owner?   @relation(fields: [ownerId], references: [email], onDelete: NoAction)
  note     Note?
  @@id([folderId, name(sort: Desc)])
}
model Note {
  id       Int     @id @default(autoincrement())
  folderId BigInt?
  name     String?
  file     File?   @relation(
    fields: [folderId, name],
    references: [folderId, name],
    onDelete: SetNull
  )
  @@unique([folderId, name])
}
model Lock {
  id       Int     @id
  folderId BigInt? @unique
  folder   Folder? @relation(fields: [folderId], references: [id])
  bolts    Bolt[]
}
model Bolt {
  id     Int    @id
  lockOf BigInt
  lock   Lock   @relation(fields: [lockOf], references: [folderId])
}
model Owner {
  email String  @id @db.Citext
  price Decimal @unique
  files File[]
}
model Tag {
  id      Int      @id
  label   String   @unique
  folders Folder[]
  secrets Secret[] @ignore
  hints   Hint[]   @ignore
}
enum Kind { A B }
`

const models: Record<string, string> = {
  Folder:
    'id:BigInt name:String code:String parentId:BigInt parent:Folder/tree children:Folder/tree files:File/a lock:Lock/b tags:Tag/c shares:Share/f',
  Share: 'code:String number:Int folder:Folder/f',
  Secret: 'id:Int tagId:Int traces:Trace/g',
  Trace: 'id:Int secretId:Int secret:Secret/g',
  Hint: 'id:Int label:String',
  File: 'folderId:BigInt name:String kind:Kind seenAt:DateTime ownerId:String folder:Folder/a owner:Owner/d note:Note/e',
  Note: 'id:Int folderId:BigInt name:String file:File/e',
  Lock: 'id:Int folderId:BigInt folder:Folder/b bolts:Bolt/h',
  Bolt: 'id:Int lockOf:BigInt lock:Lock/h',
  Owner: 'email:String price:Decimal files:File/d',
  Tag: 'id:Int label:String folders:Folder/c',
}

/** A client's internals, with relations written as `field:Model/relation`. */
function clientOf(inlineSchema: string): object {
  const runtime = Object.entries(models).map(([model, text]) => {
    const fields = text.split(' ').map((field) => {
      const [, name, type, relationName] = /^(\w+):(\w+)(?:\/(\w+))?$/.exec(field)!
      return { name, type, relationName, kind: relationName ? 'object' : type === 'Kind' ? 'enum' : 'scalar' }
    })
    return [model, { fields }]
  })
  return {
    _activeProvider: 'postgresql',
    _runtimeDataModel: { models: Object.fromEntries(runtime) },
    _engineConfig: { inlineSchema },
  }
}

const described = describeSchema(clientOf(schema)).models
const everything: Record<string, string[][]> = {
  Folder: [['id']],
  File: [['folderId', 'name']],
  Note: [['id']],
  Lock: [['id']],
  Owner: [['email']],
  Tag: [['id']],
}

function planningOf(
  caches: Record<string, string[][]>,
  { returnsCreated = true, locksRows = true } = {},
): WritePlanning {
  const coordinator = {
    idFieldsOf: (name: string) => caches[name] ?? [],
    lookupsOf: () => [],
    prepare: never,
    begin: never,
    within: never,
  }
  return { models: described, coordinator, limit: 3, groupsPerQuery: 50, returnsCreated, locksRows }
}

/** What a query marks, what it looks up, and how it has to run. */
function planOf(model: string, operation: string, args: Args, caches = everything, locksRows = true) {
  const planning = planningOf(caches, { returnsCreated: operation !== 'createMany', locksRows })
  const plan = createPlanner(planning)({ model, operation, args, isComplete: true })
  if (!plan) return undefined
  const affected: unknown[] = []
  plan.affected.announceTo({
    markWritten: (name, rows) => affected.push([name, ...rows]),
    markAllWritten: (name, reason) => affected.push(`${name}: ${reason}`),
    markCreated: (name, reason) => affected.push(`${name} created: ${reason}`),
  } as Partial<WriteUnit> as WriteUnit)
  const furtherRows = plan.furtherRows.map(({ model, when, path }) => [model, when, whereOf(path, {})])
  return {
    affected,
    ...(furtherRows.length > 0 && { furtherRows }),
    ...(plan.mode !== 'plain' && { mode: plan.mode }),
    ...(plan.claim && { claims: plan.claim.pinned ?? plan.claim.where }),
  }
}
const never = (): never => {
  throw new Error('planning begins nothing')
}

describe('the schema facts', () => {
  it('have sides, actions and keys of relations', () => {
    expect(described.get('File')).toMatchObject({
      primaryKey: ['folderId', 'name'],
      children: [
        { model: 'Note', relation: { field: 'file', fields: ['folderId', 'name'], onDelete: 'SetNull' } },
      ],
    })
    const { relations } = described.get('Folder')!
    expect(
      [...relations.values()].map(({ field, keyHolder, isOneToOne }) => [field, keyHolder, isOneToOne]),
    ).toEqual([
      ['parent', 'this', false],
      ['children', 'target', false],
      ['files', 'target', false],
      ['lock', 'target', true],
      ['tags', 'join-table', false],
      ['shares', 'target', false],
    ])
    expect(described.get('Lock')!.relations.get('folder')).toMatchObject({
      onDelete: 'SetNull',
      onUpdate: 'Cascade',
    })
    expect(described.get('Folder')!.scalars.get('code')).toMatchObject({
      type: 'String',
      nativeType: 'Uuid',
    })
    expect(described.get('File')!.scalars.get('kind')).toMatchObject({ type: 'Enum' })
  })
})

describe('ids', () => {
  it('are the values that the database will return', () => {
    const code = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'
    const where = { id: 7, code }
    const caches = { Folder: [['id'], ['code']] }
    expect(planOf('Folder', 'update', { where, data: { name: 'x' } }, caches)).toEqual({
      affected: [['Folder', { id: 7n, code: code.toLowerCase() }]],
    })
    const seenAt = '2026-01-02T03:04:05.000Z'
    expect(planOf('File', 'delete', { where: { seenAt } }, { File: [['seenAt']] })).toEqual({
      affected: [['File', { seenAt: new Date(seenAt) }]],
    })
  })

  it('are unknown if the database may store them in another form', () => {
    const caches = { Owner: [['email'], ['price']] }
    expect(planOf('Owner', 'update', { where: { email: 'A' }, data: {} }, caches)).toEqual({
      affected: [],
      mode: 'returning',
    })
    expect(planOf('Owner', 'create', { data: { email: 'a', price: '1.0' } }, caches)).toMatchObject({
      mode: 'returning',
    })
  })

  it('of compound keys come from the key, from data, and from lists', () => {
    const key = { folderId: 1n, name: 'a' }
    expect(
      planOf(
        'File',
        'update',
        { where: { folderId_name: key }, data: { name: { set: 'b' } } },
        { File: [['folderId', 'name']] },
      ),
    ).toEqual({
      affected: [['File', key, { ...key, name: 'b' }]],
    })
    const where = { folderId: { equals: 1 }, name: { in: ['a', 'b'] } }
    expect(
      planOf('File', 'updateMany', { where, data: { kind: 'A' } }, { File: [['folderId', 'name']] }),
    ).toEqual({
      affected: [['File', key, { ...key, name: 'b' }]],
    })
  })

  it.each([
    ['a uuid in another spelling', 'Folder', 'code', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}'],
    ['a uuid without hyphens', 'Folder', 'code', 'a0eebc999c0b4ef8bb6d6bb9bd380a11'],
    ['half of a surrogate pair', 'Folder', 'name', 'a\ud800'],
    ['a number that no double holds', 'Folder', 'id', 2 ** 60],
    ['microseconds', 'File', 'seenAt', '2026-01-02T03:04:05.000123Z'],
    ['a time without a zone', 'File', 'seenAt', '2026-01-02T03:04:05'],
    ['text that compares case-insensitively', 'Owner', 'email', 'a'],
    ['insensitive mode', 'Folder', 'name', { equals: 'a', mode: 'insensitive' }],
    ['another operator', 'Folder', 'name', { equals: 'a', not: 'b' }],
    ['a list in insensitive mode', 'Folder', 'name', { in: ['a', 'b'], mode: 'insensitive' }],
    ['a list and an operator', 'Folder', 'name', { in: ['a', 'b'], path: [] }],
  ])('are unknown from %s', (_, model, field, value) => {
    const plan = planOf(
      model,
      'updateManyAndReturn',
      { where: { [field]: value }, data: { other: 1 } },
      { [model]: [[field]] },
    )
    expect(plan).toEqual({ affected: [], mode: 'returning' })
  })

  it('are known from `equals` and `in` in the default mode, and null is not an id', () => {
    const caches = { Folder: [['name']], Note: [['name']] }
    const where = { name: { equals: 'a', mode: 'default', not: undefined } }
    expect(planOf('Folder', 'deleteMany', { where }, { Folder: [['name']] })).toEqual({
      affected: [['Folder', { name: 'a' }]],
      furtherRows: [['Folder', 'before', { parent: {} }]],
      mode: 'restricted',
      claims: where,
    })
    expect(planOf('Folder', 'updateMany', { where, data: { code: null } }, caches)).toEqual({
      affected: [['Folder', { name: 'a' }]],
    })
    expect(planOf('Note', 'updateMany', { where: { name: null }, data: { name: 'b' } }, caches)).toEqual({
      affected: [['Note', { name: 'b' }]],
    })
  })

  it('that change are locked before the write and read after it', () => {
    const where = { email: 'a' }
    const data = { email: { set: 'b' } }
    expect(planOf('Owner', 'update', { where, data }, { Owner: [['email']] })).toEqual({
      affected: [],
      claims: where,
      mode: 'returning',
    })
    const move = { where: { folderId: 1, name: 'a' }, data: { folderId: { increment: 1 } } }
    expect(planOf('File', 'updateMany', move, { File: [['folderId', 'name']] })).toMatchObject({
      affected: [],
      claims: move.where,
    })
    const same = { where: { email: 'a', price: 1 }, data: { email: 'a' } }
    expect(planOf('Lock', 'update', { where: { id: 1 }, data: { id: 1 } }, { Lock: [['id']] })).toEqual({
      affected: [['Lock', { id: 1 }]],
    })
    expect(planOf('Owner', 'update', same, { Owner: [['price']] })).toEqual({
      affected: [],
      mode: 'returning',
    })
  })

  it('that are not fields of the model make every write affect all rows', () => {
    const caches = { Note: [['handle']] }
    for (const [operation, args] of [
      ['create', { data: {} }],
      ['createMany', { data: [{}] }],
      ['update', { where: { id: 1 }, data: { name: 'x' } }],
      ['updateMany', { where: { name: 'a' }, data: { name: 'x' } }],
      ['deleteMany', {}],
      ['delete', { where: { id: 1 } }],
    ] as const) {
      expect([operation, planOf('Note', operation, args, caches)]).toEqual([
        operation,
        { affected: ['Note: unknown'] },
      ])
    }
    const file = { where: { folderId_name: { folderId: 1, name: 'a' } }, data: { note: { create: {} } } }
    expect(planOf('File', 'update', file, caches)).toEqual({ affected: ['Note: nested'] })
    expect(planOf('File', 'delete', { where: file.where }, caches)).toEqual({ affected: ['Note: cascade'] })
  })

  it('of more rows than the limit count as all', () => {
    const where = { id: { in: [1, 2, 3, 4] } }
    expect(planOf('Tag', 'deleteMany', { where })).toEqual({ affected: ['Tag: unbounded'] })
    expect(planOf('Tag', 'createMany', { data: [1, 2, 3, 4].map((id) => ({ id })) })).toEqual({
      affected: ['Tag created: unbounded'],
    })
    expect(planOf('Tag', 'createMany', { data: { id: 1 } })).toEqual({ affected: [['Tag', { id: 1 }]] })
  })

  it('of new rows that the database does not return are unknown', () => {
    expect(planOf('Note', 'createMany', { data: [{ name: 'x' }] })).toEqual({
      affected: ['Note created: unknown'],
    })
    expect(planOf('Note', 'createManyAndReturn', { data: [{ name: 'x' }] })).toMatchObject({
      mode: 'returning',
    })
  })

  it('of models without a cache are not planned', () => {
    expect(planOf('Tag', 'create', { data: {} }, {})).toBeUndefined()
    expect(planOf('Folder', 'delete', { where: { id: 1 } }, {})).toBeUndefined()
    expect(
      planOf('Folder', 'update', { where: { id: 1 }, data: { files: { deleteMany: {} } } }, {}),
    ).toBeUndefined()
  })

  it('of models that the schema lacks are unknown, and so are those of operations that a later Prisma adds', () => {
    const caches = { Missing: [['id']], Folder: [['id']], Tag: [['id']] }
    expect(planOf('Missing', 'create', { data: { id: 1 } }, caches)).toEqual({
      affected: ['Missing: unknown'],
    })
    for (const operation of ['deleteManyAndReturn', 'merge'])
      expect(planOf('Tag', operation, { where: { id: 1 } }, caches)).toEqual({
        affected: ['Tag: unknown', 'Folder: unknown'],
      })
  })
})

describe('referential actions', () => {
  it('lead to children and their children', () => {
    expect(planOf('Folder', 'delete', { where: { code: 'A' } }, { Tag: [['id']] })).toBeUndefined()
    const where = { folderId_name: { folderId: 1, name: 'a' } }
    expect(planOf('File', 'delete', { where }, { Note: [['id']] })).toEqual({
      affected: [],
      furtherRows: [['Note', 'before', { file: {} }]],
      claims: { folderId: 1n, name: 'a' },
    })
    expect(planOf('Folder', 'update', { where: { id: 1 }, data: { id: 2 } }, { Folder: [['id']] })).toEqual({
      affected: [['Folder', { id: 1n }, { id: 2n }]],
      furtherRows: [['Folder', 'before', { parent: {} }]],
      claims: { id: 1n },
    })
  })

  it('without an end, as in a tree, are followed generation by generation', () => {
    const caches = { File: [['name']], Note: [['id']] }
    const plan = createPlanner(planningOf(caches))({
      model: 'Folder',
      operation: 'delete',
      args: { where: { id: 1 } },
      isComplete: true,
    })!
    expect(plan.affected.isEmpty).toBe(true)
    expect(plan.claim).toMatchObject({ pinned: { id: 1n }, circular: 'deleted' })
    expect(new Set(plan.furtherRows.map(({ model }) => model))).toEqual(new Set(['Folder', 'File', 'Note']))
  })

  it('follow the schema: Restrict and NoAction do nothing, SetNull changes the key only', () => {
    const where = { folderId_name: { folderId: 1, name: 'a' } }
    expect(planOf('File', 'delete', { where }, { Note: [['id']] })).toEqual({
      affected: [],
      furtherRows: [['Note', 'before', { file: {} }]],
      claims: { folderId: 1n, name: 'a' },
    })
    expect(planOf('Owner', 'delete', { where: { email: 'a' } }, { File: [['name']] })).toBeUndefined()
  })

  it('that change ids of children select them again by their key, or affect all rows if it changes, too', () => {
    const file = { folderId_name: { folderId: 1, name: 'a' } }
    const moved = planOf(
      'File',
      'update',
      { where: file, data: { name: 'b' } },
      { Note: [['folderId', 'name']] },
    )
    expect(moved).toEqual({
      affected: [],
      furtherRows: [['Note', 'before', { file: {} }]],
      claims: { folderId: 1n, name: 'a' },
    })
    const rekeyed = planOf(
      'Folder',
      'update',
      { where: { id: 1 }, data: { code: 'a' } },
      { Share: [['code', 'number']] },
    )
    expect(rekeyed).toEqual({ affected: ['Share: cascade'] })
  })

  it('pass relations that the client hides by their foreign keys, if these lead to the key of the written row', () => {
    const where = { id: 1 }
    expect(planOf('Tag', 'delete', { where }, { Secret: [['id']], Trace: [['id']] })).toEqual({
      affected: [],
      furtherRows: [
        ['Secret', 'before', { tag: {} }],
        ['Trace', 'before', { secret: { tag: {} } }],
      ],
      claims: { id: 1 },
    })
    const nested = planOf(
      'Folder',
      'update',
      { where, data: { tags: { deleteMany: {} } } },
      { Secret: [['id']] },
    )
    expect(nested).toMatchObject({ affected: ['Secret: cascade'] })
    expect(planOf('Tag', 'delete', { where }, { Hint: [['id']] })).toEqual({ affected: ['Hint: cascade'] })
  })

  it('of rows that a nested write moves are followed, too', () => {
    // The query gives rows such keys.
    const data = { files: { connect: { folderId_name: { folderId: 1, name: 'a' } } } }
    expect(planOf('Folder', 'update', { where: { id: 2 }, data }, { Note: [['id']] })).toEqual({
      affected: ['Note: cascade'],
    })
  })

  it('of a changed key are followed as far as that key is referenced', () => {
    const changed = planOf(
      'Folder',
      'update',
      { where: { id: 1 }, data: { id: 2 } },
      { File: [['name']], Lock: [['id']] },
    )
    expect(changed).toEqual({
      affected: [],
      furtherRows: [['Lock', 'before', { folder: {} }]],
      claims: { id: 1n },
    })
    expect(
      planOf('Folder', 'update', { where: { id: 1 }, data: { name: 'x' } }, { Lock: [['id']] }),
    ).toBeUndefined()
  })
})

describe('nested writes', () => {
  const update = (data: object, caches?: Record<string, string[][]>) =>
    planOf('Folder', 'update', { where: { id: 1 }, data }, caches)
  const folder = ['Folder', { id: 1n }]

  it('of many-to-many relations change no row but those they create, update or delete', () => {
    expect(update({ tags: { connect: { id: 1 }, disconnect: [{ id: 2 }], set: [] } })).toBeUndefined()
    expect(update({ tags: { create: { id: 3 }, delete: { id: 4 } } })).toEqual({
      affected: [['Tag', { id: 3 }, { id: 4 }]],
    })
    expect(update({ tags: { set: [] }, name: 'x' })).toEqual({ affected: [folder] })
  })

  it('of one-to-one relations release the row that was connected before', () => {
    const released = {
      affected: [folder, ['Lock', { id: 1 }]],
      furtherRows: [['Lock', 'before', { folder: {} }]],
      claims: { id: 1n },
    }
    expect(update({ lock: { connect: { id: 1 } } })).toEqual(released)
    expect(update({ lock: { create: { id: 1 } } })).toEqual(released)
    expect(planOf('Folder', 'create', { data: { id: 1, lock: { create: { id: 1 } } } })).toEqual({
      affected: [folder, ['Lock', { id: 1 }]],
    })
    expect(planOf('Lock', 'update', { where: { id: 1 }, data: { folder: { connect: { id: 1 } } } })).toEqual({
      affected: [['Lock', { id: 1 }]],
      furtherRows: [
        ['Folder', 'before', {}],
        ['Lock', 'before', { folder: {} }],
      ],
    })
  })

  it('set the key of the former partner of a one-to-one relation to null', () => {
    const args = { where: { id: 1 }, data: { folder: { connect: { id: 1 } } } }
    const query = { model: 'Lock', operation: 'update', args, isComplete: true }
    expect(createPlanner(planningOf(everything))(query)!.furtherRows[1]).toMatchObject({
      model: 'Lock',
      change: new Set(['folderId']),
      after: { folderId: null },
    })
  })

  it('release the former partner of a row that is updated, and find one that an upsert creates', () => {
    const lock = { connect: { id: 5 } }
    const file = { where: { seenAt: new Date(0) }, data: { folder: { update: { lock } } } }
    expect(planOf('File', 'update', file, { Lock: [['id']] })).toMatchObject({
      affected: [['Lock', { id: 5 }]],
      furtherRows: [
        ['Folder', 'before', { files: { some: {} } }],
        ['Lock', 'before', { folder: { files: { some: {} } } }],
      ],
    })
    const upsert = { where: { id: 9 }, create: {}, update: {} }
    expect(update({ lock: { upsert } })).toMatchObject({
      furtherRows: [
        ['Lock', 'before', { folder: {} }],
        ['Lock', 'after', { folder: {} }],
      ],
    })
  })

  it('affect all rows that change, and all below them, where rows cannot be locked', () => {
    const plan = (model: string, data: object, ...cached: string[]) => {
      const caches = Object.fromEntries(cached.map((name) => [name, [['id']]]))
      const operation = 'id' in data ? 'create' : 'update'
      return planOf(model, operation, { where: { id: 1 }, data }, caches, false)
    }
    const folder = { connect: { id: 1 } }
    for (const data of [{ folder }, { id: 1, folder }])
      expect(plan('Lock', data, 'Lock', 'Bolt')).toMatchObject({
        affected: ['Lock: nested', 'Bolt: cascade'],
      })
    const children = { update: { where: { id: 3 }, data: { id: 4 } } }
    expect(plan('Folder', { children }, 'Lock')).toMatchObject({ affected: ['Lock: cascade'] })
    const files = { deleteMany: { folderId: 1, name: 'a' } }
    expect(plan('Folder', { files }, 'Note')).toMatchObject({ affected: ['Note: cascade'] })
  })

  it('of a row that only updates the one of its foreign key follow no change of that key', () => {
    const plan = (folder: object) => {
      const files = { update: { where: { folderId_name: { folderId: 1, name: 'a' } }, data: { folder } } }
      return planOf('Owner', 'update', { where: { email: 'e' }, data: { files } }, { Note: [['id']] })
    }
    const update = { name: 'x' }
    expect(plan({ update })).toBeUndefined()
    expect(plan({ update, connect: { id: 2 } })).toEqual({ affected: ['Note: cascade'] })
  })

  it('find no row by a key that the query gives to another one', () => {
    const [a, b] = ['a', 'b'].map((name) => ({ folderId_name: { folderId: 1, name } }))
    const caches = { Note: [['id']] }
    expect(update({ files: { delete: b } }, caches)).toMatchObject({
      affected: [],
      furtherRows: [
        ['File', 'before', {}],
        ['Note', 'before', { file: {} }],
      ],
    })
    const renamed = { update: { where: a, data: { name: 'b' } }, delete: b }
    expect(update({ files: renamed }, caches)).toMatchObject({ affected: ['Note: cascade'] })
    const note = { update: { name: 'b' }, delete: true }
    expect(planOf('File', 'update', { where: a, data: { note } }, caches)).toEqual({
      affected: ['Note: nested'],
    })
  })

  it('find rows through those that were there before, unless the query moves others there', () => {
    const below = (files: object, more?: object) => {
      const lock = { folder: { update: { files, ...more } } }
      return planOf('Lock', 'update', { where: { id: 1 }, data: lock }, { File: [['name']] })
    }
    const found = {
      affected: [],
      furtherRows: [
        ['Folder', 'before', { lock: {} }],
        ['File', 'before', { folder: { lock: {} } }],
      ],
      claims: { id: 1 },
    }
    expect(below({ deleteMany: { kind: 'A' } })).toEqual(found)
    expect(below({ updateMany: { where: { kind: 'A' }, data: { kind: 'B' } } })).toEqual(found)
    // New rows are not deleted for anybody who could have read them, but they may be updated.
    expect(below({ deleteMany: {}, create: { name: 'n', kind: 'A' } })).toEqual({
      ...found,
      affected: [['File', { name: 'n' }]],
    })
    const added = { create: { name: 'n', kind: 'A' }, updateMany: { where: {}, data: { kind: 'B' } } }
    expect(below(added)).toEqual({ affected: ['File: nested'] })
    const file = { folderId_name: { folderId: 2, name: 'b' } }
    expect(below({ connect: file, deleteMany: {} })).toEqual({ affected: ['File: nested'] })
    expect(
      below({ deleteMany: {} }, { children: { update: { where: { id: 3 }, data: { id: 4 } } } }),
    ).toEqual(found)
  })

  it('of all kinds are planned', () => {
    const file = { folderId_name: { folderId: 1, name: 'a' } }
    const caches = { File: [['folderId', 'name']] }
    const affected = { affected: [['File', { folderId: 1n, name: 'a' }]] }
    for (const operation of [
      { update: { where: file, data: { kind: 'A' } } },
      { updateMany: [{ where: { folderId: 1, name: 'a' }, data: { kind: 'A' } }] },
      { upsert: { where: file, update: {}, create: { folderId: 1, name: 'a' } } },
      { createMany: { data: [{ folderId: 1, name: 'a' }] } },
      { delete: file },
      { deleteMany: [{ folderId: 1, name: 'a' }] },
    ]) {
      expect([operation, update({ files: operation }, caches)]).toEqual([operation, affected])
    }
    // Connecting changes the foreign key, which is part of the id.
    const moves = [
      { connect: file },
      { disconnect: [file] },
      { connectOrCreate: { where: file, create: {} } },
    ]
    expect(update({ files: { create: {} } }, caches)).toEqual({ affected: ['File created: nested'] })
    for (const operation of [...moves, { set: [] }]) {
      expect([operation, update({ files: operation }, caches)]).toEqual([
        operation,
        { affected: ['File: nested'] },
      ])
    }
    for (const deleteMany of [{}, { OR: [{ folderId: 1, name: 'a' }, { kind: 'A' }] }])
      expect(update({ files: { deleteMany } }, caches)).toEqual({
        affected: [],
        furtherRows: [['File', 'before', { folder: {} }]],
        claims: { id: 1n },
      })
  })

  it('looks up new rows of each model at the end of the same path', () => {
    const data = { files: { create: { name: 'a', kind: 'A' } }, lock: { create: {} } }
    expect(planOf('Folder', 'create', { data })?.furtherRows).toEqual([
      ['File', 'after', { folder: {} }],
      ['Lock', 'after', { folder: {} }],
    ])
  })

  it('of new rows under a new row are looked up through it', () => {
    const files = { create: [{ name: 'a', note: { create: {} } }, { name: 'b' }] }
    expect(planOf('Folder', 'create', { data: { id: 1, files } })).toEqual({
      affected: [folder],
      furtherRows: [
        ['File', 'after', { folder: {} }],
        ['Note', 'after', { file: { folder: {} } }],
      ],
      mode: 'returning',
    })
    const tags = { connectOrCreate: { where: { id: 1 }, create: {} } }
    expect(planOf('Folder', 'create', { data: { id: 1, tags } })).toMatchObject({
      furtherRows: [['Tag', 'after', { folders: { some: {} } }]],
    })
    const other = { where: { folderId_name: { folderId: 1, name: 'a' } }, create: {} }
    expect(
      planOf('File', 'create', { data: { folderId: 1, name: 'b', note: { connectOrCreate: other } } }),
    ).toMatchObject({ furtherRows: [['Note', 'after', { file: {} }]] })
  })

  it('of a single new row are looked up through an existing one, rows of lists are not', () => {
    const lock = { folder: { create: { name: 'x', files: { create: { name: 'a' } } } } }
    expect(planOf('Lock', 'update', { where: { id: 1 }, data: lock })).toEqual({
      affected: [['Lock', { id: 1 }]],
      furtherRows: [
        ['Folder', 'after', { lock: {} }],
        ['File', 'after', { folder: { lock: {} } }],
      ],
      mode: 'returning',
    })
    expect(update({ children: { create: {} } })).toEqual({ affected: [folder, 'Folder created: nested'] })
  })

  it('that create a row under a condition do not look it up through its parent, because Prisma does not connect it', () => {
    const upsert = { create: { name: 'x' }, update: {} }
    const planned = (where?: object) =>
      planOf('Lock', 'update', { where: { id: 1 }, data: { folder: { upsert: { ...upsert, where } } } })
    expect(planned()).toMatchObject({ furtherRows: [['Folder', 'after', { lock: {} }]] })
    expect(planned({ id: 1 })).toEqual({
      affected: [['Lock', { id: 1 }], ['Folder', { id: 1n }], 'Folder created: nested'],
    })
  })

  it('that create a row beside another operation on it do not look it up through its parent, which may lead to another', () => {
    const created = (beside: object) =>
      planOf('Lock', 'update', { where: { id: 1 }, data: { folder: { create: { name: 'x' }, ...beside } } })
    expect(created({ update: undefined })).toMatchObject({ furtherRows: [['Folder', 'after', { lock: {} }]] })
    expect(created({ disconnect: true })).toEqual({
      affected: [['Lock', { id: 1 }], 'Folder created: nested'],
    })
  })

  it('that change different parts of a compound id affect all rows', () => {
    const [renamed, moved] = [{ seenAt: new Date(0) }, { seenAt: new Date(1) }]
    const affectedBy = (files: object) =>
      update({ files }, { File: [['folderId', 'name'], ['seenAt']] }) as { affected: unknown[] }
    const data = { update: { where: renamed, data: { name: 'b' } } }
    expect(affectedBy(data).affected).not.toContain('File: nested')
    expect(affectedBy({ ...data, connect: moved }).affected).toContain('File: nested')
  })

  it('that delete affect the children', () => {
    expect(
      update({ files: { delete: { folderId_name: { folderId: 1, name: 'a' } } } }, { Note: [['id']] }),
    ).toEqual({
      affected: [],
      furtherRows: [
        ['File', 'before', {}],
        ['Note', 'before', { file: {} }],
      ],
    })
  })

  it('of many-to-many relations affect the caches that depend on either model', () => {
    const dependent = { Folder: [[]], Tag: [[]] }
    for (const operation of [{ connect: { id: 1 } }, { set: [] }]) {
      expect(update({ tags: operation }, dependent)).toEqual({
        affected: [
          ['Folder', {}],
          ['Tag', {}],
        ],
      })
    }
    const lock = planOf('Lock', 'create', { data: { id: 1, folder: { connect: { id: 1 } } } }, dependent)
    expect(lock).toBeUndefined()
  })

  it('of an unknown kind, or that are no objects, affect all rows of all related models', () => {
    const caches = { Folder: [['id']], File: [['name']], Owner: [['email']], Note: [['id']] }
    const affected = ['Folder: unknown', 'File: unknown', 'Note: unknown', 'Owner: unknown']
    const unknown: object[] = [
      { files: { replaceAll: {} } },
      { files: { replaceAll: true } },
      { files: [{ create: {} }] },
      { files: null },
    ]
    for (const operation of ['create', 'createMany', 'connectOrCreate', 'update', 'updateMany', 'upsert'])
      unknown.push({ files: { [operation]: 'a' } }, { files: { [operation]: null } })
    unknown.push({ files: { update: { where: {}, data: 1 } } })
    for (const data of [...unknown, { files: { createMany: { data: [1] } } }]) {
      const plan = update(data, caches) as { affected: string[] }
      expect([data, { ...plan, affected: plan.affected.toSorted() }]).toEqual([
        data,
        { affected: affected.toSorted() },
      ])
    }
  })

  it('update a single row by its data alone, or by a condition and its data', () => {
    const caches = { Folder: [['name']], Lock: [['id']] }
    const renamed = (operation: object) =>
      planOf('Lock', 'update', { where: { id: 1 }, data: { folder: { update: operation } } }, caches)
    const named = {
      affected: [
        ['Lock', { id: 1 }],
        ['Folder', { name: 'a' }, { name: 'b' }],
      ],
    }
    expect(renamed({ where: { name: 'a' }, data: { name: 'b' } })).toEqual(named)
    const found = {
      affected: [['Lock', { id: 1 }]],
      furtherRows: [['Folder', 'before', { lock: {} }]],
      claims: { id: 1 },
    }
    const unknown = { name: { increment: 1 } }
    for (const operation of [
      { name: 'b' },
      { data: { name: 'b' } },
      { where: { code: 'a' }, data: {} },
      unknown,
    ])
      expect(renamed(operation)).toEqual(found)
  })

  it('of rows whose ids a load computes affect all of them', () => {
    const caches = { File: [['folderId', 'score']] }
    for (const operation of [{ create: { name: 'a' } }, { connect: {} }, { updateMany: { data: {} } }])
      expect(update({ files: operation }, caches)).toEqual({ affected: ['File: nested'] })
    const files = (...names: string[]) => ({ createMany: { data: names.map((name) => ({ name })) } })
    const many = { files: files('a', 'b', 'c', 'd') }
    expect(update(many, caches)).toEqual({ affected: ['File: nested'] })
    expect(update(many, { File: [['name']] })).toEqual({ affected: ['File created: unbounded'] })
    expect(update({ files: files('a', 'b', 'c') }, { File: [['name']] })).toEqual({
      affected: [['File', { name: 'a' }, { name: 'b' }, { name: 'c' }]],
    })
  })

  it('find the rows that they connect to a new one through it', () => {
    const connected = (where: object, caches: Record<string, string[][]>) =>
      planOf('Owner', 'create', { data: { email: 'a', files: { connect: where } } }, caches)
    const where = { folderId_name: { folderId: 1, name: 'a' } }
    expect(connected(where, { File: [['folderId', 'name']] })).toEqual({
      affected: [['File', { folderId: 1n, name: 'a' }]],
    })
    const seen = { seenAt: new Date(0) }
    expect(connected(seen, { File: [['folderId', 'name']] })).toEqual({
      affected: [],
      furtherRows: [['File', 'after', { owner: {} }]],
      mode: 'returning',
    })
    // Their old ids are not to be found there.
    expect(connected(seen, { File: [['ownerId', 'name']] })).toEqual({
      affected: [],
      furtherRows: [
        ['File', 'after', { owner: {} }],
        ['File', 'before', {}],
      ],
      mode: 'returning',
    })
  })

  it('that are missing write nothing', () => {
    for (const data of [undefined, { files: undefined }, { files: {} }, { files: { create: undefined } }])
      expect(planOf('Folder', 'create', { data: data! }, { File: [['name']] })).toBeUndefined()
  })

  it('in an upsert count on both of its sides', () => {
    const plan = planOf('Folder', 'upsert', {
      where: { id: 1 },
      create: { id: 1, files: { create: { folderId: 1, name: 'c' } } },
      update: { files: { update: { where: { folderId_name: { folderId: 1, name: 'u' } }, data: {} } } },
    })
    expect(plan).toEqual({
      affected: [folder, ['File', { folderId: 1n, name: 'u' }, { folderId: 1n, name: 'c' }]],
    })
  })
})

describe('arguments that do not show what Prisma reads in them', () => {
  it('affect all rows of all related models, and the query runs as it is', () => {
    const coordinator = {
      idFieldsOf: (name: string) => everything[name] ?? [],
      lookupsOf: () => [],
      prepare: never,
      begin: never,
      within: never,
    }
    const planning = {
      models: described,
      coordinator,
      limit: 3,
      groupsPerQuery: 50,
      returnsCreated: true,
      locksRows: true,
    }
    const args = { where: { id: 1 } }
    const plan = createPlanner(planning)({
      model: 'Tag',
      operation: 'delete',
      args,
      isComplete: false,
    })!
    const affected: string[] = []
    plan.affected.announceTo({
      markAllWritten: (name: string, reason: string) => affected.push(`${name}: ${reason}`),
    } as Partial<WriteUnit> as WriteUnit)
    expect(affected.toSorted()).toEqual(
      Object.keys(everything)
        .map((name) => `${name}: unknown`)
        .toSorted(),
    )
    expect([plan.mode, plan.furtherRows, plan.claim]).toEqual(['plain', [], undefined])
  })

  it.each([
    ['create', { data: 'a' }],
    ['createMany', { data: [{ id: 1 }, null] }],
    ['update', { where: { id: 1 }, data: null }],
    ['updateMany', { data: [] }],
    ['upsert', { where: { id: 1 }, update: {}, create: 1 }],
  ])('are those of which one that should be an object is none: %s %j', (operation, args) => {
    expect((planOf('Folder', operation, args) as { affected: unknown[] }).affected).toHaveLength(6)
  })
})
