import { describeSchema, describeSchemaText, schemaFactsOf } from './describe-schema.js'
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
    expect(models.get('Secret')!.relations.get('shop')).toMatchObject({ keyHolder: 'this', isVisible: false })
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

  it.each([
    ['relationMode = "prisma"', ['NoAction', 'NoAction']],
    ['relationMode = "foreignKeys"', ['Cascade', 'Cascade']],
    ['// relationMode = "prisma"', ['Cascade', 'Cascade']],
  ])('have no action that Prisma sends a statement for: %s', (setting, expected) => {
    const datasource = `datasource db {\n  provider = "mysql"\n  extensions = [a(version: "1"), b]\n  ${setting}\n}\n`
    const { models, provider } = describeSchemaText(datasource + schema)
    const { onDelete, onUpdate } = models.get('Shelf')!.relations.get('shop')!
    expect([provider, onDelete, onUpdate]).toEqual(['mysql', ...expected])
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

  it('have no keys and indexes of a model that the schema lacks, and plain columns', () => {
    const shop = describeSchema(clientOf('')).models.get('Shop')!
    expect([shop.primaryKey, shop.indexes]).toStrictEqual([[], []])
    const plain = { isList: false, isNullable: false, isUpdatedAt: false, isKeptOut: false }
    expect(shop.scalars.get('name')).toMatchObject(plain)
  })

  it.each([
    ['Shop', 'stat', { isList: false, fields: [], references: [] }, ['id', 'shopId']],
    ['Stat', 'shop', { isList: false, fields: ['shopId'], references: ['id'] }, ['shopId', 'id']],
    ['Shop', 'shelves', { isList: true, fields: [], references: [] }, ['id', 'shopId']],
    ['Shelf', 'shop', { isList: false, fields: ['shopId'], references: ['id'] }, ['shopId', 'id']],
  ])('have the sides of the relation %s.%s', (model, field, sides, [own, target]) => {
    const relation = describeSchema(clientOf(schema)).models.get(model)!.relations.get(field)
    const keys = { ownKey: [own], targetKey: [target] }
    expect(relation).toEqual(expect.objectContaining({ ...sides, ...keys, isVisible: true }))
  })

  it('have the scalars of a model, and no key that it lacks', () => {
    const { scalars, uniqueKeys } = describeSchema(clientOf(schema)).models.get('Stat')!
    expect([[...scalars.keys()], [...uniqueKeys.keys()]]).toEqual([['shopId'], ['shopId']])
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

  it('have no relation for an object within a row', () => {
    const address = { name: 'address', kind: 'object', type: 'Address', relationName: null }
    const client = { _runtimeDataModel: { models: { A: { fields: [address] } } } }
    expect([...schemaFactsOf(client).models.get('A')!.relationTargets]).toEqual([])
  })

  it('have the fields that the client omits from all results', () => {
    const { omittedOf } = schemaFactsOf({ ...clientOf(schema), _globalOmit: { shop: { name: true } } })
    expect([omittedOf('Shop'), omittedOf('Book')]).toEqual([{ name: true }, undefined])
  })

  it('are empty for an object that is not a Prisma client', () => {
    const broken = { _runtimeDataModel: { models: { A: {} } } }
    for (const client of [{}, broken]) expect([...schemaFactsOf(client).models]).toEqual([])
  })
})

describe('tables', () => {
  const text = `
    model Post {
      id       Int    @id
      title    String
      tags     Tag[]
      likes    Post[] @relation("likes")
      likedBy  Post[] @relation("likes")
      authorId Int
      author   User   @relation("author", fields: [authorId], references: [id])
      editorId Int?
      editor   User?  @relation("editor", fields: [editorId], references: [id])
    }
    model Tag {
      id    Int    @id
      posts Post[]
    }
    model User {
      id      Int    @id
      written Post[] @relation("author")
      edited  Post[] @relation("editor")
    }`
  const relation = (name: string, type: string, relationName: string) => ({
    name,
    type,
    kind: 'object',
    relationName,
  })
  const number = (name: string, dbName?: string) => ({ name, type: 'Int', kind: 'scalar', dbName })
  const runtime = {
    Post: {
      dbName: 'posts',
      schema: 'blog',
      fields: [
        number('id'),
        { ...number('title', 'heading'), type: 'String' },
        relation('tags', 'Tag', 'PostToTag'),
        relation('likes', 'Post', 'likes'),
        relation('likedBy', 'Post', 'likes'),
        number('authorId'),
        relation('author', 'User', 'author'),
        number('editorId'),
        relation('editor', 'User', 'editor'),
      ],
    },
    Tag: { fields: [number('id'), relation('posts', 'Post', 'PostToTag')] },
    User: {
      fields: [number('id'), relation('written', 'Post', 'author'), relation('edited', 'Post', 'editor')],
    },
  }
  const clientOf = (models: object, config: object = {}): object => ({
    _runtimeDataModel: { models },
    _engineConfig: { inlineSchema: text, ...config },
  })
  const modelOf = (model: string) => describeSchema(clientOf(runtime)).models.get(model)!
  const joinOf = (model: string, field: string) => modelOf(model).relations.get(field)!.joinTable

  it('have the names that the database has', () => {
    expect([modelOf('Post').problem, modelOf('Post').table]).toEqual([
      undefined,
      { schema: 'blog', name: 'posts' },
    ])
    expect(modelOf('Tag').table).toEqual({ schema: 'public', name: 'Tag' })
    const columns = [...modelOf('Post').scalars].map(([name, { column }]) => [name, column])
    expect(columns.slice(0, 2)).toEqual([
      ['id', 'id'],
      ['title', 'heading'],
    ])
    const inTenant = clientOf(runtime, { adapter: { options: { schema: 'tenant' } } })
    expect(describeSchema(inTenant).models.get('Tag')!.table).toEqual({ schema: 'tenant', name: 'Tag' })
    for (const config of [{ adapter: {} }, { adapter: { options: {} } }])
      expect(describeSchema(clientOf(runtime, config)).models.get('Tag')!.table!.schema).toBe('public')
  })

  it('of many-to-many relations have the column of the other side', () => {
    expect(joinOf('Post', 'tags')).toEqual({ schema: 'blog', name: '_PostToTag', columns: ['B'] })
    expect(joinOf('Tag', 'posts')).toEqual({ schema: 'blog', name: '_PostToTag', columns: ['A'] })
    expect(joinOf('Post', 'likes')).toEqual({ schema: 'blog', name: '_likes', columns: ['A', 'B'] })
    expect(joinOf('Post', 'author')).toBeUndefined()
    expect(modelOf('Post').relations.get('tags')).toMatchObject({ ownKey: ['id'], targetKey: ['id'] })
    const holders = [...modelOf('Post').relations.values()].map(({ keyHolder }) => keyHolder)
    expect(holders).toEqual(['join-table', 'join-table', 'join-table', 'this', 'this'])
  })

  it('are those of the schema where the client hides them', () => {
    const { Tag: _, ...others } = runtime
    const hidden = describeSchema(clientOf(others)).models.get('Tag')!
    expect(hidden.table).toEqual({ schema: 'public', name: 'Tag' })
    expect(hidden.relations.get('posts')!.joinTable).toEqual(joinOf('Tag', 'posts'))
    const { models } = describeSchemaText(`
      model Post {
        id    Int    @id
        title String @map("heading")
        @@map("posts")
        @@schema("blog")
      }`)
    expect(models.get('Post')).toMatchObject({ table: { schema: 'blog', name: 'posts' } })
    expect(models.get('Post')!.scalars.get('title')!.column).toBe('heading')
  })

  it('of one-to-many relations belong to the relation of that name', () => {
    const sides = ['written', 'edited'].map((field) => modelOf('User').relations.get(field)!)
    expect(sides.map(({ targetField, isNullable }) => [targetField, isNullable])).toEqual([
      ['author', false],
      ['editor', false],
    ])
    const keys = ['author', 'editor'].map((field) => modelOf('Post').relations.get(field)!.isNullable)
    expect(keys).toEqual([false, true])
  })
})

describe('the schema facts of a text', () => {
  const text = `
    generator client {
      provider = "prisma-client"
    }
    datasource db {
      url      = "none"
      provider="sqlite"
    }
    model Post {
      id      Int      @id
      slug    String?
      org     Int?
      at      DateTime @updatedAt
      hidden  String   @ignore
      vector  Unsupported("tsvector")?
      state   State
      token   String   /// @cache(omit)
      secrets Secret[] @ignore
      @@unique([org, id])
      @@unique([slug, org])
      @@unique([at, id], map: "at_id")
      @@index([org, at])
      @@index([slug], where: { slug: { not: null } })
    }
    enum State {
      open
      closed @map("shut")
    }
    model Secret {
      id       Int      @id
      postId   Int
      post     Post     @relation(fields: [postId], references: [id])
      parentId Int?
      parent   Secret?  @relation("tree", fields: [parentId], references: [id])
      children Secret[] @relation("tree")
      @@ignore
    }`

  it('have what a generated client would have', () => {
    const { models, provider } = describeSchemaText(text)
    expect(provider).toBe('sqlite')
    expect([...models.get('Post')!.scalars.keys()]).toEqual(['id', 'slug', 'org', 'at', 'state', 'token'])
    expect([models.get('Post')!.isVisible, models.get('Secret')!.isVisible]).toEqual([true, false])
    expect([...models.get('Post')!.relationTargets]).toEqual([])
    const { at, slug, state, token } = Object.fromEntries(models.get('Post')!.scalars)
    expect([at!.isKeptOut, token!.isKeptOut]).toEqual([false, true])
    const values = new Map([
      ['open', 'open'],
      ['closed', 'shut'],
    ])
    expect(state).toMatchObject({ type: 'Enum', databaseValues: values })
    expect([at!.isUpdatedAt, slug!.isUpdatedAt, at!.isNullable, slug!.isNullable, slug!.isList]).toEqual([
      true,
      false,
      false,
      true,
      false,
    ])
    expect([at!.nativeType, at!.nativeArguments]).toEqual([undefined, []])
  })

  it('tell keys of all rows from those that null is no part of, and have the indexes of all rows', () => {
    const { models } = describeSchemaText(text)
    expect([...models.get('Post')!.uniqueKeys.keys()]).toEqual(['id', 'at_id'])
    expect([...models.get('Post')!.nullableKeys.keys()]).toEqual(['org_id', 'slug_org'])
    expect(models.get('Post')!.indexes).toEqual([['org', 'at']])
  })

  it('have the key of a field that cannot be read', () => {
    const { models } = describeSchemaText('model A {\n  id Int @id\n  code String !\n  @@unique([code])\n}')
    expect([...models.get('A')!.uniqueKeys.keys()]).toEqual(['id', 'code'])
  })

  it('have no relations of a model that the client hides', () => {
    const { relations, relationTargets } = describeSchemaText(text).models.get('Secret')!
    expect([...relations.values()].map(({ isVisible }) => isVisible)).toEqual([false, false, false])
    expect([...relationTargets]).toEqual([])
  })

  it.each(['', '@relation(fields: [postIds], references: [id])'])(
    'have a problem with a many-to-many relation that has foreign keys: %j',
    (otherSide) => {
      const { models } = describeSchemaText(`
        model Post {
          id     Int   @id
          tagIds Int[]
          tags   Tag[] @relation(fields: [tagIds], references: [id])
        }
        model Tag {
          id      Int    @id
          postIds Int[]
          posts   Post[] ${otherSide}
        }`)
      expect(models.get('Post')!.problem).toBe('relation Post.tags has not one foreign key')
    },
  )

  it.each([
    ['postgresql', false],
    ['sqlite', false],
    ['mysql', true],
    ['sqlserver', true],
  ])('say whether %s compares text by a collation: %j', (provider, isCollated) => {
    const { models } = describeSchemaText(
      `datasource db { provider = "${provider}" }\nmodel A {\n  id Int @id\n  name String\n}`,
    )
    const { id, name } = Object.fromEntries(models.get('A')!.scalars)
    expect([id!.isLoose, name!.isLoose]).toEqual([false, isCollated])
  })

  it.each(['provider = "mysql"', 'provider="mysql"', 'provider    =   "mysql"'])(
    'have the provider: %s',
    (line) => {
      expect(describeSchemaText(`datasource db {\n  ${line}\n}`).provider).toBe('mysql')
    },
  )
})
