import type { AnsweringCache } from '../../read-caches.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { readModelsOf } from './readable-cache.js'

const facts = describeSchemaText(`
  datasource db {
    provider = "postgresql"
  }
  model Post {
    id    Int
    org   Int
    slug  String
    title String
    price Decimal
    at    DateTime
    @@id([org, slug], name: "address")
    @@unique([org, id])
    @@unique([slug, id])
  }
  model Code {
    code  Float   @id
    other Int     @unique
    few   Int
  }
  model Slot {
    at   DateTime @id
    note String   @db.Xml
    day  DateTime @db.Date
    at6  DateTime @unique @db.Timestamptz(6)
    room Int
    @@unique([day, room])
  }
  model Loose {
    one   Int @unique
    other Int @unique
  }
  model Broken {
    id Int @id @@
  }
  model Label {
    word  String @id
    price Decimal @db.Money
    posts Article[]
  }
  model Article {
    id     Int     @id
    slug   String  @unique
    labels Label[]
    first  Note?
  }
  model Note {
    id        Int     @id
    articleId Int     @unique
    article   Article @relation(fields: [articleId], references: [id])
  }
  model Half {
    id      Int   @id
    labelId Int
    owner   Owner @relation("Owned", fields: [ownerId], references: [id])
    ownerId Int
    other   Other
  }
  model Owner {
    id     Int    @id
    halves Half[] @relation("Owned")
  }
  model Other {
    id Int @id
  }
`)
const { readable, relationNamesOf, relationsOf, scalarsOf } = readModelsOf(facts)
const cacheOf = (model: string, idFields: readonly string[], change: Partial<AnsweringCache> = {}) => {
  const fields = [...(facts.models.get(model)?.scalars.keys() ?? ['id'])]
  return readable({ model, idFields, fields, exactFields: fields, lookups: [], ...change } as never)
}

it('has the scalars of a model in their order', () => {
  expect(scalarsOf('Post')).toEqual(['id', 'org', 'slug', 'title', 'price', 'at'])
  expect(scalarsOf('Missing')).toEqual([])
})

it.each([
  ['Code', ['other'], []],
  ['Post', ['org', 'slug'], ['address']],
  ['Post', ['slug', 'org'], ['address']],
  ['Post', ['id', 'org'], ['org_id']],
])('a cache of %s by %j is read by its id', (model, idFields, names) => {
  const found = cacheOf(model, idFields)!
  expect(found.id.fields.map(({ name }) => name)).toEqual(idFields)
  expect([...found.id.names]).toEqual(names)
  expect(found.keys).toEqual([found.id])
  expect(found.lists).toEqual([])
})

it.each([
  ['Code', ['other'], [{ code: 'asc' }]],
  ['Post', ['org', 'id'], [{ org: 'asc' }, { slug: 'asc' }]],
  ['Loose', ['one'], null],
])('a cache of %s by %j has the order of its primary key for pages', (model, idFields, expected) => {
  expect(cacheOf(model, idFields)!.pageOrder).toEqual(expected)
})

it('is read by dates, equal ones of which are one id', () => {
  const at = new Date('2026-11-26T02:00:00.001Z')
  const { id } = cacheOf('Slot', ['at'])!
  const [{ read }] = id.fields as [(typeof id.fields)[number]]
  expect(read(at)).toEqual(at)
  expect(read(at)).not.toBe(at)
  for (const other of [at.toISOString(), at.getTime(), new Date(NaN), new Date('+010000-01-01')])
    expect(read(other)).toBeUndefined()
  for (const day of ['0001-01-01', '9999-12-31']) expect(read(new Date(day))).toEqual(new Date(day))
  expect(id.identify(new Date(at))).toBe(id.identify(at))
  expect([id.isOf({ at: new Date(at) }, at), id.isOf({ at: new Date(1) }, at)]).toEqual([true, false])
  const { id: daily } = cacheOf('Slot', ['day', 'room'])!
  const [{ read: readDay }] = daily.fields as [(typeof id.fields)[number]]
  expect([readDay(new Date('2026-11-26')), readDay(at)]).toEqual([new Date('2026-11-26'), undefined])
  const [one, other] = [1, 2].map((ms) => ({ day: new Date(ms), room: 7 }))
  expect(daily.identify(one)).not.toBe(daily.identify(other))
  expect([daily.isOf(one!, { ...one }), daily.isOf(one!, other)]).toEqual([true, false])
  expect(cacheOf('Slot', ['at6'])).toBeUndefined()
  const { fieldOf } = cacheOf('Slot', ['at'])!
  expect([fieldOf('room')?.name, fieldOf('note')?.kind, fieldOf('other')]).toEqual([
    'room',
    'opaque',
    undefined,
  ])
})

it('has the fields whose values are those of the database', () => {
  expect(cacheOf('Post', ['org', 'slug'], { exactFields: ['id', 'org'] })!.fields).toEqual(
    new Set(['id', 'org']),
  )
})

it('has the decimals among these fields, and copies of them', () => {
  const { decimals, copyDecimal } = cacheOf('Post', ['org', 'slug'])!
  expect([...decimals]).toEqual(['price'])
  const price = new facts.Decimal('-0.10')
  const copy = copyDecimal(price)
  expect(copy).toStrictEqual(price)
  expect(copy).not.toBe(price)
  expect((copy as { d: unknown }).d).not.toBe((price as unknown as { d: unknown }).d)
})

it.each([
  ['postgresql', 32_750, 16_375],
  ['mysql', 65_519, 32_759],
  ['sqlite', 983, 491],
  ['sqlserver', 2_082, 1_041],
])('takes as many ids of %s as Prisma reads with one statement', (provider, single, compound) => {
  const { readable } = readModelsOf({ ...facts, provider })
  const maxKeysOf = (model: string, idFields: readonly string[]): number =>
    readable({ model, idFields, fields: idFields, exactFields: idFields, lookups: [] } as never)!.id.maxKeys
  expect([maxKeysOf('Code', ['other']), maxKeysOf('Post', ['id', 'org'])]).toEqual([single, compound])
})

it.each<[string, string, readonly string[]]>([
  ['its model is unknown', 'Missing', ['id']],
  ['its model cannot be read', 'Broken', ['id']],
  ['its model has an unknown relation', 'Half', ['id']],
  ['its id is not unique', 'Code', ['few']],
  ['its id is a part of a unique key', 'Post', ['org']],
  ['its id has more fields than a unique key', 'Post', ['org', 'slug', 'id']],
  ['its id is another pair', 'Post', ['id', 'title']],
  ['its id is compared by the database alone', 'Code', ['code']],
  ['its id has an unknown field', 'Post', ['org', 'missing']],
])('a cache cannot answer if %s', (_, model, idFields) => {
  expect(cacheOf(model, idFields)).toBeUndefined()
})

it('a cache cannot answer if its rows have a field that is none of the model', () => {
  expect(cacheOf('Code', ['other'], { fields: ['other', 'sum'] })).toBeUndefined()
})

it('is read by text that a collation compares, as it was given', () => {
  const collated = readModelsOf(
    describeSchemaText(`
      datasource db {
        provider = "mysql"
      }
      model Word {
        word String @id
      }`),
  ).readable({ model: 'Word', idFields: ['word'], fields: [], exactFields: [], lookups: [] } as never)
  const { read } = collated!.id.fields[0]!
  expect([read('Ä'), read(1)]).toEqual(['Ä', undefined])
})

describe('the lookups of a cache', () => {
  const keysOf = (...lookups: readonly object[]) => {
    const complete = { through: undefined, where: {}, orderBy: [] }
    const { keys, lists } = cacheOf('Article', ['id'], {
      lookups: lookups.map((lookup) => ({ ...complete, ...lookup })) as never,
    })!
    return [keys, lists].map((each) => each.map(({ fields }) => fields.map(({ name }) => name)))
  }

  it('are keys or lists', () => {
    const [unique, list] = [
      { kind: 'unique', by: ['slug'] },
      { kind: 'list', by: ['slug', 'id'] },
    ]
    expect(keysOf(unique, list)).toEqual([[['id'], ['slug']], [['slug', 'id']]])
  })

  it('have fields of the model to which they lead', () => {
    const through = { kind: 'list', through: 'labels' }
    expect(keysOf({ ...through, by: ['word'] }, { ...through, by: ['price'] })).toEqual([
      [['id']],
      [['word']],
    ])
  })
})

it('has the relations of models that are known', () => {
  const named = (model: string) => [...relationNamesOf(model)]
  expect(named('Article')).toEqual(['labels', 'first', '_count'])
  expect(named('Note')).toEqual(['article'])
  expect(named('Missing')).toEqual([])
  expect(relationsOf('Owner').get('halves')).toBeUndefined()
  expect(relationsOf('Half').get('owner')).toBeUndefined()
  expect(relationsOf('Note').get('article')).toMatchObject({ target: 'Article', isList: false })
})
