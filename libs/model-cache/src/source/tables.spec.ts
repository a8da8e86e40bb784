import { describeSchemaText } from './prisma/schema/describe-schema.js'
import type { SchemaFacts } from './schema-facts.js'
import { type DescribedRows, tablesOf, writerSchemaOf } from './tables.js'

const schema = (provider: string): SchemaFacts =>
  describeSchemaText(`
    datasource db {
      provider = "${provider}"
    }
    enum State {
      open
      closed @map("shut")
    }
    enum Colour {
      red
    }
    model Post {
      id     Int    @id
      state  State
      colour Colour
      tags   Tag[]
    }
    model Tag {
      id    Int    @id
      posts Post[]
    }
    model Secret {
      id Int @id
      @@ignore
    }
    model Typed {
      id      Int      @id
      text    String
      name    String   @db.VarChar(7)
      uuid    String   @db.Uuid
      at      DateTime
      exactly DateTime @db.Timestamptz(6)
      price   Decimal  @db.Decimal(9, 2)
    }
  `)
const facts = schema('postgresql')
const rows: DescribedRows = { model: 'Post', dependsOn: [], fields: ['id'], relations: [] }
const table = (name: string) => ({ schema: 'public', name })
const post = { model: 'Post', ...table('Post'), columns: [{ field: 'id', column: 'id', type: 'Int' }] }

const joins = [
  {
    relation: 'tags',
    ...table('_PostToTag'),
    columns: ['B'],
    target: table('Tag'),
    key: { field: 'id', column: 'id', type: 'Int' },
  },
]

describe('tablesOf', () => {
  it.each(['postgresql', 'mysql'])('returns the table and the columns of the rows, of %s', (provider) => {
    expect(tablesOf(schema(provider), rows)).toEqual({ provider, models: [post], joins: [] })
  })

  it('names the values of an enum as the client does, if one has another name in the database', () => {
    expect(tablesOf(facts, { ...rows, fields: ['state', 'colour'] })!.models[0]!.columns).toEqual([
      { field: 'state', column: 'state', type: 'Enum', values: { open: 'open', shut: 'closed' } },
      { field: 'colour', column: 'colour', type: 'Enum' },
    ])
  })

  it('says how the database spells values', () => {
    const fields = ['text', 'name', 'uuid', 'at', 'exactly', 'price']
    expect(
      tablesOf(facts, { ...rows, model: 'Typed', fields })!.models[0]!.columns.map(({ type }) => type),
    ).toEqual(['String', 'String', 'String Uuid()', 'DateTime', 'DateTime Timestamptz(6)', 'Decimal'])
  })

  it('has no column of a field that the model lacks', () => {
    const [{ columns }] = tablesOf(facts, { ...rows, fields: ['computed'] })!.models as [typeof post]
    expect(columns).toEqual([{ field: 'computed', column: undefined, type: '' }])
  })

  it('adds the tables of models that the rows depend on, and those of relations between them, without columns', () => {
    const tag = { model: 'Tag', ...table('Tag'), columns: [] }
    const joined = { model: 'Tag', ...table('_PostToTag'), columns: [], isJoin: true }
    const secret = { model: 'Secret', ...table('Secret'), columns: [] }
    expect(tablesOf(facts, { ...rows, dependsOn: ['Tag', 'Secret'] })!.models).toEqual([
      post,
      tag,
      secret,
      joined,
    ])
  })

  it('adds the tables of all relations between the models that the rows depend on', () => {
    const { models } = describeSchemaText(`
      model A {
        id Int @id
        bs B[]
        cs C[]
        ds D[]
      }
      model B {
        id Int @id
        as A[]
        cs C[]
      }
      model C {
        id Int @id
        as A[]
        bs B[]
      }
      model D {
        id  Int @id
        aId Int
        a   A   @relation(fields: [aId], references: [id])
      }`)
    const tables = tablesOf({ ...facts, models }, { ...rows, model: 'D', dependsOn: ['A', 'B', 'C'] })!
    const names = tables.models.map(({ name }) => name)
    expect(names).toEqual(['D', 'A', 'B', 'C', '_AToB', '_AToC', '_BToC'])
  })

  it('adds the tables of all relations of rows that are read with those of others', () => {
    const own = { model: 'Post', ...table('Post'), columns: [] }
    const joined = { model: 'Post', ...table('_PostToTag'), columns: [], isJoin: true }
    const read = { ...rows, dependsOn: ['Post'], readsRelations: true }
    expect(tablesOf(facts, read)!.models).toEqual([post, own, joined])
    expect(tablesOf(facts, { ...read, readsRelations: false })!.models).toEqual([post, own])
  })

  it('adds the tables of many-to-many relations', () => {
    expect(tablesOf(facts, { ...rows, relations: ['tags'] })!.joins).toEqual(joins)
  })

  it.each<[string, Partial<DescribedRows>]>([
    ['the model is unknown', { model: 'Missing' }],
    ['a model that it depends on is unknown', { dependsOn: ['Tag', 'Missing'] }],
    ['one of several relations is unknown', { relations: ['tags', 'missing'] }],
  ])('returns undefined if %s', (_, change) => {
    expect(tablesOf(facts, { ...rows, ...change })).toBeUndefined()
  })
})

describe('writerSchemaOf', () => {
  it('has all columns and relations of each model, also of one that the client hides', () => {
    const { models } = writerSchemaOf(facts)
    expect([...models.keys()]).toEqual(['Post', 'Tag', 'Secret', 'Typed'])
    expect(models.get('Post')).toMatchObject({ ...table('Post'), joins })
    expect(models.get('Post')!.columns.map(({ field }) => field)).toEqual(['id', 'state', 'colour'])
    expect(models.get('Secret')).toMatchObject({ ...table('Secret'), joins: [] })
  })

  it('has no table of a relation to one row, and none whose key is unknown', () => {
    const { models } = describeSchemaText(`
      model A {
        bId Int @id
        b   B   @relation(fields: [bId], references: [id])
        cs  C[]
      }
      model B {
        id Int @id
        as A[]
      }
      model C {
        as A[]
      }`)
    expect(writerSchemaOf({ ...facts, models }).models.get('A')!.joins).toStrictEqual([])
  })

  it.each([
    ['postgresql', false],
    ['cockroachdb', false],
    ['mysql', true],
    ['sqlite', true],
    ['sqlserver', true],
  ])('says whether %s ignores the case of names', (provider, ignoresCase) => {
    expect(writerSchemaOf(schema(provider)).ignoresCase).toBe(ignoresCase)
  })
})
