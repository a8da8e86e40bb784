import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { decimalOf } from '../codec/row-types.js'
import { MemoryStore } from '../protocol/index.js'
import { createTestCache } from '../testing/test-cache.js'
import { defineModelCache, type ModelCacheOptions } from './policy/definition.js'

/** A class of a user's own that loses its cents as text. */
class Rounded {
  readonly s = 1
  readonly cents: number
  constructor(text: string) {
    this.cents = Math.round(Number(text) * 100)
  }
  static isDecimal(value: unknown): boolean {
    return value instanceof Rounded
  }
  isZero(): boolean {
    return this.cents === 0
  }
  toString(): string {
    return String(Math.round(this.cents / 100))
  }
}

interface Lot {
  id: string
  price: Rounded
  endsAt: Date
}
const schema = type({ id: 'string', price: decimalOf(Rounded), endsAt: 'Date' })
const lot = (id: string, cents = 123): Lot => ({
  id,
  price: new Rounded(String(cents / 100)),
  endsAt: new Date(7),
})

function openUnproven(options: Partial<ModelCacheOptions<Lot, typeof schema, 'id'>> = {}) {
  const definition = defineModelCache<Lot>()({ model: 'Lot', schema, id: 'id', ttl: '10m', ...options })
  const store = new MemoryStore()
  const warnings: string[] = []
  const warn = (message: string): void => void warnings.push(message)
  const opened = createTestCache(definition, [lot('a'), lot('b')], { store, warn })
  return { ...opened, store, warnings }
}

describe('a cache whose codec fails its proof', () => {
  it.each([
    ['copies', {}],
    ['shared rows', { rows: 'shared' }],
    ['L1', { l1: { ttl: '1m' } }],
  ] as const)('reads every row from its source, and stores none (%s)', async (_, options) => {
    const { cache, loads, rows } = openUnproven(options)
    for (const cents of [123, 456]) {
      rows[0] = lot('a', cents)
      expect((await cache.get('a'))!.price.cents).toBe(cents)
      await cache.drain()
    }
    expect(await cache.get('c')).toBeNull()
    expect(loads.slice(0, 2)).toEqual([['a'], ['a']])
    expect(await cache.explain('a')).toMatchObject({ stored: { isHit: false } })
    await cache.close()
  })

  it('neither reads nor removes what another process has stored', async () => {
    const { cache, store, loads } = openUnproven()
    const sound = type({ id: 'string', price: decimalOf(Decimal), endsAt: 'Date' })
    const definition = defineModelCache<typeof sound.infer>()({
      model: 'Lot',
      schema: sound,
      id: 'id',
      ttl: '10m',
    })
    const other = createTestCache(
      definition,
      [{ id: 'a', price: new Decimal('9.99'), endsAt: new Date(7) }],
      { store },
    )
    await other.cache.get('a')
    await other.cache.drain()
    expect((await cache.get('a'))!.price.cents).toBe(123)
    await cache.drain()
    expect((await other.cache.get('a'))!.price).toEqual(new Decimal('9.99'))
    expect([loads, other.loads]).toEqual([[['a']], [['a']]])
    await Promise.all([cache.close(), other.cache.close()])
  })

  it('gives each caller a row of its own', async () => {
    const { cache } = openUnproven()
    const rows = await Promise.all(['a', 'a', 'a'].map((id) => cache.get(id)))
    expect(rows).toEqual([lot('a'), lot('a'), lot('a')])
    expect(new Set(rows.flatMap((row) => [row, row!.endsAt])).size).toBe(6)
    await cache.close()
  })

  it('takes primed rows without storing them', async () => {
    const { cache, loads } = openUnproven()
    await cache.prime([lot('a', 999)])
    expect((await cache.get('a'))!.price.cents).toBe(123)
    expect(loads).toEqual([['a']])
    await cache.close()
  })

  it('logs one warning, with model, path and remedy, before its first read if it is proved before', async () => {
    const { cache, warnings } = openUnproven()
    cache.prove()
    cache.prove()
    expect(warnings).toEqual([
      expect.stringMatching(
        /"Lot".* at "price".* leave the field out of the schema.* reads all rows from their source, and stores none\./,
      ),
    ])
    await cache.getMany(['a', 'b'])
    await cache.prime([lot('a')])
    await cache.drain()
    expect(warnings).toHaveLength(1)
    await cache.close()
  })
})
