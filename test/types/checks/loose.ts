import { looseDiagnosticsOf } from '../compile.js'

const prelude = `
import { type CacheOf, type ModelCache, modelCaches, ModelCacheModule } from 'model-cache'
import type { Prisma, PaddleTipConfig } from '#prisma/client/client.js'
import type { Prisma as Accounts } from '../integration/differential/client/client.js'
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type IdIn<D> = CacheOf<D> extends ModelCache<infer _, infer Id, infer __> ? Id : never
type UniqueKeys<D> = CacheOf<D> extends ModelCache<infer _, infer __, infer Keys> ? Keys['unique'] : never
type ListKeys<D> = CacheOf<D> extends ModelCache<infer _, infer __, infer Keys> ? Keys['lists'] : never
const { defineModelCache } = modelCaches<Prisma.TypeMap>()
const accounts = modelCaches<Accounts.TypeMap>()
`

describe('definitions where `strictNullChecks` is off', () => {
  it('have the ids, keys and lists that they have where it is on', () => {
    expect(
      looseDiagnosticsOf(`${prelude}
        const tips = defineModelCache('PaddleTipConfig', { id: 'fundraiserId', ttl: '10m' })
        const users = defineModelCache('User', { ttl: '10m', omit: { phone: true }, unique: { email: 'email' } })
        const lots = defineModelCache('AuctionItem', {
          ttl: '10m',
          unique: { place: ['lot', 'fundraiserId'], same: { by: ['fundraiserId', 'lot'] } },
          lists: { ofItem: { by: 'itemId', where: { endsAt: { not: null } }, orderBy: { lot: 'asc' }, limit: 5 } },
        })
        const badges = accounts.defineModelCache('Badge', { id: 'profileId_label', ttl: '10m' })
        const people = accounts.defineModelCache('Account', {
          ttl: '10m',
          unique: { handle: 'handle', email: { by: 'email' }, token: 'token' },
          lists: { ofRole: { by: 'role', where: { role: 'ADMIN' } }, ofTeam: { through: 'teams' } },
        })
        const settings = accounts.defineModelCache('Setting', { ttl: '10m', unique: { named: ['scope', 'key'] } })
        const posts = accounts.defineModelCache('Post', { ttl: '10m', lists: { labelled: { through: 'labels' } } })
        export const all: [
          Equal<CacheOf<typeof tips>, ModelCache<PaddleTipConfig, string>>,
          Equal<UniqueKeys<typeof users>, { readonly email: string }>,
          Equal<UniqueKeys<typeof lots>['place'], { readonly fundraiserId: string; readonly lot: string }>,
          Equal<ListKeys<typeof lots>, { readonly ofItem: string }>,
          Equal<IdIn<typeof badges>, { readonly profileId: number; readonly label: string }>,
          Equal<UniqueKeys<typeof people>, { readonly handle: string; readonly email: string; readonly token: string }>,
          Equal<ListKeys<typeof people>['ofRole'], 'MEMBER' | 'ADMIN' | 'GUEST'>,
          Equal<ListKeys<typeof people>['ofTeam'], string | Prisma.Decimal>,
          Equal<UniqueKeys<typeof settings>['named'], { readonly scope: string; readonly key: string }>,
          Equal<ListKeys<typeof posts>['labelled'], string>,
        ] = [true, true, true, true, true, true, true, true, true, true]
        export async function calls(cache: CacheOf<typeof lots>) {
          const row = await cache.getBy('place', { fundraiserId: 'a', lot: '5' })
          return [row.endsAt.getTime(), (await cache.list('ofItem', 'a')).length]
        }
        ModelCacheModule.forFeature({ tips, users, lots })
      `),
    ).toEqual([])
  })

  it('refuse the names that they refuse where it is on', () => {
    const errors = looseDiagnosticsOf(`${prelude}
defineModelCache('User', { ttl: '1m', id: 'firstName' })
defineModelCache('User', { ttl: '1m', unique: { city: 'city' } })
defineModelCache('AuctionItem', { ttl: '1m', unique: { place: ['lot'] } })
defineModelCache('AuctionItem', { ttl: '1m', lists: { ofItem: { by: 'itmId' } } })
defineModelCache('User', { ttl: '1m', select: { id: true, emial: true } })
accounts.defineModelCache('Setting', { ttl: '1m', id: 'scope' })
`)
    const first = prelude.split('\n').length + 1
    expect(errors.map((error) => Number.parseInt(error) - first)).toEqual([0, 1, 2, 3, 4, 5])
  })
})
