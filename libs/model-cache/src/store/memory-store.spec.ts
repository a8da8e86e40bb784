import { describeStore } from '../testing/describe-store.js'
import { writeValue } from '../testing/write-value.js'
import { MemoryStore } from './memory-store.js'

describeStore('MemoryStore', { create: () => new MemoryStore() })

describe('MemoryStore', () => {
  it('holds no more entries than it may, and keeps those that were used last', async () => {
    // One of them is the lease of who writes.
    const store = new MemoryStore({ maxEntries: 3 })
    await store.change('register', { kind: 'settle', scope: 'all', token: '', holdMs: 0, word: 'W' })
    for (const key of ['a', 'b']) await writeValue(store, key, key, 60_000)
    await store.getMany(['a'])
    await writeValue(store, 'c', 'c', 60_000)
    expect(await store.getMany(['a', 'b', 'c', 'register'])).toEqual(['a', null, 'c', 'W;W;;;'])
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a size of %p', (maxEntries) => {
    expect(() => new MemoryStore({ maxEntries })).toThrow('option "memory.maxEntries"')
  })
})
