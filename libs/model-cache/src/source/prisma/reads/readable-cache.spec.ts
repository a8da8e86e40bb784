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
    code  Decimal @id
    other Int     @unique
    few   Int
  }
  model Broken {
    id Int @id @@
  }
`)
const { readable, scalarsOf } = readModelsOf(facts)
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
