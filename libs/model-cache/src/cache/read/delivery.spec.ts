import { type } from 'arktype'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from '../policy/definition.js'

interface Part {
  id: string
  at: Date
}
const definition = defineModelCache<Part>()({
  model: 'Part',
  schema: type({ id: 'string', at: 'Date' }),
  id: 'id',
  ttl: '1h',
})

describe('a row that does not match its schema', () => {
  it('is given whole to each of its callers', async () => {
    // The schema has a date, which copies by it would have to have.
    const row = { id: 'a', more: { than: ['the schema'] } } as unknown as Part
    const { cache } = createTestCache(definition, [row])
    const rows = await Promise.all(Array.from({ length: 40 }, () => cache.get('a')))
    for (const given of rows) expect(given).toEqual(row)
    expect(new Set(rows).size).toBe(40)
  })
})

describe('copies of a row', () => {
  it.each([1, 2, 16, 17, 18, 300])('are as many as it has callers (%d)', async (count) => {
    const parts = ['a', 'b', 'c'].map((id) => ({ id, at: new Date(7) }))
    const { cache } = createTestCache(definition, parts)
    for (const _ of ['source', 'store']) {
      const asked = parts.flatMap(({ id }) => Array.from({ length: count }, () => cache.get(id)))
      const rows = await Promise.all(asked)
      expect(rows).toEqual(parts.flatMap((part) => Array<Part>(count).fill(part)))
      expect(new Set(rows).size).toBe(3 * count)
      await cache.drain()
    }
  })

  it('are made of many rows at once', async () => {
    const parts = Array.from({ length: 600 }, (_, i) => ({ id: `${i}`, at: new Date(i) }))
    const { cache } = createTestCache(definition, parts)
    const ids = parts.flatMap(({ id }) => [id, id])
    const rows = await cache.getMany(ids)
    expect(rows.map((row) => row!.id)).toEqual(ids)
    expect(new Set(rows).size).toBe(1_200)
    await cache.drain()
  })
})
