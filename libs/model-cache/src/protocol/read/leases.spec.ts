import { jest } from '@jest/globals'
import { manualClock } from '../../../../../test/support/manual-clock.ts'
import { MemoryStore } from '../backend/memory-store.js'
import type { GuardedKey, LeaseAnswer, LeaseRequest } from '../backend/store.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { Leases } from './leases.js'

const keys = ['a', 'b'].map((key): GuardedKey => ({ key, guard: `${key}:l` }))

afterEach(() => jest.restoreAllMocks())

describe('leases', () => {
  it('ask the store for nothing without keys', async () => {
    const store = new FlakyStore(new MemoryStore())
    const leases = new Leases(store, 5_000)
    expect([await leases.take([], false), await leases.takeForLoaded([], performance.now())]).toEqual([
      [],
      [],
    ])
    await leases.release([], 'token')
    expect([store.calls.leaseMany, store.calls.releaseLeases]).toEqual([0, 0])
  })

  it('are refused, and never reject, if the store does not answer', async () => {
    const store = new FlakyStore(new MemoryStore())
    store.fail()
    const leases = new Leases(store, 5_000)
    expect((await leases.take(keys, false)).map(({ refusal }) => refusal)).toEqual([
      'store_error',
      'store_error',
    ])
    await leases.release(keys, 'token')
  })

  it('are granted for values that are there, unless only absent ones are wanted', async () => {
    const store = new MemoryStore()
    const leases = new Leases(store, 5_000)
    const token = (await leases.take(keys, false))[0]!.token!
    await store.fillMany(keys.map(({ key, guard }) => ({ key, guard, value: 'v', ttlMs: 60_000, token })))
    expect((await leases.take(keys, true)).map(({ refusal }) => refusal)).toEqual(['filled', 'filled'])
    expect((await leases.take(keys, false)).map(({ token }) => typeof token)).toEqual(['string', 'string'])
  })

  describe('for rows that were loaded before', () => {
    it('are refused if the record of a write may be gone by then', async () => {
      const clock = manualClock()
      const store = new FlakyStore(new MemoryStore())
      const leases = new Leases(store, 5_000)
      const loadedAtMs = performance.now()
      clock.pass(4_999)
      const [lease] = await leases.takeForLoaded(keys, loadedAtMs)
      expect(lease!.refusal).toBeNull()
      await leases.release(keys, lease!.token!)
      clock.pass(1)
      expect((await leases.takeForLoaded(keys, loadedAtMs)).map(({ refusal }) => refusal)).toEqual([
        'late',
        'late',
      ])
      expect(store.calls.leaseMany).toBe(1)
    })

    it('are given back if they come too late, where another process has some of them', async () => {
      const clock = manualClock()
      const store = new FlakyStore(new MemoryStore())
      const leases = new Leases(store, 5_000)
      const [theirs, ours] = keys as [GuardedKey, GuardedKey]
      await leases.take([theirs], false)
      const lease = store.leaseMany.bind(store)
      store.leaseMany = async (...request) => {
        const answers = await lease(...request)
        clock.pass(5_000)
        return answers
      }
      await leases.takeForLoaded(keys, performance.now())
      expect(store.calls.releaseLeases).toBe(1)
      expect((await leases.take([ours], false))[0]!.token).not.toBeNull()
      // Without a lease there is nothing to give back.
      await leases.takeForLoaded(keys, performance.now())
      expect(store.calls.releaseLeases).toBe(1)
    })

    it('are given back if they come too late', async () => {
      const clock = manualClock()
      class SlowStore extends MemoryStore {
        override async leaseMany(keys: readonly GuardedKey[], request: LeaseRequest): Promise<LeaseAnswer[]> {
          const answers = await super.leaseMany(keys, request)
          clock.pass(5_000)
          return answers
        }
      }
      const leases = new Leases(new SlowStore(), 5_000)
      const late = await leases.takeForLoaded(keys, performance.now())
      expect(late.map(({ token, refusal }) => [token, refusal])).toEqual([
        [null, 'late'],
        [null, 'late'],
      ])
      expect((await leases.take(keys, false)).map(({ token }) => typeof token)).toEqual(['string', 'string'])
      // Without a lease there is nothing to give back.
      expect((await leases.takeForLoaded(keys, performance.now()))[0]!.refusal).toBe('late')
    })

    it('are given back if they come too late, also where each has another token', async () => {
      const clock = manualClock()
      const store = new MemoryStore()
      const lease = store.leaseMany.bind(store)
      // As a store does that runs several scripts.
      store.leaseMany = async (rows, request) => {
        const answers = await Promise.all(rows.map((row) => lease([row], request)))
        clock.pass(5_000)
        return answers.flat()
      }
      const leases = new Leases(store, 5_000)
      await leases.takeForLoaded(keys, performance.now())
      expect((await leases.take(keys, false)).map(({ refusal }) => refusal)).toEqual([null, null])
    })

    it.each([true, undefined])(
      'are refused if the store may have lost the record of a write (%p)',
      async (mayEvict) => {
        class EvictingStore extends MemoryStore {
          override mayEvictGuards(): Promise<boolean> {
            return mayEvict === undefined ? Promise.reject(new Error('no answer')) : Promise.resolve(mayEvict)
          }
        }
        const leases = new Leases(new EvictingStore(), 5_000)
        expect((await leases.takeForLoaded(keys, performance.now())).map(({ refusal }) => refusal)).toEqual([
          'evicting',
          'evicting',
        ])
        expect((await leases.take(keys, false))[0]!.token).not.toBeNull()
      },
    )

    it('are refused for rows that were written, and for those that are stored', async () => {
      const store = new MemoryStore()
      const leases = new Leases(store, 5_000)
      const [stored, written] = keys as [GuardedKey, GuardedKey]
      const { token } = (await leases.take([stored], false))[0]!
      await store.fillMany([{ ...stored, token: token!, value: 'v', ttlMs: 60_000 }])
      await store.releaseFences([written], { token: '', holdMs: 0, markMs: 60_000 })
      const refusals = await leases.takeForLoaded(keys, performance.now())
      expect(refusals.map(({ refusal }) => refusal)).toEqual(['filled', 'fenced'])
      // Other reads may store the row: they began after the write.
      expect((await leases.take([written], false))[0]!.token).not.toBeNull()
    })
  })
})
