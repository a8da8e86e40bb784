import {
  createModelCache,
  type CreateModelCacheOptions,
  createPrismaSource,
  type ReadThroughCache,
  schemaFactsOf,
} from 'model-cache/advanced'
import type pg from 'pg'
import {
  byId,
  defineLots,
  type LotCacheSettings,
  type LotLookup,
  lotLookups,
  lookupsOf,
  type Release,
  textOf,
} from '../../lots/lookups.ts'
import {
  fundraiserIdOf,
  LOT_MODEL,
  lotOf,
  lotSelection,
  type LotRow,
  placeOf,
  placesOfFundraiser,
  statuses,
} from '../../lots/lot.ts'
import type { LotAnswer } from '../../lots/protocol.ts'
import { machineTime } from '../protocol.ts'

// eslint-disable-next-line typescript/no-explicit-any -- keys by the names of lookups, which differ among releases
export type LotCache = ReadThroughCache<LotRow, string, { unique: any; lists: any }>

/** Has the fields of the keys of all lookups. */
export type LotKey = Pick<LotRow, 'id' | 'fundraiserId' | 'lot' | 'status'>

export function createLotCache(
  prisma: object,
  settings: LotCacheSettings,
  options: Omit<CreateModelCacheOptions<LotRow, string>, 'source'> & { readonly l1: boolean },
): LotCache {
  const { l1, ...common } = options
  const source = createPrismaSource<LotRow, string>(prisma, {
    name: LOT_MODEL,
    model: LOT_MODEL,
    idFields: ['id'],
    select: lotSelection,
  })
  return createModelCache(defineLots(settings, l1), { ...common, source, facts: schemaFactsOf(prisma) })
}

/** Reads one key alone, or several at once. */
export async function readLookup(
  cache: LotCache,
  lookup: LotLookup,
  lots: readonly LotKey[],
): Promise<LotAnswer[]> {
  const fields = lookup.by as readonly (keyof LotKey)[]
  const keys = lots.map((lot) =>
    fields.length === 1 ? lot[fields[0]!] : Object.fromEntries(fields.map((field) => [field, lot[field]])),
  )
  const start = machineTime()
  const found = await find(cache, lookup, keys)
  const end = machineTime()
  return lots.map((lot, i) => [
    lotLookups.indexOf(lookup),
    textOf(fields.map((field) => lot[field])),
    start,
    end,
    found[i]!.filter((row) => row !== null).map(lotOf),
  ])
}

async function find(
  cache: LotCache,
  lookup: LotLookup,
  keys: readonly unknown[],
): Promise<readonly (readonly (LotRow | null)[])[]> {
  const { kind, name } = lookup
  const isOne = keys.length === 1
  if (lookup === byId) {
    const ids = keys as string[]
    return isOne ? [[await cache.get(ids[0]!)]] : (await cache.getMany(ids)).map((row) => [row])
  }
  if (kind === 'list') return isOne ? [await cache.list(name, keys[0])] : cache.listMany(name, keys as never)
  if (isOne) return [[await cache.getBy(name, keys[0])]]
  return (await cache.getManyBy(name, keys as never)).map((row) => [row])
}

/** Reads everything that the lookups of a release answer. */
export async function readAllLots(
  cache: LotCache,
  release: Release,
  fundraisers: number,
  database: pg.Pool,
): Promise<LotAnswer[]> {
  const { rows } = await database.query<LotKey>('SELECT id, "fundraiserId", lot, status FROM "AuctionItem"')
  const answers: LotAnswer[] = []
  for (const lookup of lookupsOf(release))
    answers.push(...(await readLookup(cache, lookup, keysOf(lookup, rows, fundraisers))))
  return answers
}

/** All keys of a lookup that lots have or could be given. */
function keysOf({ by }: LotLookup, rows: readonly LotKey[], fundraisers: number): LotKey[] {
  const possible = Array.from({ length: fundraisers }, (_, number) => fundraiserIdOf(number)).flatMap(
    (fundraiserId) =>
      Array.from({ length: placesOfFundraiser }, (_, place) => placeOf(place)).flatMap((lot) =>
        statuses.map((status) => ({ id: '', fundraiserId, lot, status })),
      ),
  )
  const fields = by as readonly (keyof LotKey)[]
  const keys = [...rows, ...(by.includes('id') ? [] : possible)]
  return [...new Map(keys.map((key) => [textOf(fields.map((field) => key[field])), key])).values()]
}
