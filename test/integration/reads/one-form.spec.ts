import { Decimal } from '@prisma/client/runtime/client'
import { Redis } from 'ioredis'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import { createLoadSource, createModelCache, createPrismaSource, ValkeyStore } from 'model-cache/advanced'
import type { ReadThroughCache } from 'model-cache/advanced'
import { patientMs } from '../../support/patience.js'
import { createDatabase, valkeyUrl } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'
import { createWinesClient, type Wine, WineRow, type WinesClient, winesSql } from './wines.js'

const { defineModelCache } = modelCaches()

const id = '0b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'
const wine = {
  zone: 'Pfalz',
  id,
  label: 'Rosé “No. 7”',
  code: 'R7',
  price: '-12.50',
  image: Buffer.from([1, 2, 255]),
  meta: { b: [1, { z: null, y: 'x' }], a: { '2': 1, '1': 2, 'esc"aped': true } },
  made: new Date('2024-10-26T09:12:19.363Z'),
  bottled: new Date('2025-01-01T00:00:00.001Z'),
  views: 2n ** 62n,
  tags: ['dry', 'é'],
  awards: [{ year: 2025, by: ['a'] }, [1]],
  rating: 4.5,
}

/** All that can be seen of a row: values, classes, keys and their order. */
function formOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (value instanceof Date) return [prototype, value.getTime()]
  if (Decimal.isDecimal(value)) return [prototype, value.constructor, value.s, value.e, value.d]
  if (value instanceof Uint8Array) return [prototype, [...value], value.byteOffset, value.buffer.byteLength]
  return [
    prototype,
    Object.isFrozen(value),
    ...Reflect.ownKeys(value).map((key) => [key, formOf((value as never)[key])]),
  ]
}

let database: TestDatabase
let client: WinesClient
let redis: Redis
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  database = await createDatabase()
  await database.run(winesSql)
  client = createWinesClient(database.url)
  await client.wine.create({ data: wine })
  redis = new Redis(valkeyUrl().replace('valkey', 'redis'))
})
beforeEach(() => redis.flushdb())
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})
afterAll(async () => {
  await client.$disconnect()
  redis.disconnect()
  await database.drop()
})

type Field = 'id' | 'label' | 'code'
interface Options {
  readonly id?: Field
  readonly format?: 'json'
  readonly rows?: 'shared'
  readonly l1?: { readonly ttl: '1m' }
}

async function openCache(options: Options = {}, load?: (ids: readonly string[]) => Promise<Wine[]>) {
  const { id: field = 'id', ...rest } = options
  const definition = defineModelCache<Wine>()({
    model: 'Wine',
    schema: WineRow,
    id: field,
    ttl: '1h',
    ...rest,
  })
  const store = new ValkeyStore({ url: valkeyUrl(), deadlineMs: patientMs })
  await store.connect()
  const writes = new ModelCacheWrites()
  const prisma = extendPrisma(createWinesClient(database.url), writes)
  const source = load
    ? createLoadSource<Wine, string>((_client, ids) => load(ids), undefined)
    : createPrismaSource<Wine, string>(prisma, { name: 'Wine', model: 'Wine', idFields: [field] })
  const loads: (readonly string[])[] = []
  const counted: typeof source = {
    ...source,
    load: (ids, within) => {
      loads.push(ids)
      return source.load(ids, within)
    },
  }
  const cache = createModelCache(definition as never, {
    store,
    source: counted as never,
    writes,
  }) as unknown as ReadThroughCache<Wine, string>
  closing.push(async () => {
    await cache.close()
    await Promise.all([store.close(), prisma.$disconnect()])
  })
  return { cache, loads, prisma, writes }
}

async function isInMemory(cache: ReadThroughCache<Wine, string>): Promise<boolean> {
  await cache.drain()
  const { l1 } = await cache.explain(id)
  return l1!.isHeld && l1!.isTrusted
}

describe('a row has one form for every caller', () => {
  const odd = async (): Promise<Wine[]> => {
    const [row] = await client.wine.findMany({})
    const turned = Object.fromEntries(Object.entries(row!).toReversed()) as unknown as Wine
    const image = Buffer.from(row!.image) as unknown as Wine['image']
    const price = new (Decimal.clone({ precision: 30 }))(row!.price)
    const meta = Object.assign(Object.create(null) as object, row!.meta)
    return [Object.assign(Object.create(null) as Wine, { ...turned, extra: 1, image, price, meta })]
  }

  it.each<[string, Options, typeof odd | undefined]>([
    ['of Prisma', {}, undefined],
    ['of Prisma, stored as JSON', { format: 'json' }, undefined],
    ['of Prisma, shared', { rows: 'shared' }, undefined],
    ['of a load that gives other keys, orders and classes', {}, odd],
    ['of such a load, stored as JSON', { format: 'json' }, odd],
    ['of such a load, shared', { rows: 'shared' }, odd],
  ])('%s', async (_, options, load) => {
    const { cache, loads, prisma } = await openCache(options, load)
    const rows = await cache.getMany([id, id, id])
    await cache.drain()
    const [hit, copy] = await Promise.all([cache.get(id), cache.get(id)])
    expect(loads).toEqual([[id]])
    rows.push(hit, copy)
    const { cache: other } = await openCache({ ...options, l1: { ttl: '1m' } }, load)
    rows.push(...(await other.getMany([id, id])))
    while (!(await isInMemory(other))) rows.push(...(await other.getMany([id, id])))
    rows.push(await other.get(id), ...(await other.getMany([id, id])))
    const alone = await cache.get(id)
    const inTransaction = await prisma.$transaction(() => cache.get(id))
    // Rows of a single caller are not frozen.
    expect(formOf(inTransaction)).toEqual(formOf(alone))
    expect(alone).toEqual(hit)
    if (options.rows !== 'shared') rows.push(alone)
    for (const [i, row] of rows.entries()) expect([i, formOf(row)]).toEqual([i, formOf(hit)])
    // That of the Prisma schema, which the source has of its client.
    const [row] = await client.wine.findMany({})
    const fields = Object.keys(load ? hit! : row!)
    expect(Object.keys(hit!)).toEqual(load ? fields.toSorted() : fields)
  })
})

describe('an id in another spelling', () => {
  const upper = id.toUpperCase()

  it.each<[string, Field, string[], string]>([
    ['a UUID', 'id', [upper, `{${id}}`, id.replaceAll('-', '')], 'FFFFFFFF-6D0F-4D7A-9B68-9E7C0F2F4C3A'],
    ['text that is compared without case', 'label', ['ROSÉ “NO. 7”', 'rosé “no. 7”'], 'Riesling'],
    ['text that is padded', 'code', ['R7', 'R7  '], 'R8'],
  ])('of %s gives the row or null, and is not stored', async (_, field, spellings, unknown) => {
    const { cache, loads, prisma } = await openCache({ id: field })
    const stored = wine[field].padEnd(field === 'code' ? 6 : 0)
    const row = await cache.get(stored)
    expect(row?.zone).toBe('Pfalz')
    await cache.drain()
    for (const spelling of spellings) expect([spelling, await cache.get(spelling)]).toEqual([spelling, row])
    const all = [stored, ...spellings, unknown]
    const expected = [row, ...spellings.map(() => row), null]
    for (const _ of ['once', 'again']) {
      expect(await cache.getMany(all)).toEqual(expected)
      expect(await prisma.$transaction(() => cache.getMany(all))).toEqual(expected)
      await cache.drain()
    }
    for (const other of [...spellings, unknown]) {
      expect([other, (await cache.explain(other)).stored.isHit]).toEqual([other, false])
    }
    loads.length = 0
    expect(await cache.get(stored)).toEqual(row)
    expect(loads).toEqual([])
  })

  it.each<[string, Field, string[], boolean]>([
    ['a UUID invalidates its row alone', 'id', [upper, `{${id}}`, id.replaceAll('-', '')], true],
    ['text that is compared without case invalidates all rows', 'label', ['ROSÉ “NO. 7”'], false],
    ['text that is padded invalidates all rows', 'code', ['R7'], false],
  ])('of %s', async (_, field, spellings, isAlone) => {
    const { cache, prisma, writes } = await openCache({ id: field })
    const another = await client.wine.create({
      data: { ...wine, id: '3b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a', label: 'Other', code: 'R3' },
    })
    const { [field]: stored } = (await cache.get(wine[field]))!
    const isHit = async (of: string) => (await cache.explain(of)).stored.isHit
    const ways = [
      (ids: string | string[]) => cache.invalidate(ids),
      (ids: string | string[]) => prisma.$transaction(() => cache.invalidate(ids)),
    ]
    for (const invalidate of ways) {
      for (const ids of [...spellings, [another[field], spellings[0]!]]) {
        await writes.released()
        await cache.getMany([stored, another[field]])
        await cache.drain()
        expect([ids, await isHit(stored), await isHit(another[field])]).toEqual([ids, true, true])
        await invalidate(ids)
        const isKept = isAlone && typeof ids === 'string'
        expect([ids, await isHit(stored), await isHit(another[field])]).toEqual([ids, false, isKept])
      }
    }
    await database.run(`DELETE FROM "Wine" WHERE id = '${another.id}'`)
  })

  it('does not hide a row that is created under the one in which it is stored', async () => {
    const { cache, prisma } = await openCache()
    const created = '1b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'
    for (const spelling of [created, created.toUpperCase()]) expect(await cache.get(spelling)).toBeNull()
    await cache.drain()
    await prisma.wine.create({ data: { ...wine, id: created, label: 'Another', code: 'R9' } })
    for (const spelling of [created, created.toUpperCase()])
      expect(await cache.get(spelling)).toMatchObject({ id: created, label: 'Another' })
  })

  it('is cached as not found where the schema says that it has no other', async () => {
    const absent = '2b9c1f5e-6d0f-4d7a-9b68-9e7c0f2f4c3a'
    const { cache, loads } = await openCache()
    for (const _ of ['once', 'again']) {
      expect(await cache.get(absent)).toBeNull()
      await cache.drain()
    }
    expect(loads).toEqual([[absent]])
  })
})
