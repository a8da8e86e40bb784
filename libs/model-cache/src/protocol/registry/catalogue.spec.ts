import { describedLots } from '../../../../../test/support/described-lots.js'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../../../../test/support/eventually.js'
import { MemoryStore } from '../backend/memory-store.js'
import type { CatalogueAnswer, CatalogueCheck, CatalogueRequest } from '../backend/store.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { affectingTables, type CacheDescription, layoutOf } from './cache-description.js'
import { Catalogue } from './catalogue.js'
import { modelKeys } from '../format/key-space.js'
import { NamespaceCaches } from '../write/namespace-caches.js'
import { consistencySettings } from '../settings.js'
import type { WrittenCache } from '../write/affected-cache.js'

const lots = describedLots({ dependsOn: ['Sale'] })
const bids: CacheDescription = { ...lots, name: 'Bid', model: 'Bid', dependsOn: [] }

/** Records what the catalogue is asked, and can lose it. */
class AskedStore extends FlakyStore {
  readonly requests: CatalogueRequest[] = []
  #lost = 0

  override askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    this.requests.push(request)
    return super.askCatalogue(key + '!'.repeat(this.#lost), request)
  }
  lose(): void {
    this.#lost++
  }
}

const open = () => new AskedStore(new MemoryStore())

/** Its servers are checked by the test, and its answers come when the test says so. */
class CheckedStore extends AskedStore {
  check!: (check: CatalogueCheck) => void
  /** What the next answer waits for. */
  gate: Promise<void> | undefined

  watchCatalogue(_key: string, listener: (check: CatalogueCheck) => void): () => void {
    this.check = listener
    return () => (this.check = () => {})
  }
  override async askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    const answer = await super.askCatalogue(key, request)
    await this.gate
    return answer
  }
}

async function openChecked() {
  const store = new CheckedStore(new MemoryStore())
  const catalogue = new Catalogue(store, 'mc')
  let losses = 0
  catalogue.onLoss(() => losses++)
  store.check({ finding: 'new', epoch: null })
  await catalogue.read()
  return { store, catalogue, losses: () => losses }
}

describe('the catalogue', () => {
  it('is asked once in a turn, and again in another', async () => {
    const store = open()
    const catalogue = new Catalogue(store, 'mc')
    await Promise.all([catalogue.ask(), catalogue.ask()])
    expect(store.requests.map(({ isWriter }) => isWriter)).toEqual([true])
    await catalogue.ask()
    await catalogue.read()
    expect(store.requests.map(({ isWriter }) => isWriter)).toEqual([true, true, false])
    expect(store.calls.getMany).toBe(0)
    await Promise.all([catalogue.readEpoch(), catalogue.readEpoch()])
    await catalogue.readEpoch()
    expect(store.calls.getMany).toBe(2)
  })

  it('is known once it has been read, and its list stays the same until it changes', async () => {
    const store = open()
    const [catalogue, other] = [new Catalogue(store, 'mc'), new Catalogue(store, 'mc')]
    expect([catalogue.isKnown, catalogue.epoch, catalogue.caches]).toEqual([false, null, []])
    const field = other.add(lots, 'p')
    expect([other.has(field), other.storableFromMs(field, 10)]).toEqual([false, undefined])
    await other.describe(field)
    await catalogue.read()
    const { caches } = catalogue
    expect(catalogue.fingerprintsOf(layoutOf(lots))).toEqual(['p'])
    expect([catalogue.isKnown, catalogue.epoch, caches.map(({ name }) => name)]).toEqual([
      true,
      other.epoch,
      ['Lot'],
    ])
    await catalogue.read()
    expect(catalogue.caches).toBe(caches)
    other.add({ ...lots }, 'q')
    await other.describe(other.add(bids, 'r'))
    await catalogue.read()
    expect(catalogue.fingerprintsOf(layoutOf(lots))).toEqual(['p', 'q'])
  })

  it('lets a cache store rows at once if nobody has written before it, and else once such writes have ended', async () => {
    const store = open()
    const [catalogue, writer] = [new Catalogue(store, 'mc'), new Catalogue(store, 'mc')]
    const early = catalogue.add(lots, 'p')
    await catalogue.describe(early)
    await writer.ask()
    const late = catalogue.add(bids, 'p')
    await catalogue.describe(late)
    expect(catalogue.storableFromMs(early, 10_000)).toBe(0)
    const waitMs = catalogue.storableFromMs(late, 10_000)! - performance.now()
    expect(waitMs).toBeGreaterThan(5_000)
    expect(waitMs).toBeLessThanOrEqual(10_001)
  })

  it('counts a writer once replicas have it, where the answer has another epoch, and with a cache of its own', async () => {
    const store = open()
    const catalogue = new Catalogue(store, 'mc', 1)
    for (let i = 0; i < 2; i++) await catalogue.ask()
    store.lose()
    for (let i = 0; i < 2; i++) await catalogue.ask()
    catalogue.add(lots, 'p')
    for (let i = 0; i < 2; i++) await catalogue.ask()
    expect(store.requests.map(({ replicas }) => replicas)).toEqual([1, 0, 0, 1, 0, 1, 0])
  })

  it('gets back what it has lost of others as one of them is described, which makes nobody a writer', async () => {
    const store = open()
    const catalogue = new Catalogue(store, 'mc')
    const fields = [catalogue.add(lots, 'p'), catalogue.add(bids, 'p')] as const
    for (const field of fields) await catalogue.describe(field)
    store.lose()
    await catalogue.describe(fields[0])
    expect(store.requests.map(({ put }) => [...put!.keys()])).toEqual([
      [...fields],
      [fields[1]],
      [fields[0]],
      [fields[1]],
    ])
    expect(store.requests.map(({ isWriter }) => isWriter)).toEqual([false, false, false, false])
  })

  it('does not forget a cache by an older answer that comes later, over another connection', async () => {
    const store = new CheckedStore(new MemoryStore())
    const [catalogue, other] = [new Catalogue(store, 'mc', 1), new Catalogue(store, 'mc')]
    await catalogue.read()
    const { promise, resolve } = Promise.withResolvers<void>()
    store.gate = promise
    // It waits until replicas have acknowledged it.
    const describing = catalogue.describe(catalogue.add(bids, 'p'))
    await new Promise(setImmediate)
    store.gate = undefined
    await other.describe(other.add(lots, 'p'))
    await catalogue.ask()
    const { caches } = catalogue
    expect(caches.map(({ name }) => name)).toEqual(['Bid', 'Lot'])
    resolve()
    await describing
    expect(catalogue.caches).toBe(caches)
  })

  it('loses entries of others that are removed, unless these have put them again', async () => {
    const store = open()
    const [catalogue, other] = [new Catalogue(store, 'mc'), new Catalogue(store, 'mc')]
    const own = catalogue.add(lots, 'own')
    await catalogue.describe(own)
    const fields = [other.add(lots, 'old'), other.add(bids, 'old')]
    await other.describe(fields[0]!)
    await catalogue.read()
    const read = catalogue.entriesOfOthers
    expect(read.map(({ field }) => field)).toEqual(fields)
    await other.describe(fields[1]!)
    await catalogue.remove(read)
    expect(catalogue.entriesOfOthers.map(({ field }) => field)).toEqual([fields[1]])
    expect(store.requests.at(-1)!.isWriter).toBe(false)
    // The answer says when it was put.
    await catalogue.remove(catalogue.entriesOfOthers)
    expect([catalogue.has(own), catalogue.entriesOfOthers]).toEqual([true, []])
    expect(catalogue.own).toEqual(['Lot'])
    catalogue.forget(own)
    expect(catalogue.own).toEqual([])
  })
})

describe('a check of the server of the catalogue', () => {
  it('that finds the known epoch, or none yet, changes nothing', async () => {
    const { store, catalogue, losses } = await openChecked()
    const { epoch } = catalogue
    store.check({ finding: 'live', epoch })
    store.check({ finding: 'unknown', epoch: undefined })
    expect([catalogue.epoch, losses(), catalogue.losses]).toEqual([epoch, 0, 0])
  })

  it('is reported, and loses nothing before the catalogue has been read', async () => {
    const store = new CheckedStore(new MemoryStore())
    const found: string[] = []
    const catalogue = new Catalogue(store, 'mc', 0, (finding) => void found.push(finding))
    store.check({ finding: 'old', epoch: 'other' })
    expect([found, catalogue.losses]).toEqual([['old'], 0])
    await catalogue.read()
    expect([catalogue.epoch, catalogue.losses]).toEqual([expect.any(String), 0])
  })

  it('that finds another epoch takes the known one away, once, until the store has been asked', async () => {
    const { store, catalogue, losses } = await openChecked()
    const { epoch } = catalogue
    for (let i = 0; i < 2; i++) store.check({ finding: 'old', epoch: 'other' })
    expect([catalogue.epoch, losses(), catalogue.losses]).toEqual([null, 1, 1])
    await catalogue.read()
    expect([catalogue.epoch, losses()]).toEqual([epoch, 1])
  })

  it('does not count answers to what was sent before it', async () => {
    const { store, catalogue } = await openChecked()
    const { epoch } = catalogue
    const { promise, resolve } = Promise.withResolvers<void>()
    store.gate = promise
    const early = catalogue.read()
    store.check({ finding: 'old', epoch: 'second' })
    const late = catalogue.read()
    store.check({ finding: 'old', epoch: 'third' })
    resolve()
    await Promise.all([early, late])
    expect(catalogue.epoch).toBeNull()
    await catalogue.read()
    expect(catalogue.epoch).toBe(epoch)
  })
})

describe('the known caches', () => {
  const openKnown = (mode: 'available' | 'strict' = 'available', store = open()) => {
    const logged: string[] = []
    const known = new NamespaceCaches({
      store,
      namespace: 'mc',
      consistency: consistencySettings({ mode }),
      log: { warn: () => logged.push('warn'), info: () => logged.push('info') },
    })
    const cacheOf = (description: CacheDescription) => {
      const released: unknown[] = []
      const fences = { releaseAll: async (...args: unknown[]) => void released.push(args) }
      const cache = {
        affectedBy: affectingTables(description),
        description,
        layout: layoutOf(description),
        fences,
      } as unknown as WrittenCache
      return { cache, released }
    }
    return { known, logged, store, cacheOf }
  }

  /** Another process describes a cache. */
  async function describeCache(store: AskedStore, description: CacheDescription, fingerprint = 'p') {
    const catalogue = new Catalogue(store, 'mc')
    await catalogue.describe(catalogue.add(description, fingerprint))
  }

  const epochOf = async (store: AskedStore, name: string) =>
    (await store.getMany([modelKeys('mc', name).registerKey]))[0]?.split(';')[0]

  it('hear of no server once the process has ended, whose store others may use', async () => {
    const store = new CheckedStore(new MemoryStore())
    const { known, logged } = openKnown('available', store)
    await known.catalogue.read()
    await known.stop()
    store.check({ finding: 'old', epoch: 'other' })
    expect([known.catalogue.losses, logged]).toEqual([0, []])
  })

  it('are those of the process, and those that the catalogue lists for others', async () => {
    const { known, store, cacheOf } = openKnown()
    const { cache } = cacheOf(bids)
    known.add(cache)
    await describeCache(store, bids)
    await describeCache(store, lots)
    expect(known.all).toEqual([cache])
    expect(await known.ask()).toBeUndefined()
    expect(known.all).toBe(known.all)
    expect(known.of('Lot')).toBe(known.of('Lot'))
    expect(known.all.map(({ description }) => description!.name)).toEqual(['Bid', 'Lot'])
    expect(known.of('Bid').map(({ fences }) => fences)).toEqual([cache.fences])
    expect(known.of('Other')).toEqual([])
    expect(known.of('Sale').map(({ idFields }) => idFields)).toEqual([[]])
    const [lot] = known.of('Lot')
    expect([lot!.idFields, lot!.rowIdOf({ id: 'a' })]).toEqual([['id'], 'a'])
    // Another fingerprint of the same cache is written by the same view of it.
    await describeCache(store, lots, 'q')
    await known.ask()
    expect(known.of('Lot').map(({ fences }) => fences)).toEqual([lot!.fences])
    expect(known.of('Lot')[0]!.fences).toBe(lot!.fences)
  })

  it('of a newer version are affected by every write, if their models are unknown', async () => {
    const { known, store } = openKnown()
    await store.askCatalogue('mc:{catalogue}', {
      known: '',
      isWriter: false,
      put: new Map([['New:p:d', '{}']]),
    })
    await known.ask()
    const [cache] = known.of('Any')
    expect([known.all[0]!.description, cache!.idFields, cache!.lookups]).toEqual([undefined, [], []])
    expect(() => cache!.rowIdOf({})).toThrow(TypeError)
  })

  it('that a write has missed are emptied as soon as the store answers, and no others', async () => {
    const { known, logged, store, cacheOf } = openKnown()
    const own = cacheOf(bids)
    known.add(own.cache)
    await describeCache(store, lots)
    await describeCache(store, { ...lots, name: 'Missed' })
    store.fail('askCatalogue')
    known.catchUp({ known: new Set([own.cache]), models: new Set(['Lot']), end: 'known' })
    known.catchUp({ known: new Set([own.cache]), models: new Set(['Lot']), end: 'known' })
    await delay(150)
    expect([logged, own.released]).toEqual([['warn'], []])
    const before = await epochOf(store, 'Lot')
    store.recover()
    await eventually(() => logged.includes('info'))
    expect(own.released).toEqual([])
    expect([await epochOf(store, 'Lot'), await epochOf(store, 'Missed')]).toEqual([
      expect.any(String),
      expect.any(String),
    ])
    expect(await epochOf(store, 'Lot')).not.toBe(before)
    expect(logged).toEqual(['warn', 'info'])
    await known.stop()
  })

  it('of this process that a write has missed are bypassed at once, and emptied', async () => {
    const { known, logged, store, cacheOf } = openKnown()
    const [first, second, third] = [cacheOf(bids), cacheOf(lots), cacheOf({ ...lots, name: 'Late' })]
    known.add(first.cache)
    known.add(second.cache)
    store.fail('askCatalogue')
    known.catchUp({ known: new Set([first.cache]), models: new Set(['Lot']), end: 'known' })
    expect([first.released, second.released]).toEqual([[], [['', 'all', 'known']]])
    known.add(third.cache)
    expect(third.released).toEqual([['', 'all', 'known']])
    // The caches that both writes knew.
    known.catchUp({ known: new Set([second.cache]), models: new Set(['Lot']), end: 'unknown' })
    expect(first.released).toEqual([['', 'all', 'unknown']])
    store.recover()
    await eventually(() => logged.includes('info'))
    expect(first.released).toHaveLength(2)
    expect(first.released[1]).toEqual(['', 'all', 'unknown'])
    await known.stop()
    // All is known again.
    const fourth = cacheOf({ ...lots, name: 'Later' })
    known.add(fourth.cache)
    expect(fourth.released).toEqual([])
  })

  it.each([
    ['can', ['warn', 'info']],
    ['cannot', ['warn', 'warn']],
  ])(
    'are caught up with once more when the process ends, which %s read the catalogue',
    async (can, expected) => {
      const { known, logged, store } = openKnown()
      store.fail('askCatalogue')
      known.catchUp({ known: new Set(), models: new Set(['Lot']), end: 'known' })
      if (can === 'can') store.recover()
      await known.stop()
      expect(logged).toEqual(expected)
    },
  )
})
