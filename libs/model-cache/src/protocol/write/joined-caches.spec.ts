import { FlakyStore } from '../../testing/flaky-store.js'
import { MemoryStore } from '../backend/memory-store.js'
import { consistencySettings } from '../settings.js'
import { JoinedCaches } from './joined-caches.js'
import { NamespaceCaches } from './namespace-caches.js'
import type { WrittenCache } from './written-cache.js'

function open() {
  const store = new FlakyStore(new MemoryStore())
  const caches = new NamespaceCaches({
    store,
    namespace: 'mc',
    consistency: consistencySettings({}),
    log: { warn: () => {}, info: () => {} },
  })
  return { caches, store }
}

const cacheOf = (layout: string): WrittenCache => ({
  affectedBy: undefined,
  description: undefined,
  rowIdOf: () => layout,
  layout,
  writes: {} as never,
  onAllWritten: () => {},
})

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(cacheOf) as [
  WrittenCache,
  WrittenCache,
  WrittenCache,
  WrittenCache,
]

describe('the caches of several namespaces', () => {
  it('are none without a namespace', async () => {
    const joined = new JoinedCaches([])
    expect([joined.all, await joined.ask()]).toEqual([[], []])
  })

  it('are the list of the only namespace', () => {
    const { caches } = open()
    caches.add(a)
    expect(new JoinedCaches([caches]).all).toBe(caches.all)
  })

  it('are one list, which stays the same until that of a namespace changes', () => {
    const [one, other, third] = [open().caches, open().caches, open().caches]
    const namespaces = [one, other]
    const joined = new JoinedCaches(namespaces)
    one.add(a)
    other.add(b)
    const { all } = joined
    expect(all).toEqual([a, b])
    expect(joined.all).toBe(all)
    other.add(c)
    expect(joined.all).toEqual([a, b, c])
    third.add(d)
    namespaces.push(third)
    expect(joined.all).toEqual([a, b, c, d])
  })

  it.each([1, 2])(
    'are looked for in each of %i, which says whether its store has answered',
    async (count) => {
      const opened = Array.from({ length: count }, open)
      const joined = new JoinedCaches(opened.map(({ caches }) => caches))
      expect(await joined.ask()).toEqual([])
      expect(opened.map(({ store }) => store.calls.askCatalogue)).toEqual(opened.map(() => 1))
      for (const { store } of opened) store.fail('askCatalogue')
      expect(await joined.ask()).toEqual(opened.map(({ caches }) => caches))
    },
  )
})
