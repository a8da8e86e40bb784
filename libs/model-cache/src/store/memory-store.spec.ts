import { describeStore } from '../testing/describe-store.js'
import { writeValue } from '../testing/write-value.js'
import { MemoryStore } from './memory-store.js'

describeStore('MemoryStore', { create: () => new MemoryStore() })

describe('MemoryStore', () => {
  it('holds at most the maximum number of entries, and evicts the least recently used', async () => {
    const store = new MemoryStore({ maxEntries: 2 })
    const { text } = await store.change('register', {
      kind: 'join',
      fingerprint: 'p',
      lifeMs: 60_000,
      markMs: 1,
    })
    for (const key of ['a', 'b']) await writeValue(store, key, key, 60_000)
    await store.getMany(['a'])
    await writeValue(store, 'c', 'c', 60_000)
    expect(await store.getMany(['a', 'b', 'c', 'register'])).toEqual(['a', null, 'c', text])
  })

  it('reports evicted guards only after it has evicted one that has not expired', async () => {
    const store = new MemoryStore({ maxEntries: 2 })
    const release = (name: string, markMs: number) =>
      store.releaseFences([{ key: name, guard: `${name}:l` }], '', 0, markMs)
    for (const name of ['a', 'b']) await release(name, 60_000)
    expect(await store.mayEvictGuards()).toBe(false)
    await release('c', 60_000)
    expect(await store.mayEvictGuards()).toBe(true)
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a size of %p', (maxEntries) => {
    expect(() => new MemoryStore({ maxEntries })).toThrow('option "memory.maxEntries"')
  })
})
