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

interface Note {
  id: string
  json: unknown
}
const notes = defineModelCache<Note>()({
  model: 'Note',
  schema: type({ id: 'string', json: 'unknown' }),
  id: 'id',
  ttl: '1h',
})

it('gives JSON of any depth to each of its callers', async () => {
  const [depth, step] = [20_000, '{"a":[']
  const text = step.repeat(depth) + ']}'.repeat(depth)
  const { cache } = createTestCache(notes, [{ id: 'a', json: JSON.parse(text) }])
  const given = await Promise.all([cache.get('a'), cache.get('a'), cache.get('a')])
  for (const row of given) {
    let [levels, level] = [0, row!.json as { a: unknown[] } | undefined]
    for (; level?.a; level = level.a[0] as typeof level) levels++
    expect(levels).toBe(depth)
  }
  expect(new Set(given.map((row) => row!.json)).size).toBe(3)
})

it('fails the callers of a row that cannot be copied, and no others', async () => {
  const reason = new Error('no connection')
  const lazy = {
    get: () => {
      throw reason
    },
    enumerable: true,
  }
  const rows = [{ id: 'a', json: 1 }, Object.defineProperty({ id: 'b', json: 2 }, 'json', lazy)]
  const { cache } = createTestCache(notes, rows)
  const ids = ['a', 'b', 'a', 'b', 'a']
  expect(await Promise.allSettled(ids.map((id) => cache.get(id)))).toEqual(
    ids.map((id) => (id === 'a' ? { status: 'fulfilled', value: rows[0] } : { status: 'rejected', reason })),
  )
  expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual([rows[0], rows[0]])
})
