import { describedLots } from '../../../../../test/support/described-lots.js'
import { jest } from '@jest/globals'
import { manualClock } from '../../../../../test/support/manual-clock.ts'
import { FlakyStore } from '../../testing/flaky-store.js'
import { MemoryStore } from '../backend/memory-store.js'
import type { Messages } from '../backend/store.js'
import { modelKeys } from '../format/key-space.js'
import { consistencySettings } from '../settings.js'
import type { CacheDescription } from './cache-description.js'
import { Catalogue } from './catalogue.js'
import { CleanUp } from './clean-up.js'
import { listingOf } from '../format/register.js'

const lots = describedLots({ id: [] })
const lookup = (name: string) => ({ name, fingerprint: name, key: [], watched: [] })

afterEach(() => jest.restoreAllMocks())

/** Announces what a process of another library version would hear. */
class SpeakingStore extends FlakyStore {
  readonly published: string[] = []
  readonly messages: Messages = {
    publish: async (channel, message) => {
      this.published.push(`${channel} ${message.split(';').slice(2).join(';')}`)
    },
    subscribe: async () => {},
    unsubscribe: async () => {},
  }
}

/** A process with one cache, which cleans up after others. */
function open() {
  const clock = manualClock()
  const startMs = Date.now()
  const now = jest.spyOn(Date, 'now').mockReturnValue(startMs)
  const store = new SpeakingStore(new MemoryStore())
  const catalogue = new Catalogue(store, 'mc')
  const own = catalogue.add(lots, 'f')
  const log = { warn: () => {}, info: () => {} }
  const consistency = consistencySettings()
  const cleanUp = new CleanUp({ store, namespace: 'mc', catalogue, consistency, log })
  const others = new Catalogue(store, 'mc')
  /** Another process describes a cache, and lists it for a time. */
  const listOther = async (description: CacheDescription, lifeMs: number, fingerprint = 'f') => {
    const field = others.add(description, fingerprint)
    await others.describe(field)
    const { registerKey } = modelKeys('mc', description.name)
    const listing = listingOf(field)
    await store.change(registerKey, { kind: 'join', listing, lifeMs, markMs: 5_000 })
    return field
  }
  const pass = (ms: number): void => {
    clock.pass(ms)
    now.mockReturnValue(Date.now() + ms)
  }
  return { catalogue, cleanUp, listOther, others, own, pass, store }
}

describe('the clean-up of the catalogue', () => {
  it.each([
    ['with other lookups', { ...lots, lookups: [lookup('old')] }, 'f'],
    ['with another fingerprint', lots, 'old'],
    ['that no process has any more', { ...lots, name: 'Bid' }, 'f'],
  ])('removes a description %s once its register does not list it', async (_, description, fingerprint) => {
    const { catalogue, cleanUp, listOther, own, pass, store } = open()
    await catalogue.describe(own)
    const field = await listOther(description, 100_000, fingerprint)
    pass(99_999)
    await cleanUp.run()
    expect(catalogue.has(field)).toBe(true)
    pass(30_000)
    await cleanUp.run()
    expect([catalogue.has(field), catalogue.has(own)]).toEqual([false, true])
    // Memory that is read without the store may have rows of it.
    expect(store.published).toEqual([`mc:{${description.name}}:written *`])
  })

  it('never removes what this process has described itself', async () => {
    const { catalogue, cleanUp, own, pass } = open()
    await catalogue.describe(own)
    pass(1_000_000)
    await cleanUp.run()
    expect(catalogue.has(own)).toBe(true)
  })

  it.each([
    [90_000, true],
    [90_001, false],
  ])('removes nothing by a register that has existed for 90 seconds: %i ms', async (ageMs, isKept) => {
    const { catalogue, cleanUp, listOther, pass } = open()
    const field = await listOther({ ...lots, lookups: [lookup('old')] }, 1)
    pass(ageMs)
    await cleanUp.run()
    expect(catalogue.has(field)).toBe(isKept)
  })

  it('runs every 30 seconds, also after the store has not answered', async () => {
    const { cleanUp, pass, store } = open()
    store.fail('askCatalogue')
    await cleanUp.run()
    store.recover()
    await cleanUp.run()
    pass(29_999)
    await cleanUp.run()
    expect(store.calls.askCatalogue).toBe(1)
    pass(1)
    await cleanUp.run()
    expect(store.calls.askCatalogue).toBe(2)
  })
})
