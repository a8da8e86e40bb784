import { checksBehind, completionsOf } from '../compile.js'

const prelude = `
import { type } from 'arktype'
import type { Decimal, JsonValue as Json } from '@prisma/client/runtime/client'
import { type CacheOf, type ModelCache, modelCaches } from 'model-cache'
import { decimal, json } from 'model-cache/arktype'
import type { AuctionItem, Prisma } from '#prisma/client/client.js'
import type { Prisma as Accounts } from '../integration/differential/client/client.js'

const { defineModelCache: defineByHand } = modelCaches()
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type UniqueKeys<D> = CacheOf<D> extends ModelCache<infer _, infer __, infer Keys> ? Keys['unique'] : never
type ListKeys<D> = CacheOf<D> extends ModelCache<infer _, infer __, infer Keys> ? Keys['lists'] : never
const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const accounts = modelCaches<Accounts.TypeMap>()
interface Lot {
  id: string
  number: number
  houseId: string | null
  endsAt: Date | null
  price: Decimal
  status: 'open' | 'closed'
  tags: string[]
  meta: Json
}
const LotRow = type({
  id: 'string', number: 'number', houseId: 'string | null', endsAt: 'Date | null', price: decimal,
  status: "'open' | 'closed'", tags: 'string[]', meta: json,
})
const base = { model: 'Lot', schema: LotRow as typeof LotRow, id: 'id', ttl: '10m' } as const
`
const { check, compiles } = checksBehind(prelude)

const lot = (options: string) => `defineModelCache('AuctionItem', { ttl: '10m', ${options} })`
const post = (options: string) => `accounts.defineModelCache('Post', { ttl: '10m', ${options} })`
const account = (options: string) => `accounts.defineModelCache('Account', { ttl: '10m', ${options} })`
const listed = (options: string) => lot(`lists: { x: { by: 'itemId', ${options} } }`)
const listedPosts = (options: string) => post(`lists: { x: { ${options} } }`)
const byHand = (options: string) => `defineByHand<Lot>()({ ...base, ${options} })`

describe('lookups at compile time', () => {
  it.concurrent('give the keys of a cache, by the names and the fields of its definition', () =>
    compiles(`
      const lots = ${lot(`
        unique: { place: ['fundraiserId', 'lot'], back: { by: ['lot', 'fundraiserId'] } },
        lists: {
          ofFundraiser: { by: 'fundraiserId', orderBy: [{ lot: 'asc' }] },
          open: { by: 'fundraiserId', where: { endsAt: null }, orderBy: [{ endsAt: 'asc' }], limit: 50 },
          priced: { by: ['itemId', 'buyNowPrice'], where: { status: { in: ['open'] }, label: { not: null } } },
        }`)}
      type Lots = typeof lots
      export const all: [
        Equal<UniqueKeys<Lots>['place'], { readonly fundraiserId: string; readonly lot: string }>,
        Equal<UniqueKeys<Lots>['back'], { readonly fundraiserId: string; readonly lot: string }>,
        Equal<keyof UniqueKeys<Lots>, 'place' | 'back'>,
        Equal<ListKeys<Lots>['ofFundraiser'], string>,
        Equal<ListKeys<Lots>['open'], string>,
        Equal<ListKeys<Lots>['priced']['buyNowPrice'], Prisma.Decimal>,
        Equal<keyof ListKeys<Lots>, 'ofFundraiser' | 'open' | 'priced'>,
      ] = [true, true, true, true, true, true, true]
      export const none: Equal<CacheOf<ReturnType<typeof plain>>, ModelCache<AuctionItem, string>> = true
      function plain() { return ${lot('')} }
    `),
  )

  it.concurrent('are by unique keys that some rows lack, native types, enums and relations', () =>
    compiles(`
      const people = ${account(`
        unique: { handle: 'handle', email: { by: 'email' }, token: 'token' },
        lists: { ofRole: { by: 'role', where: { role: 'ADMIN' } }, ofTeam: { through: 'teams' } }`)}
      const posts = ${post(`
        unique: { address: ['authorId', 'slug'] },
        lists: { labelled: { through: 'labels', where: { editorId: null }, orderBy: { title: 'desc' }, limit: 5 } }`)}
      const settings = accounts.defineModelCache('Setting', { ttl: '10m', unique: { named: ['scope', 'key'] } })
      const labels = accounts.defineModelCache('Label', { ttl: '10m', lists: { similar: { through: 'similarTo' } } })
      type People = typeof people
      export const all: [
        Equal<UniqueKeys<People>, { readonly handle: string; readonly email: string; readonly token: string }>,
        Equal<ListKeys<People>['ofRole'], 'MEMBER' | 'ADMIN' | 'GUEST'>,
        // The types do not say which unique key of Team is its id: \`code\` or \`name\`.
        Equal<ListKeys<People>['ofTeam'], string | Prisma.Decimal>,
        Equal<UniqueKeys<typeof posts>['address'], { readonly authorId: number; readonly slug: string }>,
        Equal<ListKeys<typeof posts>['labelled'], string>,
        Equal<UniqueKeys<typeof settings>['named'], { readonly scope: string; readonly key: string }>,
        Equal<ListKeys<typeof labels>['similar'], string>,
      ] = [true, true, true, true, true, true, true]
    `),
  )

  it.concurrent('are by unique keys of many fields', async () => {
    const fields = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const types = fields.map((field) => `${field}: string`).join('; ')
    expect(
      await check(`
        interface Wide {
          globalOmitOptions: { omit: object }
          model: {
            Wide: {
              payload: { name: 'Wide'; scalars: { id: string; ${types} }; objects: {}; composites: {} }
              operations: { findUnique: { args: { where:
                | { id: string; all?: { ${types} } }
                | { id?: string; all: { ${types} } }
              } } }
            }
          }
        }
        const wide = modelCaches<Wide>().defineModelCache('Wide', {
          ttl: '10m', unique: { all: [${fields
            .toReversed()
            .map((field) => `'${field}'`)
            .join(', ')}] },
        })
        export const keys: Equal<keyof UniqueKeys<typeof wide>['all'], ${fields.map((field) => `'${field}'`).join(' | ')}> = true
      `),
    ).toEqual([])
  })

  it.concurrent('follow the rows of a definition: select and refine', () =>
    compiles(`
      const chosen = ${lot(`
        select: { id: true, fundraiserId: true, lot: true, status: true },
        refine: { status: type("'open' | 'closed'") },
        unique: { place: ['fundraiserId', 'lot'] },
        lists: { ofStatus: { by: 'status' } }`)}
      export const status: Equal<ListKeys<typeof chosen>['ofStatus'], 'open' | 'closed'> = true
    `),
  )

  it.concurrent('are those of the row where rows are described by hand', () =>
    compiles(`
      const lots = ${byHand(`
        unique: { place: ['houseId', 'number'], price: { by: 'price' }, status: { by: 'status', fold: 'case' } },
        lists: {
          ofHouse: {
            by: 'houseId', where: { endsAt: { not: null }, status: 'open' },
            orderBy: [{ endsAt: { sort: 'asc', nulls: 'last' } }, { number: 'desc' }],
          },
        }`)}
      type Lots = typeof lots
      export const all: [
        Equal<UniqueKeys<Lots>['place'], { readonly houseId: string; readonly number: number }>,
        Equal<UniqueKeys<Lots>['price'], Decimal>,
        Equal<ListKeys<Lots>['ofHouse'], string>,
        Equal<CacheOf<ReturnType<typeof plain>>, ModelCache<Lot, string>>,
      ] = [true, true, true, true]
      function plain() { return defineByHand<Lot>()({ ...base }) }
    `),
  )

  it.concurrent('check the calls of a cache', () =>
    compiles(`
      const lots = ${lot(`unique: { place: ['fundraiserId', 'lot'] }, lists: { ofItem: { by: 'itemId' } }`)}
      export async function calls(cache: CacheOf<typeof lots>) {
        const row: AuctionItem | null = await cache.getBy('place', { fundraiserId: 'a', lot: '5' })
        const rows: AuctionItem[] = await cache.list('ofItem', 'a')
        const many: [(AuctionItem | null)[], AuctionItem[][]] = [
          await cache.getManyBy('place', [{ fundraiserId: 'a', lot: '5' }]), await cache.listMany('ofItem', ['a']),
        ]
        await cache.invalidateBy('ofItem', ['a', 'b'])
        await cache.explain('place', { fundraiserId: 'a', lot: '5' })
        // @ts-expect-error the lot is a string
        await cache.getBy('place', { fundraiserId: 'a', lot: 5 })
        // @ts-expect-error half of a key
        await cache.getBy('place', { fundraiserId: 'a' })
        // @ts-expect-error a list is no unique key
        await cache.getBy('ofItem', 'a')
        // @ts-expect-error a unique key is no list
        await cache.list('place', { fundraiserId: 'a', lot: '5' })
        // @ts-expect-error no such list
        await cache.list('ofItems', 'a')
        // @ts-expect-error null is no key
        await cache.list('ofItem', null)
        // @ts-expect-error a number where the key is a string
        await cache.invalidateBy('ofItem', [5])
        // @ts-expect-error a number where the key is a string
        await cache.explain('ofItem', 5)
        return [row, rows, many]
      }
    `),
  )

  it.concurrent.each([
    [
      'a key that is not unique',
      lot(`unique: { name: 'name' }`),
      /"name"' is not assignable.*"id" \| readonly \["/,
    ],
    [
      'one that is not, with options',
      lot(`unique: { name: { by: 'name' } }`),
      /'"name"' is not assignable to type '"id" \| readonly \["/,
    ],
    [
      'half of a unique key',
      lot(`unique: { name: 'lot' }`),
      /"lot"' is not assignable.*"id" \| readonly \["/,
    ],
    [
      'a unique key with another field',
      lot(`unique: { place: ['fundraiserId', 'name'] }`),
      /"name".*not assignable to type '"lot"'/,
    ],
    [
      'a unique key that is omitted',
      lot(`omit: { lot: true }, unique: { place: ['fundraiserId', 'lot'] }`),
      /UniqueOptions<"id">/,
    ],
    [
      'a unique field that is omitted',
      account(`omit: { handle: true }, unique: { x: 'handle' }`),
      /"handle"' is not assignable/,
    ],
    ['an unknown field', lot(`lists: { ofItem: { by: 'itmId' } }`), /"itmId".*Did you mean '"itemId"'/],
    [
      'a field that is not selected',
      lot(`select: { id: true, lot: true }, lists: { ofItem: { by: 'itemId' } }`),
      /"itemId".*KeyFields<"id" \| "lot">/,
    ],
    ['a key of JSON', lot(`lists: { images: { by: 'images' } }`), /"images".*KeyFields/],
    [
      'a key that is a list',
      lot(`lists: { bidders: { by: 'outbidBidderIds' } }`),
      /"outbidBidderIds".*KeyFields/,
    ],
    ['no key', lot(`lists: { all: {} }`), /'by' is missing/],
    [
      'an unknown field in where',
      listed(`where: { stats: 'a' }`),
      /'stats' does not exist.*Did you mean to write 'status'/,
    ],
    [
      'a constant of another type',
      listed(`where: { bidCount: 'a' }`),
      /'string' is not assignable to type 'Condition<number>/,
    ],
    [
      'null where no row has it',
      listed(`where: { name: null }`),
      /'null' is not assignable to type 'Condition<string>/,
    ],
    [
      'conditions that need the database',
      listed(`where: { bidCount: { gt: 5 } }`),
      /'gt' does not exist in type '{ readonly in: readonly number/,
    ],
    [
      'an unknown field in orderBy',
      listed(`orderBy: [{ lott: 'asc' }]`),
      /'lott' does not exist.*Did you mean to write 'lot'/,
    ],
    ['an unknown direction', listed(`orderBy: [{ lot: 'up' }]`), /"up".*Direction/],
    [
      'nulls of a field that has none',
      listed(`orderBy: { lot: { sort: 'asc', nulls: 'last' } }`),
      /nulls: string; }' is not assignable/,
    ],
    ['an unknown option', listed(`lmit: 5`), /'lmit' does not exist.*Did you mean to write 'limit'/],
    ['an option of lists', lot(`unique: { id: { by: 'id', limit: 5 } }`), /'limit' does not exist/],
    ['a relation of one to many', listedPosts(`through: 'comments'`), /"comments".* '"labels"/],
    [
      'a relation in a model without any',
      lot(`lists: { x: { through: 'bids' } }`),
      /'through' does not exist/,
    ],
    [
      'a field as a relation',
      listedPosts(`through: 'authorId'`),
      /\\"authorId\\" is not an implicit many-to-many relation/,
    ],
    [
      'a relation as a field',
      listedPosts(`by: 'labels'`),
      /\\"labels\\" is a relation, which is named in `through`/,
    ],
    ['a field and a relation', listedPosts(`by: 'authorId', through: 'labels'`), /not assignable/],
    [
      'an unknown field of a row by hand',
      byHand(`unique: { x: ['houseId', 'nmber'] }`),
      /"nmber".*Did you mean '"number"'/,
    ],
    [
      'a list of a row by hand',
      byHand(`lists: { x: { by: 'tags' } }`),
      /"tags".*KeyFields<"number" \| "id" \| "houseId" \| "endsAt" \| "price" \| "status">/,
    ],
    [
      'a constant that a row by hand never has',
      byHand(`lists: { x: { by: 'houseId', where: { status: { in: ['opn'] } } } }`),
      /"opn".*Did you mean '"open"'/,
    ],
    ['a relation of a row by hand', byHand(`lists: { x: { through: 'tags' } }`), /'through' does not exist/],
  ])('refuse %s', async (_, source, message) => {
    const errors = await check(source)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(message)
  })

  it.concurrent.each([
    ['unique keys', account(`unique: { x: '▮' }`), ['email', 'handle', 'id', 'token']],
    ['parts of unique keys', post(`unique: { x: ['slug', '▮'] }`), ['authorId', 'slug']],
    ['options of unique keys', post(`unique: { x: { ▮ } }`), ['by', 'caseSensitive', 'fold']],
    ['options of lists', listedPosts(`▮`), ['by', 'limit', 'maxRows', 'orderBy', 'through', 'where']],
    [
      'fields of keys',
      post(`omit: { title: true }, lists: { x: { by: '▮' } }`),
      ['authorId', 'editorId', 'id', 'slug'],
    ],
    ['relations', listedPosts(`through: '▮'`), ['labels']],
    [
      'fields in where',
      listedPosts(`by: 'id', where: { ▮ }`),
      ['authorId', 'editorId', 'id', 'slug', 'title'],
    ],
    [
      'constants in where',
      account(`lists: { x: { by: 'id', where: { role: '▮' } } }`),
      ['ADMIN', 'GUEST', 'MEMBER'],
    ],
    [
      'fields in orderBy',
      listedPosts(`by: 'id', orderBy: [{ ▮ }]`),
      ['authorId', 'editorId', 'id', 'slug', 'title'],
    ],
    ['directions', listedPosts(`by: 'id', orderBy: { title: '▮' }`), ['asc', 'desc']],
    [
      'fields of rows by hand',
      byHand(`unique: { x: '▮' }`),
      ['endsAt', 'houseId', 'id', 'number', 'price', 'status'],
    ],
  ])('complete %s', async (_, source, expected) => {
    expect(await completionsOf(prelude + source)).toEqual(expect.arrayContaining(expected))
  })
})
