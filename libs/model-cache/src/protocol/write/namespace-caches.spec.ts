import { describedLots } from '../../../../../test/support/described-lots.js'
import { eventually, turns } from '../../../../../test/support/eventually.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { MemoryStore } from '../backend/memory-store.js'
import type { CatalogueAnswer, CatalogueRequest } from '../backend/store.js'
import { entryOf } from '../registry/cache-description.js'
import { modelKeys } from '../format/key-space.js'
import { consistencySettings } from '../settings.js'
import { NamespaceCaches } from './namespace-caches.js'
import type { WrittenCache } from './affected-cache.js'

const lots = describedLots()

/** Its answers about the catalogue come when the test says so. */
class HeldStore extends FlakyStore {
  gate: Promise<void> | undefined

  override async askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    const answer = await super.askCatalogue(key, request)
    await this.gate
    return answer
  }
}

function open() {
  const store = new HeldStore(new MemoryStore())
  const logged: string[] = []
  const caches = new NamespaceCaches({
    store,
    namespace: 'mc',
    consistency: consistencySettings({}),
    log: { warn: (text) => void logged.push(text), info: () => void logged.push('info') },
  })
  const { field, text } = entryOf(lots, 'print')
  const describeCache = () =>
    store.askCatalogue('mc:{catalogue}', { known: '', isWriter: false, put: new Map([[field, text]]) })
  const register = async () => (await store.getMany([modelKeys('mc', 'Lot').registerKey]))[0]
  return { describeCache, caches, logged, register, store }
}

/** A cache of this process, and the ends of writes after which all its rows were released. */
function ownCache(layout: string) {
  const ends: unknown[] = []
  const cache: WrittenCache = {
    affectedBy: undefined,
    description: undefined,
    rowIdOf: () => layout,
    layout,
    fences: { releaseAll: async (_: string, __: string, end: string) => void ends.push(end) } as never,
    onAllWritten: () => {},
  }
  return { cache, ends }
}

describe('the caches of a namespace', () => {
  it('warn once that rows are loaded from replicas', () => {
    const { caches, logged } = open()
    caches.warnOfReplicas()
    caches.warnOfReplicas()
    expect(logged).toEqual([
      expect.stringContaining('caches of namespace "mc" load rows through a client that reads from replicas'),
    ])
  })

  it('of other processes are emptied once more when this one ends', async () => {
    const { describeCache, caches, register, store } = open()
    await describeCache()
    await caches.ask()
    store.fail('change')
    await caches.of('Lot')[0]!.fences.releaseAll('', 'all')
    store.recover()
    await caches.stop()
    expect(await register()).toEqual(expect.any(String))
  })

  it('count as missed if one of several writes did not know them, and as still being written if one of these may commit', async () => {
    const { caches, store } = open()
    const [one, other] = [ownCache('one'), ownCache('other')]
    caches.add(one.cache)
    caches.add(other.cache)
    store.fail('askCatalogue')
    caches.catchUp({ known: new Set([one.cache]), models: new Set(['Lot']), end: 'unknown' })
    expect([one.ends, other.ends]).toEqual([[], ['unknown']])
    caches.catchUp({ known: new Set([other.cache]), models: new Set(['Lot']), end: 'known' })
    expect([one.ends, other.ends]).toEqual([['unknown'], ['unknown', 'unknown']])
    caches.catchUp({ known: new Set([one.cache, other.cache]), models: new Set(['Lot']), end: 'known' })
    expect(one.ends).toHaveLength(2)
    await caches.stop()
  })

  it('are looked for again if a write has ended meanwhile', async () => {
    const { caches, logged, store } = open()
    const gate = Promise.withResolvers<void>()
    store.gate = gate.promise
    caches.catchUp({ known: new Set(), models: new Set(['Lot']), end: 'known' })
    await eventually(() => store.calls.askCatalogue === 1)
    caches.catchUp({ known: new Set(), models: new Set(['Lot']), end: 'known' })
    gate.resolve()
    await eventually(() => logged.includes('info'))
    expect(store.calls.askCatalogue).toBe(2)
  })

  it('are logged with the models that were written, and with the reason, also when the process ends before', async () => {
    const { caches, logged, store } = open()
    store.fail('askCatalogue')
    await caches.ask()
    caches.catchUp({ known: new Set(), models: new Set(['Lot']), end: 'known' })
    caches.catchUp({ known: new Set(), models: new Set(['Lot', 'Bid']), end: 'known' })
    await caches.stop()
    expect(logged).toEqual([
      expect.stringMatching(/processes its writes to Lot affect[^]*The reason: ./),
      expect.stringMatching(/closed before[^]*the writes to Lot, Bid needed[^]*The reason: ./),
    ])
  })

  it('are not waited for when the process ends', async () => {
    const { caches, store } = open()
    store.fail('askCatalogue')
    caches.catchUp({ known: new Set(), models: new Set(['Lot']), end: 'known' })
    let hasStopped = false
    void caches.stop().then(() => (hasStopped = true))
    await turns()
    expect(hasStopped).toBe(true)
  })
})
