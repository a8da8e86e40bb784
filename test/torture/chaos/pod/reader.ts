import {
  createModelCache,
  type CreateModelCacheOptions,
  createPrismaSource,
  type ReadThroughCache,
  schemaFactsOf,
} from 'model-cache/advanced'
import type { FeatureFlags, PrismaClient } from '#prisma/client/client.js'
import { machineTime } from '../../clock.ts'
import type { Answer } from '../../history/history.ts'
import { textOf, type Row } from '../../history/rows.ts'
import { numbers } from '../../users.ts'
import type { PodDatabase } from './databases/pod-database.ts'
import {
  type ChaosLookup,
  composedLotById,
  defineFlags,
  defineFundraisers,
  defineLots,
  flagOf,
  fundraiserIdOf,
  FUNDRAISERS,
  isOfFlags,
  lookups,
  lookupsOfLots,
  LOTS,
  lotOf,
  type LotRow,
  lotSelection,
  placeOf,
  type PodCaches,
  type PodL1,
  placesOfFundraiser,
  type Release,
  statuses,
  statusOf,
} from '../rows.ts'

// eslint-disable-next-line typescript/no-explicit-any -- keys by the names of lookups, which differ among releases
type AnyCache<Row extends object> = ReadThroughCache<Row, string, { unique: any; lists: any }>
export type FlagCache = AnyCache<FeatureFlags>
export type LotCache = AnyCache<LotRow>

/** Has the fields of the keys of all lookups of lots. */
export type LotKey = Pick<LotRow, 'id' | 'fundraiserId' | 'lot' | 'status'>
type Key = Pick<LotKey, 'id'> & Partial<LotKey>

type Options = Omit<CreateModelCacheOptions<never, string>, 'source'> & { readonly l1: PodL1 }

export const createFlagCache = (
  settings: PodCaches['flags'][number],
  database: PodDatabase,
  options: Options,
) =>
  createModelCache(defineFlags(settings, options.l1), {
    ...options,
    buckets: settings.buckets,
    source: { load: database.loadFlags, mayBlameOneId: () => false },
  }) as FlagCache

const byPrisma = <Row extends object>(prisma: object, model: string, select: object) => ({
  source: createPrismaSource<Row, string>(prisma, { name: model, model, idFields: ['id'], select }),
  facts: schemaFactsOf(prisma),
})

export const createLotCache = (settings: NonNullable<PodCaches['lots']>, prisma: object, options: Options) =>
  createModelCache(defineLots(settings, options.l1), {
    ...options,
    ...byPrisma<LotRow>(prisma, LOTS, lotSelection),
  }) as LotCache

export const createFundraiserCache = (prisma: object, options: Options) =>
  createModelCache(defineFundraisers(options.l1), {
    ...options,
    ...byPrisma<{ id: string }>(prisma, FUNDRAISERS, { id: true }),
  })

type Found = readonly (readonly (FeatureFlags | LotRow | null)[])[]

/** Reads one key alone, or several at once. @param find instead of the cache */
export async function readLookup(
  cache: FlagCache | LotCache,
  lookup: ChaosLookup,
  keys: readonly Key[],
  find: (keys: readonly unknown[]) => Promise<Found> = (values) => findIn(cache as LotCache, lookup, values),
): Promise<Answer[]> {
  const fields = lookup.by as readonly (keyof LotKey)[]
  const values = keys.map((key) =>
    fields.length === 1 ? key[fields[0]!] : Object.fromEntries(fields.map((field) => [field, key[field]])),
  )
  const rowOf = (isOfFlags(lookup) ? flagOf : lotOf) as (row: FeatureFlags | LotRow) => Row
  const start = machineTime()
  const found = await find(values)
  const end = machineTime()
  return keys.map((key, i) => [
    lookups.indexOf(lookup),
    textOf(fields.map((field) => key[field]!)),
    start,
    end,
    found[i]!.filter((row) => row !== null).map(rowOf),
  ])
}

async function findIn(cache: LotCache, { as, kind }: ChaosLookup, keys: readonly unknown[]): Promise<Found> {
  const each = (rows: readonly (LotRow | null)[]): Found => rows.map((row) => [row])
  const isOne = keys.length === 1
  if (kind === 'list') return isOne ? [await cache.list(as, keys[0])] : cache.listMany(as, keys as never)
  if (kind === 'unique')
    return each(isOne ? [await cache.getBy(as, keys[0])] : await cache.getManyBy(as, keys as never))
  const ids = keys as string[]
  return each(isOne ? [await cache.get(ids[0]!)] : await cache.getMany(ids))
}

/** Reads lists of lots by queries of Prisma: by rows, or by results of the same queries. */
export class ComposedReader {
  readonly #prisma: PrismaClient
  readonly #kept: PrismaClient | undefined
  readonly #leavesOut: boolean
  #reads = 0

  /**
   * @param kept a view whose queries are answered by results; undefined without
   * @param leavesOut whether it has the defect `'child left out'`
   */
  constructor(prisma: PrismaClient, kept: PrismaClient | undefined, leavesOut: boolean) {
    this.#prisma = prisma
    this.#kept = kept
    this.#leavesOut = leavesOut
  }

  /** Fundraisers with their lots. */
  withLots(lookup: ChaosLookup, fundraiserIds: readonly string[]): Promise<Answer[]> {
    return this.#read(async (prisma) => {
      const start = machineTime()
      const found = await prisma.fundraiser.findMany({
        where: { id: { in: [...fundraiserIds] } },
        select: { id: true, auctionItems: lotsOf(lookup) },
      })
      const end = machineTime()
      return found.map(({ auctionItems, id }) => this.#answer(lookup, id, start, end, auctionItems))
    })
  }

  /** Lots by a condition on their fundraiser. */
  byFundraiser(lookup: ChaosLookup, fundraiserId: string): Promise<Answer[]> {
    return this.#readLots(lookup, fundraiserId, { fundraiser: { id: fundraiserId } })
  }

  /** Lots by their own field: results of them end by its values. */
  ofFundraiser(lookup: ChaosLookup, fundraiserId: string): Promise<Answer[]> {
    return this.#readLots(lookup, fundraiserId, { fundraiserId })
  }

  #readLots(lookup: ChaosLookup, fundraiserId: string, condition: object): Promise<Answer[]> {
    const { where, ...page } = lotsOf(lookup)
    return this.#read(async (prisma) => {
      const start = machineTime()
      const found = await prisma.auctionItem.findMany({ where: { ...condition, ...where }, ...page })
      return [this.#answer(lookup, fundraiserId, start, machineTime(), found)]
    })
  }

  /** Lots with the lots of their fundraiser. */
  withNeighbours(lookup: ChaosLookup, ids: readonly string[]): Promise<Answer[]> {
    return this.#read(async (prisma) => {
      const start = machineTime()
      const found = await prisma.auctionItem.findMany({
        where: { id: { in: [...ids] } },
        select: { ...lotSelection, fundraiser: { select: { id: true, auctionItems: lotsOf(lookup) } } },
      })
      const end = machineTime()
      const rows = new Map(found.map((row) => [row.id, row]))
      return [
        ...ids.map((id): Answer => {
          const { fundraiser: _, ...row } = rows.get(id) ?? {}
          const lots = rows.has(id) ? [lotOf(row as LotRow)] : []
          return [lookups.indexOf(composedLotById), id, start, end, lots]
        }),
        ...found.map(({ fundraiser: { auctionItems, id } }) =>
          this.#answer(lookup, id, start, end, auctionItems),
        ),
      ]
    })
  }

  /** Every second query is answered by results: three times, as the next write ends them. */
  async #read(send: (prisma: PrismaClient) => Promise<Answer[]>): Promise<Answer[]> {
    if (!this.#kept || this.#reads++ % 2 === 0) return send(this.#prisma)
    const answers: Answer[] = []
    for (let i = 0; i < 3; i++) answers.push(...(await send(this.#kept)))
    return answers
  }

  #answer(lookup: ChaosLookup, key: string, start: number, end: number, rows: readonly object[]): Answer {
    const shown = this.#leavesOut ? rows.slice(0, -1) : rows
    return [lookups.indexOf(lookup), key, start, end, shown.map((row) => lotOf(row as LotRow))]
  }
}

/** The arguments for the lots of a fundraiser that a list has. */
function lotsOf(lookup: ChaosLookup) {
  const { limit, order } = lookup
  return {
    where: statusOf(lookup),
    orderBy: [{ sortOrder: order! }, { id: 'asc' as const }],
    ...(limit && { take: limit }),
    select: lotSelection,
  }
}

/** Reads everything that the lookups of a release answer. */
export async function readAllLots(
  cache: LotCache,
  release: Release,
  fundraisers: number,
  database: PodDatabase,
): Promise<Answer[]> {
  const rows = await database.lots()
  const answers: Answer[] = []
  for (const lookup of lookupsOfLots(release))
    answers.push(...(await readLookup(cache, lookup, keysOf(lookup, rows, fundraisers))))
  return answers
}

/** All keys of a lookup that lots have or could be given. */
function keysOf({ by }: ChaosLookup, rows: readonly LotKey[], fundraisers: number): LotKey[] {
  const possible = numbers(fundraisers).flatMap((fundraiser) =>
    numbers(placesOfFundraiser).flatMap((place) =>
      statuses.map((status) => ({
        id: '',
        fundraiserId: fundraiserIdOf(fundraiser),
        lot: placeOf(place),
        status,
      })),
    ),
  )
  const fields = by as readonly (keyof LotKey)[]
  const keys = [...rows, ...(by.includes('id') ? [] : possible)]
  return [...new Map(keys.map((key) => [textOf(fields.map((field) => key[field])), key])).values()]
}
