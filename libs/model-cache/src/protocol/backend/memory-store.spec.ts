import { jest } from '@jest/globals'
import { describeStore } from '../../testing/describe-store.js'
import { writeValue } from '../../testing/write-value.js'
import { MemoryStore } from './memory-store.js'
import type { CatalogueRequest } from './store.js'

describeStore('MemoryStore', { create: () => new MemoryStore() })

describe('MemoryStore', () => {
  it('holds at most the maximum number of entries, and evicts the least recently used', async () => {
    const store = new MemoryStore({ maxEntries: 2 })
    const { text } = await store.change('register', {
      kind: 'join',
      listing: 'p:d',
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
      store.releaseFences([{ key: name, guard: `${name}:l` }], { token: '', holdMs: 0, markMs })
    for (const name of ['a', 'b']) await release(name, 60_000)
    expect(await store.mayEvictGuards()).toBe(false)
    await release('c', 60_000)
    expect(await store.mayEvictGuards()).toBe(true)
  })

  it('reports evicted guards until the millisecond at which the last of them would have expired', async () => {
    const store = new MemoryStore({ maxEntries: 1 })
    const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000)
    for (const [name, markMs] of [
      ['a', 100],
      ['b', 50],
      ['c', 1],
    ] as const)
      await store.releaseFences([{ key: name, guard: `${name}:l` }], { token: '', holdMs: 0, markMs })
    now.mockReturnValue(1_000_099)
    expect(await store.mayEvictGuards()).toBe(true)
    now.mockReturnValue(1_000_100)
    expect(await store.mayEvictGuards()).toBe(false)
    now.mockRestore()
  })

  it('does not count guards as evicted that end, or are replaced', async () => {
    const store = new MemoryStore({ maxEntries: 1 })
    const row = { key: 'a', guard: 'a:l' }
    const request = { token: 't', leaseMs: 60_000, onlyAbsent: true, onlyUnmarked: false }
    const [answer] = await store.leaseMany([row], request)
    await store.releaseLeases([row], answer!.token!)
    for (const token of ['v', 'w']) await store.fenceMany([row], { token, fenceMs: 60_000, markMs: 60_000 })
    expect(await store.mayEvictGuards()).toBe(false)
  })

  it('remembers a write until the millisecond at which its time ends', async () => {
    const store = new MemoryStore({ maxEntries: 1 })
    const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000)
    await store.releaseFences([{ key: 'a', guard: 'a:l' }], { token: '', holdMs: 0, markMs: 100 })
    const isRefused = async (): Promise<boolean> => {
      const request = { token: 't', leaseMs: 1, onlyAbsent: true, onlyUnmarked: true }
      return (await store.leaseMany([{ key: 'a', guard: 'a:l' }], request))[0]!.refusal !== null
    }
    now.mockReturnValue(1_000_099)
    expect(await isRefused()).toBe(true)
    now.mockReturnValue(1_000_100)
    expect(await isRefused()).toBe(false)
    now.mockRestore()
  })

  it('has a catalogue whose version changes with its entries', async () => {
    const store = new MemoryStore()
    const ask = (request: Partial<CatalogueRequest>) =>
      store.askCatalogue('catalogue', { known: '', isWriter: false, ...request })
    const put = (field: string) => new Map([[field, 'text']])
    const { entries, nowMs, version } = await ask({ put: put('a') })
    expect(entries![0]!.putMs).toBeGreaterThanOrEqual(nowMs)
    const unknown = { field: 'x', text: '', addedMs: 0, putMs: 1 }
    expect((await ask({ known: version, remove: [unknown] })).version).toBe(version)
    const changed = await ask({ known: version, remove: entries!, put: put('b') })
    expect(changed.entries).toMatchObject([{ field: 'b' }])
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses a size of %p', (maxEntries) => {
    expect(() => new MemoryStore({ maxEntries })).toThrow('option "memory.maxEntries"')
  })
})
