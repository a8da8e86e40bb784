import { describeStore } from '../testing/describe-store.js'
import { MemoryStore } from './memory-store.js'

describeStore('MemoryStore', { create: () => new MemoryStore() })

describe('MemoryStore', () => {
  it('holds no more entries than it may, and keeps those that were used last', async () => {
    const store = new MemoryStore({ maxEntries: 2 })
    await store.set('epoch', 'E')
    for (const key of ['a', 'b']) await store.setMany([{ key, value: key, ttlMs: 60_000 }])
    await store.getMany(['a'])
    await store.setMany([{ key: 'c', value: 'c', ttlMs: 60_000 }])
    expect(await store.getMany(['a', 'b', 'c', 'epoch'])).toEqual(['a', null, 'c', 'E'])
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a size of %p', (maxEntries) => {
    expect(() => new MemoryStore({ maxEntries })).toThrow('option "memory.maxEntries"')
  })
})
