import { checksBehind, completionsOf } from '../compile.js'

const prelude = `
import { type } from 'arktype'
import { type CacheOf, modelCaches, type ModelCache, ModelCacheModule } from 'model-cache'
import { decimal } from 'model-cache/arktype'
import type { Prisma, AuctionItem, SponsorBundle, Sponsor } from '#prisma/client/client.js'
import type { Prisma as Accounts } from '../integration/differential/client/client.js'
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type RowIn<D> = CacheOf<D> extends ModelCache<infer Row, infer _> ? Row : never
type IdIn<D> = CacheOf<D> extends ModelCache<infer _, infer Id> ? Id : never
const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const accounts = modelCaches<Accounts.TypeMap>()
interface Coupons {
  globalOmitOptions: { omit: object }
  model: {
    Coupon: {
      payload: { name: 'Coupon'; scalars: { code: string; slug: string }; objects: object; composites: object }
      operations: { findUnique: { args: { where: { code: string; slug?: string } | { code?: string; slug: string } } } }
    }
  }
}
const coupons = modelCaches<Coupons>()
`
const { check, compiles } = checksBehind(prelude)

describe('a derived definition at compile time', () => {
  it.concurrent('has the rows and the id of Prisma', () =>
    compiles(`
      const lots = defineModelCache('AuctionItem', { ttl: '10m' })
      const tips = defineModelCache('PaddleTipConfig', { id: 'fundraiserId', ttl: '10m' })
      export const all: [
        Equal<CacheOf<typeof lots>, ModelCache<AuctionItem, string>>,
        Equal<IdIn<typeof tips>, string>,
      ] = [true, true]
    `),
  )

  it.concurrent('finds ids of several fields, and of numbers', () =>
    compiles(`
      const events = accounts.defineModelCache('Badge', { id: 'profileId_label', ttl: '10m' })
      const profiles = accounts.defineModelCache('Profile', { ttl: '10m' })
      const posts = accounts.defineModelCache('Post', { ttl: '10m' })
      export const all: [
        Equal<IdIn<typeof events>, { readonly profileId: number; readonly label: string }>,
        Equal<IdIn<typeof profiles>, number>,
        Equal<IdIn<typeof posts>, bigint>,
      ] = [true, true, true]
    `),
  )

  it.concurrent('narrows rows by select, omit, include and refine', () =>
    compiles(`
      const names = defineModelCache('User', { select: { id: true, email: true, city: false }, ttl: '10m' })
      const users = defineModelCache('User', { omit: { email: true }, ttl: '10m' })
      const bundles = defineModelCache('SponsorBundle', {
        include: { sponsors: { omit: { bundleId: true }, orderBy: [{ sortOrder: 'asc' }] } },
        ttl: '10m',
        dependsOn: ['Sponsor'],
      })
      const lots = defineModelCache('AuctionItem', {
        refine: { images: type({ image: 'string' }).array(), status: "'open' | 'closed'" as never as ReturnType<typeof status> },
        ttl: '10m',
      })
      const deep = defineModelCache('AuctionItem', { include: { bids: { include: { bidder: true } } }, ttl: '10m', dependsOn: [] })
      const chosen = defineModelCache('AuctionItem', {
        select: { id: true, item: true, bids: { select: { id: true, bidder: { select: { city: true } } } } }, ttl: '10m', dependsOn: [],
      })
      function status() { return type("'open' | 'closed'") }
      type Bundle = RowIn<typeof bundles>
      export const all: [
        Equal<RowIn<typeof names>, { id: string; email: string }>,
        Equal<Extract<keyof RowIn<typeof users>, 'email' | 'city'>, 'city'>,
        Equal<Exclude<keyof Bundle, keyof SponsorBundle>, 'sponsors'>,
        Equal<keyof Bundle['sponsors'][number], Exclude<keyof Sponsor, 'bundleId'>>,
        Equal<RowIn<typeof lots>['images'], { image: string }[]>,
        Equal<RowIn<typeof lots>['status'], 'open' | 'closed'>,
        Equal<RowIn<typeof lots>['endsAt'], Date | null>,
        Equal<RowIn<typeof users>, Prisma.UserGetPayload<{ omit: { email: true } }>>,
        Equal<RowIn<typeof deep>, Prisma.AuctionItemGetPayload<{ include: { bids: { include: { bidder: true } } } }>>,
        Equal<RowIn<typeof chosen>, Prisma.AuctionItemGetPayload<{
          select: { id: true; item: true; bids: { select: { id: true; bidder: { select: { city: true } } } } }
        }>>,
      ] = [true, true, true, true, true, true, true, true, true, true]
    `),
  )

  it.concurrent("knows the client's global omit", async () => {
    expect(
      await check(`
        import type { Types } from '@prisma/client/runtime/client'
        type Omitting = Prisma.TypeMap<Types.Extensions.DefaultArgs, { user: { email: true } }>
        const users = modelCaches<Omitting>().defineModelCache('User', { ttl: '10m' })
        const all = modelCaches<Omitting>().defineModelCache('User', { omit: { email: false }, ttl: '10m' })
        export const both: [
          Equal<Extract<keyof RowIn<typeof users>, 'email' | 'city'>, 'city'>,
          Equal<Extract<keyof RowIn<typeof all>, 'email' | 'city'>, 'email' | 'city'>,
        ] = [true, true]
      `),
    ).toEqual([])
  })

  it.concurrent.each([
    [
      'an unknown model',
      `const users = defineModelCache('Usr', { ttl: '1m', omit: { email: true }, lists: { of: { by: 'city' } } })
       const user = await (undefined as never as CacheOf<typeof users>).get('1')
       user?.email.trim()
       ModelCacheModule.forFeature({ users })`,
      /^1: Argument of type '"Usr"' is not assignable to parameter of type '("\w+" \| )*"User" \| .*$/,
    ],
    [
      'an unknown field in select',
      `defineModelCache('User', { ttl: '1m', select: { id: true, emial: true } })`,
      /User has no field \\"emial\\"/,
    ],
    [
      'an unknown field in omit',
      `defineModelCache('User', { ttl: '1m', omit: { emial: true, email: true } })`,
      /User has no field \\"emial\\"/,
    ],
    [
      'only unknown fields in omit',
      `defineModelCache('User', { ttl: '1m', omit: { emial: true } })`,
      /User has no field \\"emial\\"; if the Prisma schema has it, run `prisma generate`/,
    ],
    [
      'an unknown field of a relation',
      `defineModelCache('SponsorBundle', { ttl: '1m', include: { sponsors: { select: { id: true, nme: true } } } })`,
      /sponsors has no field \\"nme\\"/,
    ],
    [
      'a key that is not unique',
      `defineModelCache('User', { ttl: '1m', id: 'firstName' })`,
      /"firstName"' is not assignable to type '"id" \| "email"/,
    ],
    [
      'a key that rows may lack',
      `accounts.defineModelCache('Account', { ttl: '1m', id: 'handle' })`,
      /"handle"/,
    ],
    ['an ambiguous id', `coupons.defineModelCache('Coupon', { ttl: '1m' })`, /Property 'id' is missing/],
    ['an unknown option', `defineModelCache('User', { ttl: '1m', tlt: 5 })`, /'tlt' does not exist/],
    [
      'a wider type in refine',
      `defineModelCache('User', { ttl: '1m', refine: { firstName: type('number') } })`,
      /not narrower than that of \\"firstName\\"/,
    ],
    [
      'an unknown field in refine',
      `defineModelCache('User', { ttl: '1m', refine: { firtName: type('string') } })`,
      /no field \\"firtName\\"/,
    ],
    [
      'a schema by hand that differs',
      `defineModelCache('GuestUser', { ttl: '1m', schema: type({ id: 'string', name: 'string', email: 'string', createdAt: 'string' }) })`,
      /differs at: createdAt/,
    ],
  ])('refuses %s and names it', async (_, source, message) => {
    const errors = await check(source)
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(message)
  })

  it.concurrent('names the missing import alone while the client is not generated', async () => {
    expect(
      await check(`
        import type { Prisma as Missing } from './not-generated.js'
        const { defineModelCache: define } = modelCaches<Missing.TypeMap>()
        const users = define('User', { ttl: '1m', omit: { passwordHash: true }, lists: { of: { by: 'city' } } })
        const user = await (undefined as never as CacheOf<typeof users>).get('1')
        user?.email.trim()
        ModelCacheModule.forFeature({ users })
      `),
    ).toEqual([expect.stringMatching(/^2: Cannot find module '\.\/not-generated\.js'/)])
  })

  it.concurrent('accepts a schema by hand that is exactly the row', () =>
    compiles(`
      defineModelCache('GuestUser', { ttl: '1m', schema: type({ id: 'string', name: 'string', email: 'string', createdAt: 'Date' }) })
      defineModelCache('User', { ttl: '1m', select: { id: true, lifetimeGiven: true }, schema: type({ id: 'string', lifetimeGiven: decimal }) })
    `),
  )

  it.concurrent.each([
    ['models', `defineModelCache('▮', { ttl: '1m' })`, ['AuctionItem', 'User']],
    [
      'options',
      `defineModelCache('User', { ttl: '1m', ▮ })`,
      ['id', 'l1', 'omit', 'refine', 'schema', 'select'],
    ],
    ['fields in omit', `defineModelCache('User', { ttl: '1m', omit: { ▮ } })`, ['email', 'phone']],
    [
      'fields in select',
      `defineModelCache('User', { ttl: '1m', select: { ▮ } })`,
      ['bids', 'email', 'phone'],
    ],
    [
      'fields of relations',
      `defineModelCache('SponsorBundle', { ttl: '1m', include: { sponsors: { select: { ▮ } } } })`,
      ['logoUrl', 'pledged'],
    ],
    [
      'fields in refine',
      `defineModelCache('User', { ttl: '1m', omit: { city: true }, refine: { ▮ } })`,
      ['email', 'phone'],
    ],
    ['unique keys', `defineModelCache('PaddleTipConfig', { ttl: '1m', id: '▮' })`, ['fundraiserId', 'id']],
  ])('completes %s', async (_, source, expected) => {
    expect(await completionsOf(prelude + source)).toEqual(expect.arrayContaining(expected))
  })
})
