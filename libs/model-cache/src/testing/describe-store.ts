import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../store/store.js'

/** The part of Jest, Vitest or node:test that a contract suite needs. */
export interface TestFramework {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
  beforeEach(body: () => Promise<void>): unknown
  afterEach(body: () => Promise<void>): unknown
}

export interface StoreContractOptions {
  /** A fresh store; it may share its data with others. */
  create(): Store | Promise<Store>
  /** @default the global functions of the running test framework */
  readonly framework?: TestFramework
}

/**
 * The contract of {@link Store} as tests; a store that passes can carry caches.
 *
 * @example
 * ```ts
 * describeStore('MemoryStore', { create: () => new MemoryStore() })
 * ```
 */
export function describeStore(name: string, options: StoreContractOptions): void {
  const { describe, it, beforeEach, afterEach } =
    options.framework ?? (globalThis as unknown as TestFramework)
  let store: Store
  let run = 0
  /** Keys of one test, so that stores that share a server do not meet. */
  let key: (name: string) => string

  describe(`${name} keeps the contract of a store`, () => {
    beforeEach(async () => {
      const prefix = `contract:${process.pid}:${Date.now().toString(36)}:${run++}`
      key = (suffix) => `${prefix}:{${suffix}}`
      store = await options.create()
      await store.connect()
    })

    afterEach(async () => {
      await store.close()
    })

    it('gives null for keys that it does not have', async () => {
      assert.deepEqual(await store.getMany([key('a'), key('b')]), [null, null])
    })

    it('answers an empty read', async () => {
      assert.deepEqual(await store.getMany([]), [])
    })

    it('gives values in the order of the keys, also when one is asked for twice', async () => {
      await store.setMany([
        { key: key('a'), value: 'A', ttlMs: 60_000 },
        { key: key('b'), value: 'B', ttlMs: 60_000 },
      ])
      assert.deepEqual(await store.getMany([key('b'), key('-'), key('a'), key('b')]), ['B', null, 'A', 'B'])
    })

    it('keeps reads of one turn apart', async () => {
      await store.setMany([{ key: key('a'), value: 'A', ttlMs: 60_000 }])
      const replies = await Promise.all([store.getMany([key('-'), key('a')]), store.getMany([key('a')])])
      assert.deepEqual(replies, [[null, 'A'], ['A']])
    })

    it('keeps text as it is: empty, large, and of any alphabet', async () => {
      const texts = ['', 'ünïcode 🎁 \u2028\n\0', 'x'.repeat(1_000_000)]
      await store.setMany(texts.map((value, i) => ({ key: key(String(i)), value, ttlMs: 60_000 })))
      assert.deepEqual(await store.getMany(texts.map((_, i) => key(String(i)))), texts)
    })

    it('replaces an entry', async () => {
      await store.setMany([{ key: key('a'), value: 'old', ttlMs: 60_000 }])
      await store.setMany([{ key: key('a'), value: 'new', ttlMs: 60_000 }])
      assert.deepEqual(await store.getMany([key('a')]), ['new'])
    })

    it('forgets an entry after its ttl', async () => {
      await store.setMany([
        { key: key('short'), value: 'A', ttlMs: 30 },
        { key: key('long'), value: 'B', ttlMs: 60_000 },
      ])
      await delay(120)
      assert.deepEqual(await store.getMany([key('short'), key('long')]), [null, 'B'])
    })

    it('removes keys, and those that are not there are no error', async () => {
      await store.setMany([{ key: key('a'), value: 'A', ttlMs: 60_000 }])
      await store.deleteMany([key('a'), key('-')])
      await store.deleteMany([])
      assert.deepEqual(await store.getMany([key('a')]), [null])
    })

    it('writes without a ttl', async () => {
      await store.set(key('a'), 'A')
      await store.set(key('a'), 'B')
      assert.deepEqual(await store.getMany([key('a')]), ['B'])
      await store.deleteMany([key('a')])
    })

    it('writes what is absent once, whoever comes first', async () => {
      const held = await Promise.all(['1', '2', '3'].map((value) => store.setIfAbsent(key('a'), value)))
      assert.equal(new Set(held).size, 1)
      assert.deepEqual(await store.getMany([key('a')]), [held[0]])
      await store.deleteMany([key('a')])
    })

    it('answers a ping', async () => {
      await store.ping()
    })

    it('can be closed twice', async () => {
      await store.close()
    })
  })
}
