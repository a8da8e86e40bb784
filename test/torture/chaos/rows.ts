/** The models of the demo that chaos reads and writes, and the caches that pods have of them. */
import { type } from 'arktype'
import { type ModelCacheDefinition, modelCaches } from 'model-cache'
import { json } from 'model-cache/arktype'
import type { FeatureFlags, Prisma } from '#prisma/client/client.js'
import type { Lookup, Row } from '../history/rows.ts'

const { defineModelCache } = modelCaches()

/** Its rows count their changes: the version of a row is its revision and one. */
export const FLAGS = 'FeatureFlags'
/** Its rows belong to lists and have a unique key. The database counts their versions as `bidCount`. */
export const LOTS = 'AuctionItem'

/** The settings by which the caches of pods differ. */
export interface PodCaches {
  /** Caches of the same rows, with different fingerprints and layouts of keys. Empty for a worker, which only writes. */
  readonly flags: readonly { readonly name: FlagsName; readonly version: string; readonly buckets: number }[]
  readonly lots?: { readonly release: Release; readonly rows: 'copies' | 'shared' }
  /** Whether its client is not extended. @default false */
  readonly isPlain?: boolean
}

/** Caches of the flags: all pods except workers have the first, some have the second as well. */
export const flagsNames = ['FeatureFlags', 'FlagsOnceMore'] as const
type FlagsName = (typeof flagsNames)[number]

/** Deploys of the application, with different definitions of the same cache of lots. `'before'` has none of its lookups. */
export type Release = 'before' | 'current' | 'other' | 'next'

const flags = (version: string): PodCaches['flags'][number] => ({
  name: 'FeatureFlags',
  version,
  buckets: 64,
})
const onceMore = (buckets: number): PodCaches['flags'][number] => ({
  name: 'FlagsOnceMore',
  version: 'first',
  buckets,
})

/**
 * The caches of each kind of pod: older and newer releases of an application, a worker without any cache, and one without the library. `before` does not have the
 * lookups of the others, `other` has them with other orders and conditions, and `next` comes and goes.
 */
export const cachesOf = {
  first: { flags: [flags('first')], lots: { release: 'current', rows: 'copies' } },
  second: { flags: [flags('first'), onceMore(4)], lots: { release: 'current', rows: 'shared' } },
  before: { flags: [flags('first')], lots: { release: 'before', rows: 'copies' } },
  other: { flags: [flags('first'), onceMore(4)], lots: { release: 'other', rows: 'copies' } },
  next: { flags: [flags('next'), onceMore(8)], lots: { release: 'next', rows: 'shared' } },
  worker: { flags: [] },
  plain: { flags: [], isPlain: true },
} as const satisfies Record<string, PodCaches>
export type PodKind = keyof typeof cachesOf

/** How pods read rows: by ids, unique keys and lists. */
export interface ChaosLookup extends Lookup {
  readonly kind: 'id' | 'unique' | 'list'
  /** Its name in the definition. */
  readonly as: string
  /** Of the cache of lots; undefined for caches of flags, and for lots by id, which all releases have. */
  readonly release?: Release
  /** Whether Prisma's queries of fundraisers or lots read it, which caches of both answer. */
  readonly isComposed?: boolean
}

const ofFlags = (name: FlagsName): ChaosLookup => ({ kind: 'id', name, as: name, by: ['id'] })
const unique = (release: Release, as: string): ChaosLookup => ({
  kind: 'unique',
  name: `${release} ${as}`,
  as,
  release,
  by: ['fundraiserId', 'lot'],
})
const list = (release: Release, as: string, options: Partial<ChaosLookup>): ChaosLookup => ({
  kind: 'list',
  name: `${release} ${as}`,
  as,
  release,
  by: ['fundraiserId'],
  ...options,
})

const lotById: ChaosLookup = { kind: 'id', name: 'lots by id', as: 'id', by: ['id'] }

const ofLots: readonly ChaosLookup[] = [
  unique('current', 'place'),
  list('current', 'ofFundraiser', { order: 'asc' }),
  list('current', 'open', { order: 'desc', statuses: ['open'] }),
  list('current', 'top', { order: 'asc', statuses: ['open', 'sold'], limit: 3 }),
  unique('other', 'place'),
  list('other', 'ofFundraiser', { order: 'desc' }),
  list('other', 'open', { order: 'desc', statuses: ['open', 'sold'] }),
  list('other', 'top', { by: ['fundraiserId', 'status'], order: 'desc', limit: 2 }),
  unique('next', 'spot'),
  list('next', 'ofFundraiser', { order: 'asc', limit: 4 }),
  list('next', 'unsold', { order: 'asc', statuses: ['open', 'void'] }),
]

const composed: readonly ChaosLookup[] = [lotById, ...ofLots]
  .filter(({ kind, by }) => kind === 'id' || (kind === 'list' && by.join() === 'fundraiserId'))
  .map((lookup) => ({ ...lookup, name: `${lookup.name}, composed`, isComposed: true }))

/** All lookups that pods read. Reports name them by their place. */
export const lookups: readonly ChaosLookup[] = [...flagsNames.map(ofFlags), lotById, ...ofLots, ...composed]

export const composedLotById = composed[0]!
/** The lists that Prisma's queries read. */
export const composedLists = (release: Release): readonly ChaosLookup[] =>
  composed.filter((lookup) => lookup.release === release)

export const lookupOfFlags = (name: FlagsName): ChaosLookup => lookups.find((lookup) => lookup.name === name)!
export const isOfFlags = ({ name }: Lookup): boolean => flagsNames.includes(name as FlagsName)
export const lookupsOfLots = (release: Release): readonly ChaosLookup[] =>
  [lotById, ...ofLots].filter((lookup) => lookup === lotById || lookup.release === release)

export const flagId = (row: number): string => `row-${row}`
/** The first tenth of the flags gets half of the work. */
export const hotRowsOf = (rows: number): number => Math.ceil(rows / 10)
/** Writes by hand invalidate only the cache that all pods have, so no other cache reads their rows. */
export const isByHand = (row: number): boolean => row % 4 === 0
/** The rows of flags that a cache reads. */
export const readableBy =
  (name: FlagsName) =>
  (row: number): boolean =>
    name === flagsNames[0] || !isByHand(row)

/** The row that a cache or Prisma has returned. */
export const flagOf = ({ id, revision }: Pick<FeatureFlags, 'id' | 'revision'>): Row => ({
  id,
  version: revision + 1,
})

export const statuses = ['open', 'sold', 'void'] as const

/** What a cache of lots reads, and what is compared. */
export type LotRow = {
  readonly id: string
  readonly fundraiserId: string
  /** Unique among the lots of a fundraiser. */
  readonly lot: string
  readonly sortOrder: number
  readonly status: (typeof statuses)[number]
  readonly bidCount: number
}
export const lotSelection = {
  id: true,
  fundraiserId: true,
  lot: true,
  sortOrder: true,
  status: true,
  bidCount: true,
}
export const lotOf = ({ bidCount, ...fields }: LotRow): Row => ({ ...fields, version: bidCount })

/** One in four fundraisers gets half of the work. */
export const hotFundraisersOf = (fundraisers: number): number => Math.ceil(fundraisers / 4)
export const fundraiserIdOf = (number: number): string => `fundraiser-${number}`
export const fundraiserIds = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => fundraiserIdOf(number))
/** Places that lots are given at random. A fundraiser has fewer lots than places. */
export const placesOfFundraiser = 10
export const placeOf = (number: number): string => `place-${number}`

/** All databases compare text byte by byte, but not all of their schemas say so. */
const caseSensitive = true

/** So few that rows become hot and cool again all the time. */
const hotPerSecond = 3

/** Whether caches of pods have an L1: of every row, or of those that are read often. */
export type PodL1 = boolean | 'hot'

/** Rows without writes are refreshed in the background from their tenth second on; L1 keeps them much longer than a message takes. */
const times = (l1: PodL1) => ({
  ttl: '1m' as const,
  refreshAhead: '50s' as const,
  staleFor: '2m' as const,
  ...(l1 && { l1: { ttl: '30s' as const, ...(l1 === 'hot' && { hot: hotPerSecond }) } }),
})

export const defineFlags = ({ name, version }: PodCaches['flags'][number], l1: PodL1) =>
  defineModelCache<FeatureFlags>()({
    name,
    model: FLAGS,
    schema: type({ id: 'string', revision: 'number', flags: json, updatedAt: 'Date' }),
    id: 'id',
    ...times(l1),
    // Both ways in which L1 answers.
    rows: name === flagsNames[0] ? 'copies' : 'shared',
    version,
  })

export function defineLots({ release, rows }: NonNullable<PodCaches['lots']>, l1: PodL1): LotDefinition {
  const ofKind = (kind: ChaosLookup['kind']) =>
    ofLots.filter((lookup) => lookup.release === release && lookup.kind === kind)
  const { defineModelCache } = modelCaches<Prisma.TypeMap>()
  const options = {
    ...times(l1),
    select: lotSelection,
    rows,
    unique: Object.fromEntries(ofKind('unique').map(({ as, by }) => [as, { by, caseSensitive }])),
    lists: Object.fromEntries(ofKind('list').map((lookup) => [lookup.as, listOptionsOf(lookup)])),
  }
  // The names of its lookups are known at run time only.
  return defineModelCache(LOTS, options as never) as unknown as LotDefinition
}

// eslint-disable-next-line typescript/no-explicit-any -- keys by the names of lookups, which differ among releases
type LotDefinition = ModelCacheDefinition<LotRow, string, { unique: any; lists: any }>

function listOptionsOf(lookup: ChaosLookup): object {
  const { by, limit, order } = lookup
  return {
    by: by.length === 1 ? by[0] : by,
    caseSensitive,
    where: statusOf(lookup),
    orderBy: { sortOrder: order },
    ...(limit && { limit }),
  }
}

/** The `where` of a list. */
export function statusOf({ statuses }: ChaosLookup): object {
  return statuses ? { status: statuses.length === 1 ? statuses[0] : { in: statuses } } : {}
}

/** To which lots lead, and which lead to their lots. */
export const FUNDRAISERS = 'Fundraiser'

export const defineFundraisers = (l1: PodL1) => {
  const { defineModelCache } = modelCaches<Prisma.TypeMap>()
  return defineModelCache(FUNDRAISERS, { ...times(l1), select: { id: true } })
}
