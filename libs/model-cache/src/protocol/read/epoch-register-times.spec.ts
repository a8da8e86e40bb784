import { describedLots } from '../../../../../test/support/described-lots.js'
import { jest } from '@jest/globals'
import { manualClock } from '../../../../../test/support/manual-clock.ts'
import { MemoryStore } from '../backend/memory-store.js'
import type { CatalogueAnswer, CatalogueCheck, CatalogueRequest } from '../backend/store.js'
import { listingOf } from '../format/register.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import type { CacheDescription } from '../registry/cache-description.js'
import { Catalogue } from '../registry/catalogue.js'
import { emptySnapshot, EpochRegister } from './epoch-register.js'
import { RegisterWriter } from '../../../../../test/support/register-writer.js'

const description = describedLots({ id: [] })

afterEach(() => jest.restoreAllMocks())

/** Can lose the catalogue, and is checked by the test. */
class LosingStore extends FlakyStore {
  check!: (check: CatalogueCheck) => void
  #lost = 0

  watchCatalogue(_key: string, listener: (check: CatalogueCheck) => void): () => void {
    this.check = listener
    return () => {}
  }
  override askCatalogue(key: string, request: CatalogueRequest): Promise<CatalogueAnswer> {
    return super.askCatalogue(key + '!'.repeat(this.#lost), request)
  }
  lose(): void {
    this.#lost++
  }
}

function open(store = new FlakyStore(new MemoryStore())) {
  const clock = manualClock()
  const joining: number[] = []
  const listed: number[] = []
  const catalogue = new Catalogue(store, 'mc')
  const listedAs = (described: CacheDescription) => {
    const entry = catalogue.add(described, 'print')
    return { entry, listing: listingOf(entry) }
  }
  const cache = listedAs(description)
  const database: { mark: string | undefined } = { mark: '' }
  const register = new EpochRegister({
    store,
    catalogue,
    database,
    registerKey: 'register',
    cache,
    times: { rowLifeMs: 60_000, writesMs: 30_000, leaseMs: 5_000 },
    replicas: 0,
    onJoining: (ms) => joining.push(ms),
    onListed: () => listed.push(performance.now()),
  })
  const writer = new RegisterWriter(store, 'register', 5_000)
  const textOf = async () => (await store.getMany(['register']))[0]!.split(';')
  const describeAs = (described: CacheDescription): void => void Object.assign(cache, listedAs(described))
  return { cache, catalogue, clock, database, describeAs, joining, listed, register, store, textOf, writer }
}

describe('the register in the course of time', () => {
  it('lists the fingerprint for as long as rows may live, and extends that every 30 seconds', async () => {
    const { clock, register, store, textOf } = open()
    const snapshot = await register.read()
    expect([snapshot.mayFill, register.fingerprints, store.calls.change]).toEqual([true, ['print'], 1])
    const lifeMs = Number((await textOf())[6]!.split('@')[1]) - Date.now()
    expect(lifeMs).toBeGreaterThan(145_000)
    expect(lifeMs).toBeLessThanOrEqual(155_000)
    clock.pass(30_000)
    // The same object, as each read has one.
    expect(await register.read()).toBe(snapshot)
    expect(store.calls.change).toBe(1)
    clock.pass(1)
    await register.read()
    await new Promise(setImmediate)
    expect([store.calls.change, store.calls.askCatalogue]).toEqual([2, 2])
    await register.read()
    expect(store.calls.change).toBe(2)
  })

  it('joins again, before anything is stored, when it has not been extended for 90 seconds', async () => {
    const { clock, register, store } = open()
    await register.read()
    clock.pass(90_000)
    store.fail('change')
    expect((await register.read()).mayFill).toBe(true)
    clock.pass(1)
    expect(await register.read()).toEqual(emptySnapshot)
    store.recover()
    expect((await register.read()).mayFill).toBe(true)
    expect(store.calls.askCatalogue).toBeGreaterThanOrEqual(4)
  })

  it('lists the cache as it is described by now, under the same epoch', async () => {
    const { cache, describeAs, register, textOf } = open()
    const { epoch } = await register.read()
    const former = cache.listing
    describeAs({ ...description, dependsOn: ['Bid'] })
    expect(await register.read()).toMatchObject({ epoch, mayFill: true })
    const listings = (await textOf())[6]!.split(' ').map((part) => part.split('@')[0])
    expect(listings).toEqual([former, cache.listing])
  })

  it('says that it is listed, and that its listing was extended', async () => {
    const { clock, listed, register, store } = open()
    await register.read()
    expect(listed).toHaveLength(1)
    clock.pass(30_001)
    store.fail('change')
    await register.read()
    await new Promise(setImmediate)
    expect(listed).toHaveLength(1)
    store.recover()
    await register.read()
    await new Promise(setImmediate)
    expect(listed).toHaveLength(2)
  })

  it('lets leases be taken until what is stored under them could outlive the listing', async () => {
    const nowMs = Date.now()
    jest.spyOn(Date, 'now').mockReturnValue(nowMs)
    const { register, store } = open()
    expect((await register.read()).leaseUntilMs).toBe(nowMs + 90_000)
    expect((await register.readForLoaded()).leaseUntilMs).toBe(nowMs + 90_000)
    // A process whose rows live longer has the same description.
    const listing = (await store.getMany(['register']))[0]!.split(';')[6]!.split('@')[0]!
    await store.change('register', { kind: 'join', listing, lifeMs: 1_000_000, markMs: 1 })
    expect((await register.read()).leaseUntilMs).toBe(nowMs + 1_000_000 - 65_000)
  })

  it('counts no row, and has new epochs, when the register has forgotten the cache before this process', async () => {
    const { catalogue, register, store } = open()
    const before = await register.read()
    const nowMs = Date.now()
    // The clock of the server leaps.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(nowMs + 155_001)
    // An extension that is on its way does not list it again: writers may have forgotten it by now.
    expect(await register.readForLoaded()).toEqual(emptySnapshot)
    expect((await store.getMany(['register']))[0]!.split(';')[6]).toBe('')
    const asked = store.calls.askCatalogue
    const after = await register.read()
    expect([after.mayFill, store.calls.askCatalogue]).toEqual([true, asked + 2])
    expect([null, before.epoch]).not.toContain(after.epoch)
    expect(catalogue.caches).toHaveLength(1)
    clock.mockRestore()
  })

  it('stores nothing until writers that do not know the cache have ended, and says so once', async () => {
    const { clock, joining, register, store } = open()
    await new Catalogue(store, 'mc').ask()
    expect(register.joiningForMs).toBe(0)
    const snapshot = await register.read()
    expect([snapshot.mayFill, typeof snapshot.epoch]).toEqual([false, 'string'])
    expect(register.joiningForMs).toBeGreaterThan(20_000)
    expect(register.joiningForMs).toBeLessThanOrEqual(30_000)
    await register.join()
    expect(joining).toHaveLength(1)
    expect(joining[0]!).toBeGreaterThan(20_000)
    // Writes are remembered as long as loads may take.
    expect(await register.readForLoaded()).toEqual(emptySnapshot)
    clock.pass(31_000)
    expect((await register.readForLoaded()).mayFill).toBe(true)
    expect([(await register.read()).mayFill, register.joiningForMs]).toEqual([true, 0])
  })

  it('does not say so when it waits because the catalogue has been lost', async () => {
    // Within one millisecond, so that the text of the register stays the same.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now())
    const store = new LosingStore(new MemoryStore())
    const { catalogue, joining, register } = open(store)
    const before = await register.read()
    store.lose()
    await new Catalogue(store, 'mc').ask()
    await register.join()
    expect([register.losses, register.joiningForMs > 0, joining]).toEqual([1, true, []])
    const after = await register.read()
    expect([after.losses, after.epoch]).toEqual([1, before.epoch!.replace(/[.].*/, `.${catalogue.epoch}`)])
    expect(after.epoch).not.toBe(before.epoch)
  })

  it('counts how often it was lost, though it came back with the same epoch', async () => {
    // Within one millisecond, so that the text of the register stays the same.
    jest.spyOn(Date, 'now').mockReturnValue(Date.now())
    const store = new LosingStore(new MemoryStore())
    const { register } = open(store)
    const before = await register.read()
    store.check({ finding: 'old', epoch: 'another' })
    expect(await register.read()).toEqual({ ...before, losses: 1 })
  })

  it('has epochs of the database, once it is known', async () => {
    const { database, register } = open()
    database.mark = undefined
    expect(await register.read()).toEqual(emptySnapshot)
    for (const mark of ['.one', '.other']) {
      database.mark = mark
      const { epoch, existence } = await register.read()
      expect([epoch!.endsWith(mark), existence!.endsWith(mark)]).toEqual([true, true])
    }
  })

  it('counts no row while the store does not let it join', async () => {
    const { register, store } = open()
    store.fail('askCatalogue')
    expect([await register.join(), await register.read(), register.fingerprints]).toEqual([
      false,
      emptySnapshot,
      [],
    ])
    store.recover()
    expect([await register.join(), (await register.read()).mayFill]).toEqual([true, true])
  })

  it('stores no row that was read before a write to all rows has ended', async () => {
    const { register, writer } = open()
    const snapshot = await register.readForLoaded()
    expect(snapshot.mayFill).toBe(true)
    await writer.fence('writer', 60_000, 'all')
    expect(await register.readForLoaded()).toEqual(emptySnapshot)
    await writer.release('writer', 0, 'all')
    expect(await register.readForLoaded()).toEqual(emptySnapshot)
    const { epoch, mayFill } = await register.read()
    expect([typeof epoch, mayFill]).toEqual(['string', true])
  })

  it('does so again once the write is no longer remembered', async () => {
    const { register, store } = open()
    const brief = new RegisterWriter(store, 'register', 0)
    await register.read()
    await brief.release('', 0, 'all')
    expect((await register.readForLoaded()).mayFill).toBe(true)
  })

  it('has no epoch if the store has something else in its place', async () => {
    class BrokenStore extends MemoryStore {
      override async getMany(keys: readonly string[]): Promise<(string | null)[]> {
        const found = await super.getMany(keys)
        return keys.map((key, i) => (key === 'register' && found[i] !== null ? 'x' : found[i]!))
      }
    }
    const { register, store } = open(new FlakyStore(new BrokenStore()))
    await register.read()
    await register.read()
    expect(store.calls.change).toBe(2)
  })
})
