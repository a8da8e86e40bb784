import { checksBehind } from '../compile.js'

const prelude = `
import { type } from 'arktype'
import type { Decimal, JsonValue as Json } from '@prisma/client/runtime/client'
import { modelCaches } from 'model-cache'
import { decimal, json } from 'model-cache/arktype'
import { createStringifier, type ReviverSchema } from 'model-cache/codec'

const { defineModelCache } = modelCaches()
interface Lot {
  id: string
  number: number
  title: string
  endsAt: Date | null
  price: Decimal
  bids: { at: Date; amount: Decimal | null; note?: string | null }[]
  meta: Json
}
const LotRow = type({
  id: 'string', number: 'number', title: 'string', endsAt: 'Date | null', price: decimal,
  bids: type({ at: 'Date', amount: decimal.or('null'), 'note?': 'string | null' }).array(), meta: json,
})
`
const { check, compiles } = checksBehind(prelude)

describe('a definition at compile time', () => {
  it.concurrent('accepts a schema that is exactly the row type', () =>
    compiles(`defineModelCache<Lot>()({ model: 'Lot', schema: LotRow, id: 'id', ttl: '10m' })`),
  )

  it.concurrent.each([
    ['lacks a field', `LotRow.omit('title')`, 'title'],
    ['has another field', `LotRow.and({ extra: 'string' })`, 'extra'],
    ['has another type at a field', `LotRow.omit('endsAt').and({ endsAt: 'Date' })`, 'endsAt'],
    ['has a field optional', `LotRow.omit('title').and({ 'title?': 'string' })`, 'title'],
    [
      'has a nested field of another type',
      `LotRow.omit('bids').and({ bids: type({ at: 'string' }).array() })`,
      'bids',
    ],
    ['has any', `LotRow.omit('title').and({ title: 'unknown.any' })`, 'title'],
  ])('refuses a schema that %s and names the field', async (_, schema, field) => {
    const errors = await check(
      `defineModelCache<Lot>()({ model: 'Lot', schema: ${schema}, id: 'id', ttl: '10m' })`,
    )
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(`schema must be exactly the row type, but differs at: ${field}`)
  })

  it.concurrent('accepts ids that are fields of the row and infers their type', () =>
    compiles(`
      const one = defineModelCache<Lot>()({ model: 'Lot', schema: LotRow, id: 'number', ttl: '10m' })
      const two = defineModelCache<Lot>()({ model: 'Lot', schema: LotRow, id: ['id', 'number'], ttl: '10m' })
      type Id<D> = D extends { load: ((client: never, ids: readonly (infer I)[]) => unknown) | undefined } ? I : never
      const a: Id<typeof one> = 5
      const b: Id<typeof two> = { id: 'x', number: 5 }
      // @ts-expect-error a string where the id is a number
      const c: Id<typeof one> = 'x'
      // @ts-expect-error half of an id
      const d: Id<typeof two> = { id: 'x' }
    `),
  )

  it.concurrent('refuses ids that are not fields, dates, and a list of one field', () =>
    compiles(`
      // @ts-expect-error not a field
      defineModelCache<Lot>()({ model: 'Lot', schema: LotRow, id: 'uuid', ttl: '10m' })
      // @ts-expect-error not a type that an id can have
      defineModelCache<Lot>()({ model: 'Lot', schema: LotRow, id: 'endsAt', ttl: '10m' })
      // @ts-expect-error one field is written without brackets
      defineModelCache<Lot>()({ model: 'Lot', schema: LotRow, id: ['id'], ttl: '10m' })
    `),
  )

  it.concurrent('refuses a ttl that is not a duration', () =>
    compiles(`
      // @ts-expect-error no such unit
      defineModelCache<Lot>()({ model: 'Lot', schema: LotRow, id: 'id', ttl: '10 minutes' })
    `),
  )

  it.concurrent('derives the type of an injected cache with CacheOf', () =>
    compiles(`
      import type { CacheOf, ModelCache } from 'model-cache'
      type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
      const one = defineModelCache<Lot>()({ model: 'Lot', schema: LotRow, id: 'number', ttl: '10m' })
      const two = defineModelCache<Lot>()({ model: 'Lot', schema: LotRow, id: ['id', 'number'], ttl: '10m' })
      const first: Equal<CacheOf<typeof one>, ModelCache<Lot, number>> = true
      const second: Equal<CacheOf<typeof two>, ModelCache<Lot, { readonly id: string; readonly number: number }>> = true
      const none: Equal<CacheOf<string>, never> = true
      export const all = [first, second, none]
    `),
  )

  it.concurrent('derives the types of load from row and id', () =>
    compiles(`
      defineModelCache<Lot>()({
        model: 'Lot', schema: LotRow, id: 'id', ttl: 1000,
        dependsOn: [],
        load: async (client: { lot: { findMany(): Promise<Lot[]> } }, ids: readonly string[]) => client.lot.findMany(),
      })
      defineModelCache<Lot>()({
        model: 'Lot', schema: LotRow, id: 'id', ttl: 1000,
        // @ts-expect-error rows of another type
        load: async () => [{ id: 'x' }],
      })
    `),
  )
})

describe('ReviverSchema at compile time', () => {
  it.concurrent('accepts every path that ends in a scalar', () =>
    compiles(`
      const reviver: ReviverSchema<Lot> = {
        endsAt: 'date', price: 'decimal', 'bids.__ARRAY__.at': 'date', 'bids.__ARRAY__.amount': 'decimal',
      }
    `),
  )

  it.concurrent('refuses a missing path, an unknown path and the wrong scalar', async () => {
    const rest = `endsAt: 'date', 'bids.__ARRAY__.at': 'date', 'bids.__ARRAY__.amount': 'decimal'`
    const found = await Promise.all([
      check(`const reviver: ReviverSchema<Lot> = { ${rest} }`),
      check(`const reviver: ReviverSchema<Lot> = { ${rest}, price: 'decimal', title: 'date' }`),
      check(`const reviver: ReviverSchema<Lot> = { ${rest}, price: 'date' }`),
    ])
    const errors = found.map(String)
    expect(errors[0]).toContain("Property 'price' is missing")
    expect(errors[1]).toContain("'title' does not exist")
    expect(errors[2]).toContain(`'"date"' is not assignable to type '"decimal"'`)
  })

  it.concurrent(
    'follows optional, nullable and nested fields, tuples, open records and names with dots',
    async () => {
      expect(
        await check(`
        interface Deep {
          a?: { b: { c: bigint | null } | null }
          t: [string, Date]
          r: Record<string, Date>
          'x.y': Uint8Array
          list: Date[][]
          plain: string
          anything: any
        }
        const reviver: ReviverSchema<Deep> = {
          'a.b.c': 'bigint', 't.1': 'date', 'r.__RECORD__': 'date', 'x\\\\.y': 'bytes', 'list.__ARRAY__.__ARRAY__': 'date',
        }
      `),
      ).toEqual([])
    },
  )

  it.concurrent('accepts nothing for a row that is plain JSON', () =>
    compiles(`
      const none: ReviverSchema<{ a: string; meta: Json }> = {}
      // @ts-expect-error there is nothing to revive
      const some: ReviverSchema<{ a: string; meta: Json }> = { a: 'date' }
    `),
  )
})

describe('a union of objects at compile time', () => {
  const union = `
    type Media = { id: string; kind: 'image'; url: string } | { id: string; kind: 'video'; at: Date; price: Decimal | null }
    interface Page { id: string; media: Media | null; more: Media[] }
    const image = type({ id: 'string', kind: "'image'", url: 'string' })
    const video = type({ id: 'string', kind: "'video'", at: 'Date', price: decimal.or('null') })
    const MediaRow = image.or(video)
    const PageRow = type({ id: 'string', media: MediaRow.or('null'), more: MediaRow.array() })
  `
  const checkUnion = (source: string): Promise<string[]> => check(union + source)
  const compilesUnion = (source: string): Promise<void> => compiles(union + source)

  it.concurrent('is accepted as the row, or within it, if it has the same members', () =>
    compilesUnion(`
      defineModelCache<Page>()({ model: 'Page', schema: PageRow, id: 'id', ttl: '10m' })
      defineModelCache<Media>()({ model: 'Media', schema: MediaRow, id: 'id', ttl: '10m' })
      defineModelCache<Media>()({ model: 'Media', schema: video.or(image), id: 'id', ttl: '10m' })
      createStringifier<Page>()(PageRow).stringify({ id: 'a', media: null, more: [{ id: 'b', kind: 'image', url: 'c' }] })
    `),
  )

  it.concurrent.each([
    ['a field of one member has another type', `image.or(video.omit('at').and({ at: 'string' }))`, 'at'],
    ['a member is missing', `video`, 'kind | url'],
    ['there is another member', `MediaRow.or({ id: 'string', kind: "'audio'" })`, 'kind'],
    [
      'members have changed a field for another',
      `type({ id: 'string', kind: "'video'", url: 'string' }).or({ id: 'string', kind: "'image'", at: 'Date', price: decimal.or('null') })`,
      'the members of a union',
    ],
  ])('is refused when %s', async (_, schema, named) => {
    const nested = `type({ id: 'string', media: (${schema}).or('null'), more: MediaRow.array() })`
    const found = await Promise.all([
      checkUnion(`defineModelCache<Page>()({ model: 'Page', schema: ${nested}, id: 'id', ttl: '10m' })`),
      checkUnion(`defineModelCache<Media>()({ model: 'Media', schema: ${schema}, id: 'id', ttl: '10m' })`),
    ])
    const errors = found.map(String)
    expect(errors[0]).toContain('schema must be exactly the row type, but differs at: media')
    for (const name of named.split(' | ')) {
      expect(errors[1]).toContain(`schema must be exactly the row type, but differs at: ${name}`)
    }
  })

  it.concurrent('has the paths of all its members in a reviver', async () => {
    const more = `'more.__ARRAY__.at': 'date', 'more.__ARRAY__.price': 'decimal'`
    const of = async (paths: string) =>
      String(await checkUnion(`const reviver: ReviverSchema<Page> = { ${paths}, ${more} }`))
    expect(await of(`'media.at': 'date', 'media.price': 'decimal'`)).toBe('')
    expect(await of(`'media.at': 'date'`)).toContain('media.price')
    expect(await of(`'media.at': 'date', 'media.price': 'decimal', 'media.url': 'date'`)).toContain(
      'media.url',
    )
  })
})

describe('createStringifier at compile time', () => {
  it.concurrent('accepts only an ArkType that is exactly T', async () => {
    expect(await check(`createStringifier<Lot>()(LotRow).stringify(null)`)).toEqual([])
    expect(String(await check(`createStringifier<Lot>()(LotRow.omit('price'))`))).toContain(
      'differs at: price',
    )
  })
})
