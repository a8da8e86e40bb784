import { modelCaches, type ModelCacheDefinition } from 'model-cache'
import type { Prisma } from '#prisma/client/client.js'
import { LOT_MODEL, lotSelection, type Lot, type LotRow, type Status } from './lot.ts'

/** Deploys of the application, with different definitions of the same cache of lots. `'before'` has none of its lookups. */
export type Release = 'before' | 'current' | 'other' | 'next'

/** A unique key or a list of lots. */
export interface LotLookup {
  readonly release: Release
  readonly name: string
  readonly kind: 'unique' | 'list'
  readonly by: readonly (keyof Lot & string)[]
  /** Lots of other statuses are not in the list. */
  readonly statuses?: readonly Status[]
  /** Of `sortOrder`. */
  readonly order?: 'asc' | 'desc'
  readonly limit?: number
}

const unique = (release: Release, name: string, by: LotLookup['by']): LotLookup => ({
  release,
  name,
  kind: 'unique',
  by,
})
const list = (
  release: Release,
  name: string,
  options: Pick<LotLookup, 'order' | 'limit' | 'statuses'> & { readonly by?: LotLookup['by'] },
): LotLookup => ({ release, name, kind: 'list', by: ['fundraiserId'], ...options })

/** Reads by id, which caches of all releases answer. */
export const byId: LotLookup = unique('before', 'id', ['id'])

/** All lookups that pods read. Reports name them by their index. */
export const lotLookups: readonly LotLookup[] = [
  byId,
  unique('current', 'place', ['fundraiserId', 'lot']),
  list('current', 'ofFundraiser', { order: 'asc' }),
  list('current', 'open', { order: 'desc', statuses: ['open'] }),
  list('current', 'top', { order: 'asc', statuses: ['open', 'sold'], limit: 3 }),
  unique('other', 'place', ['fundraiserId', 'lot']),
  list('other', 'ofFundraiser', { order: 'desc' }),
  list('other', 'open', { order: 'desc', statuses: ['open', 'sold'] }),
  list('other', 'top', { by: ['fundraiserId', 'status'], order: 'desc', limit: 2 }),
  unique('next', 'spot', ['fundraiserId', 'lot']),
  list('next', 'ofFundraiser', { order: 'asc', limit: 4 }),
  list('next', 'unsold', { order: 'asc', statuses: ['open', 'void'] }),
]

export const lookupsOf = (release: Release): readonly LotLookup[] =>
  lotLookups.filter((lookup) => lookup === byId || lookup.release === release)

/** The key under which a lookup finds a lot, as text; null if it does not. */
export function keyOf({ by, statuses }: LotLookup, lot: Lot | null): string | null {
  if (!lot || statuses?.includes(lot.status) === false) return null
  return textOf(by.map((field) => lot[field]))
}

export const textOf = (values: readonly (string | number)[]): string => values.join(' ')

/** The cache of lots as a release defines it. */
export interface LotCacheSettings {
  readonly release: Release
  readonly rows: 'copies' | 'shared'
}

export function defineLots({ release, rows }: LotCacheSettings, l1: boolean): LotDefinition {
  const of = lookupsOf(release).filter((lookup) => lookup !== byId)
  const ofKind = (kind: LotLookup['kind']) => of.filter((lookup) => lookup.kind === kind)
  const { defineModelCache } = modelCaches<Prisma.TypeMap>()
  const options = {
    ttl: '1m',
    refreshAhead: '50s',
    staleFor: '2m',
    select: lotSelection,
    rows,
    ...(l1 && { l1: { ttl: '30s' } }),
    unique: Object.fromEntries(ofKind('unique').map(({ name, by }) => [name, by])),
    lists: Object.fromEntries(ofKind('list').map((lookup) => [lookup.name, listOptionsOf(lookup)])),
  }
  // The names of its lookups are known at run time only.
  return defineModelCache(LOT_MODEL, options as never) as unknown as LotDefinition
}

// eslint-disable-next-line typescript/no-explicit-any -- keys by the names of lookups, which differ among releases
type LotDefinition = ModelCacheDefinition<LotRow, string, { unique: any; lists: any }>

function listOptionsOf({ by, limit, order, statuses }: LotLookup): object {
  return {
    by: by.length === 1 ? by[0] : by,
    ...(statuses && { where: { status: statuses.length === 1 ? statuses[0] : { in: statuses } } }),
    orderBy: { sortOrder: order },
    ...(limit && { limit }),
  }
}
