import type { WriteUnit } from '../../write-coordinator.js'
import { createPlanner } from '../writes/create-planner.js'
import { describeSchema, schemaFactsOf } from './describe-schema.js'
import { parseSchema } from './parse-schema.js'

const schema = `
model Owner {
  id    Int    @id
  shops Shop[]
}
model Shop {
  id      Int     @id
  name    String  @unique @db.Citext
  ownerId Int
  owner   Owner   @relation(fields: [ownerId], references: [id], onDelete: Cascade)
  shelves Shelf[]
  stat    Stat?
  secrets Secret[] @ignore
  @@index([name], where: { name: { not: "}" } })
}
model Shelf {
  id     Int    @id
  shopId Int
  shop   Shop   @relation(fields: [shopId], references: [id], onDelete: Cascade)
  books  Book[]
}
model Book {
  id      Int    @id
  title   String @unique
  shelfId Int?
  shelf   Shelf? @relation(fields: [shelfId], references: [id], onDelete: SetNull)
}
model Secret {
  id     Int    @id
  shopId Int
  shop   Shop   @relation(fields: [shopId], references: [id], onDelete: Cascade)
  traces Trace[]
}
model Trace {
  id       Int    @id
  secretId Int
  secret   Secret @relation(fields: [secretId], references: [id], onDelete: Cascade)
  @@ignore
}
view Stat {
  shopId Int  @unique
  shop   Shop @relation(fields: [shopId], references: [id])
}
model Alone {
  id Int @id
}
`

/** The insides of a client that was generated from the schema and says that its schema is another one. */
function clientOf(inlineSchema: string): object {
  const { models } = parseSchema(schema)
  const visible = [...models.values()].filter(({ isIgnored }) => !isIgnored)
  const runtime = visible.map(({ name, fields }) => {
    const known = [...fields.values()].filter(
      ({ type, isIgnored }) => !isIgnored && !models.get(type)?.isIgnored,
    )
    return [
      name,
      {
        fields: known.map(({ name: field, type }) => {
          const isRelation = models.has(type)
          const relationName = isRelation ? [name, type].toSorted().join('To') : undefined
          return { name: field, type, kind: isRelation ? 'object' : 'scalar', relationName }
        }),
      },
    ]
  })
  return { _runtimeDataModel: { models: Object.fromEntries(runtime) }, _engineConfig: { inlineSchema } }
}

const problemsOf = (inlineSchema: string): object =>
  Object.fromEntries(
    [...describeSchema(clientOf(inlineSchema)).models].flatMap(([name, { problem }]) =>
      problem ? [[name, problem]] : [],
    ),
  )

describe('the schema facts of a client', () => {
  it('have views, relations with an ignored side, and partial indexes without a problem', () => {
    expect(problemsOf(schema)).toEqual({})
    const models = describeSchema(clientOf(schema)).models
    expect(models.get('Secret')!.relations.get('shop')).toMatchObject({ keyHolder: 'this', isVisible: true })
    expect(models.get('Shop')!.relations.get('secrets')).toMatchObject({
      keyHolder: 'target',
      isVisible: false,
    })
    expect(models.get('Shop')!.children.map(({ model }) => model)).toEqual(['Shelf', 'Secret', 'Stat'])
  })

  it('have models that the client hides, because the database passes changes on to them and from them', () => {
    const models = describeSchema(clientOf(schema)).models
    expect(models.get('Secret')!.children).toMatchObject([{ model: 'Trace', relation: { isVisible: false } }])
    expect([...models.get('Trace')!.scalars]).toEqual([])
  })

  it('have a problem with one model if one of its columns is unknown', () => {
    const problem = 'field Shop.name is not in the schema'
    expect(problemsOf(schema.replace(/name    String.*/, ''))).toEqual({ Shop: problem })
    const unreadable = schema.replace('@unique @db.Citext', '@check(length > 3)')
    expect(problemsOf(unreadable)).toEqual({
      Shop: 'model Shop cannot be read: line 8 has ">" where "," or ")" was expected',
    })
    expect(problemsOf(schema.replace('title   String', 'title   Int'))).toEqual({
      Book: 'field Book.title is of type Int in the schema, of String in the client',
    })
  })

  it('have a problem with both models of an unknown relation, and with those that cascade to them', () => {
    const problem = 'field Book.shelf is not in the schema'
    expect(problemsOf(schema.replace(/shelf   Shelf.*/, ''))).toEqual({
      Book: problem,
      Shelf: problem,
      Shop: problem,
      Owner: problem,
    })
    expect(
      problemsOf(schema.replace('(fields: [shelfId], references: [id], onDelete: SetNull)', '')),
    ).toMatchObject({
      Shelf: 'relation Shelf.books has not one foreign key',
      Book: 'relation Shelf.books has not one foreign key',
    })
  })

  it('have a problem with a missing model, and with its neighbours', () => {
    const problems = problemsOf(schema.replace(/model Book [^}]*}/, ''))
    expect(problems).toMatchObject({ Book: 'model Book is not in the schema', Shelf: expect.any(String) })
    expect(Object.keys(problems)).not.toContain('Alone')
  })

  it('have a problem with all models of a client that carries no schema', () => {
    expect(Object.keys(problemsOf('')).toSorted()).toEqual([
      'Alone',
      'Book',
      'Owner',
      'Secret',
      'Shelf',
      'Shop',
      'Stat',
    ])
    const client = { _runtimeDataModel: { models: { A: { fields: [] } } } }
    expect(describeSchema(client).models.get('A')!.problem).toBe('model A is not in the schema')
  })
})

describe('the cached schema facts of a client', () => {
  it('are described once, also for clients that are extended from it', () => {
    const client = clientOf(schema)
    const extended = { ...client, _originalClient: client }
    expect(schemaFactsOf(extended)).toBe(describeSchema(client))
    expect(schemaFactsOf(clientOf(schema))).not.toBe(describeSchema(client))
  })

  it('have the relations that the client has, and which models it hides, even without a schema', () => {
    const { models } = schemaFactsOf(clientOf(schema))
    expect([...models.get('Shop')!.relationTargets]).toEqual([
      ['owner', 'Owner'],
      ['shelves', 'Shelf'],
      ['stat', 'Stat'],
    ])
    expect([models.get('Shop')!.isVisible, models.get('Trace')!.isVisible]).toEqual([true, false])
    expect([...schemaFactsOf(clientOf('')).models.get('Shop')!.relationTargets.keys()]).toContain('owner')
  })

  it('are empty for an object that is not a Prisma client', () => {
    const broken = { _runtimeDataModel: { models: { A: {} } } }
    for (const client of [{}, broken]) expect([...schemaFactsOf(client).models]).toEqual([])
  })
})

describe('the planner', () => {
  const caches: Record<string, string[][]> = {
    Owner: [['id']],
    Shop: [['id']],
    Book: [['id']],
    Alone: [['id']],
  }
  const never = (): never => {
    throw new Error('planning begins nothing')
  }

  /** What a write marks before it runs. */
  function plan(inlineSchema: string, model: string, operation: string, args: object): unknown[] {
    const client = clientOf(inlineSchema)
    const coordinator = {
      idFieldsOf: (name: string) => caches[name] ?? [],
      lookupsOf: () => [],
      begin: never,
      within: never,
    }
    const planning = { coordinator, limit: 10, returnsCreated: true, models: describeSchema(client).models }
    const planned = createPlanner(planning as never)(model, operation, args as never)
    const affected: unknown[] = []
    planned?.affected.announceTo({
      markWritten: (name, rows) => affected.push([name, ...rows]),
      markAllWritten: (name, reason) => affected.push(`${name}: ${reason}`),
    } as Partial<WriteUnit> as WriteUnit)
    return affected
  }
  const everything = ['Owner: unknown', 'Shop: unknown', 'Book: unknown']
  const brokenShop = schema.replace(/name    String.*/, '')

  it('plans all writes exactly beside views, ignored sides and partial indexes', () => {
    const args = { where: { id: 1 }, data: { name: 'a' } }
    expect(plan(schema, 'Shop', 'update', args)).toEqual([['Shop', { id: 1 }]])
  })

  it('marks all related models for a write to a model with a problem', () => {
    const affected = plan(brokenShop, 'Shop', 'update', { where: { id: 1 }, data: { name: 'a' } })
    expect(affected.toSorted()).toEqual(everything.toSorted())
  })

  it.each([
    ['create', { data: { id: 1, shops: { create: { id: 2 } } } }],
    ['update', { where: { id: 1 }, data: { shops: { updateMany: [{ where: {}, data: {} }] } } }],
    ['upsert', { where: { id: 1 }, update: {}, create: { id: 1, shops: { connect: { id: 2 } } } }],
  ])('marks all related models for a nested write to one, in %s', (operation, args) => {
    expect(plan(brokenShop, 'Owner', operation, args).toSorted()).toEqual(everything.toSorted())
  })

  it('plans the writes of other models exactly', () => {
    expect(plan(brokenShop, 'Owner', 'create', { data: { id: 1 } })).toEqual([['Owner', { id: 1 }]])
    expect(plan(brokenShop, 'Book', 'update', { where: { id: 1 }, data: { title: 'b' } })).toEqual([
      ['Book', { id: 1 }],
    ])
    expect(plan(brokenShop, 'Alone', 'create', { data: { id: 1 } })).toEqual([['Alone', { id: 1 }]])
  })

  it('marks all rows of a model that changes reach through a hidden one', () => {
    caches.Trace = [['id']]
    try {
      expect(plan(schema, 'Shop', 'delete', { where: { id: 1 } })).toContain('Trace: cascade')
    } finally {
      delete caches.Trace
    }
  })
})
