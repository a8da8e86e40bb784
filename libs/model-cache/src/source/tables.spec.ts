import { describeSchemaText } from './prisma/schema/describe-schema.js'
import type { SchemaFacts } from './schema-facts.js'
import { type DescribedRows, tablesOf } from './tables.js'

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
  `)
const facts = schema('postgresql')
const rows: DescribedRows = { model: 'Post', dependsOn: [], fields: ['id'], relations: [] }
const table = (name: string) => ({ schema: 'public', name })
const post = { model: 'Post', ...table('Post'), columns: [{ field: 'id', column: 'id' }] }

describe('tablesOf', () => {
  it.each(['postgresql', 'postgres'])('returns the table and the columns of the rows, of %s', (provider) => {
    expect(tablesOf(schema(provider), rows)).toEqual({ models: [post], joins: [] })
  })

  it('names the values of an enum as the client does, if one has another name in the database', () => {
    expect(tablesOf(facts, { ...rows, fields: ['state', 'colour'] })!.models[0]!.columns).toEqual([
      { field: 'state', column: 'state', values: { open: 'open', shut: 'closed' } },
      { field: 'colour', column: 'colour' },
    ])
  })

  it('adds the tables of models that the rows depend on, without columns', () => {
    const tag = { model: 'Tag', ...table('Tag'), columns: [] }
    expect(tablesOf(facts, { ...rows, dependsOn: ['Tag'] })!.models).toEqual([post, tag])
  })

  it('adds the tables of many-to-many relations', () => {
    const { joins } = tablesOf(withRelationNames(facts), { ...rows, relations: ['tags'] })!
    expect(joins).toEqual([{ relation: 'tags', ...table('_PostToTag'), columns: ['B'] }])
  })

  it.each<[string, Partial<DescribedRows>]>([
    ['the model is unknown', { model: 'Missing' }],
    ['the client hides the model', { model: 'Secret', fields: [] }],
    ['a field is unknown', { fields: ['id', 'missing'] }],
    ['a model that it depends on is unknown', { dependsOn: ['Tag', 'Missing'] }],
    ['the client hides a model that it depends on', { dependsOn: ['Tag', 'Secret'] }],
    ['a relation is unknown', { relations: ['missing'] }],
    ['the model of a relation is unknown', { model: 'Missing', fields: [], relations: ['tags'] }],
  ])('returns undefined if %s', (_, change) => {
    expect(tablesOf(withRelationNames(facts), { ...rows, ...change })).toBeUndefined()
    const many = { ...rows, ...change, relations: ['tags', ...(change.relations ?? [])] }
    expect(tablesOf(withRelationNames(facts), many)).toBeUndefined()
  })

  it('returns undefined for other databases', () => {
    expect(tablesOf(schema('mysql'), rows)).toBeUndefined()
  })
})

/** With the name that Prisma gives to the relation in a generated client. */
function withRelationNames(facts: SchemaFacts): SchemaFacts {
  const model = facts.models.get('Post')!
  const tags = { ...model.relations.get('tags')!, joinTable: { ...table('_PostToTag'), columns: ['B'] } }
  return {
    ...facts,
    models: new Map([...facts.models, ['Post', { ...model, relations: new Map([['tags', tags]]) }]]),
  }
}
