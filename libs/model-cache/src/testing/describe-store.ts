import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { GuardedKey, LeaseRequest, Store } from '../store/store.js'
import type { TestFramework } from './test-framework.js'
import { describeCatalogues } from './describe-catalogues.js'
import { describeRegisters } from './describe-registers.js'
import { writeValue } from './write-value.js'

export interface StoreContractOptions {
  /** A fresh store; it may share its data with others. */
  create(): Store | Promise<Store>
  /** @default the global functions of the running test framework */
  readonly framework?: TestFramework
}

/** Long enough for a few commands to be answered meanwhile, on a busy machine, too. */
const soonMs = 1_000

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
  const guarded = (name: string): GuardedKey => ({ key: key(name), guard: `${key(name)}:l` })
  const lease = (token: string): LeaseRequest => ({
    token,
    leaseMs: 60_000,
    onlyAbsent: true,
    onlyUnmarked: false,
  })
  /** The reasons why leases are not given; null where they are. */
  const refusalsOf = async (rows: readonly GuardedKey[], request: LeaseRequest) =>
    (await store.leaseMany(rows, request)).map(({ refusal }) => refusal)
  /** The token of the lease of one row. */
  const take = async (name: string, request: LeaseRequest) => {
    const [answer] = await store.leaseMany([guarded(name)], request)
    assert.equal(answer?.refusal, null)
    return answer.token
  }
  const fill = (name: string, token: string, value: string) => ({
    ...guarded(name),
    token,
    value,
    ttlMs: 60_000,
  })
  /** For rows that were loaded before their lease. */
  const leaseForLoaded = (token: string): LeaseRequest => ({ ...lease(token), onlyUnmarked: true })
  const write = (name: string, value: string, ttlMs = 60_000) => writeValue(store, key(name), value, ttlMs)

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
      await write('a', 'A')
      await write('b', 'B')
      assert.deepEqual(await store.getMany([key('b'), key('-'), key('a'), key('b')]), ['B', null, 'A', 'B'])
    })

    it('keeps reads of one turn apart', async () => {
      await write('a', 'A')
      const replies = await Promise.all([store.getMany([key('-'), key('a')]), store.getMany([key('a')])])
      assert.deepEqual(replies, [[null, 'A'], ['A']])
    })

    it('keeps text as it is: empty, large, and of any alphabet', async () => {
      const texts = ['', 'ünïcode 🎁 \u2028\n\0', 'x'.repeat(1_000_000)]
      for (const [i, text] of texts.entries()) await write(String(i), text)
      const keys = texts.map((_, i) => key(String(i)))
      assert.deepEqual(await store.getMany(keys), texts)
      const bytes = await store.getManyBytes(keys)
      assert.deepEqual(bytes.map(String), texts)
    })

    it('gives the same as bytes', async () => {
      await write('a', 'ü 🎁')
      const [none, bytes] = await store.getManyBytes([key('-'), key('a')])
      assert.equal(none, null)
      assert.deepEqual(Buffer.from(bytes!), Buffer.from('ü 🎁'))
      assert.deepEqual(await store.getManyBytes([]), [])
    })

    it('forgets a value after its ttl', async () => {
      await write('short', 'A', 30)
      await write('long', 'B')
      await delay(120)
      assert.deepEqual(await store.getMany([key('short'), key('long')]), [null, 'B'])
    })

    describe('as to leases', () => {
      it('gives one at a time, and says so', async () => {
        const rows = [guarded('a'), guarded('b')]
        assert.deepEqual(await refusalsOf(rows, lease('1')), [null, null])
        assert.deepEqual(await refusalsOf(rows, lease('2')), ['leased', 'leased'])
      })

      it('writes under a lease, once, and under no other', async () => {
        const token = await take('a', lease('1'))
        assert.deepEqual(await store.fillMany([fill('a', '2', 'other'), fill('a', token, 'A')]), [
          false,
          true,
        ])
        assert.deepEqual(await store.fillMany([fill('a', token, 'again')]), [false])
        assert.deepEqual(await store.getMany([key('a')]), ['A'])
      })

      it('replaces a value, under a lease that asks for it', async () => {
        await write('a', 'old')
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), ['filled'])
        const token = await take('a', { ...lease('2'), onlyAbsent: false })
        assert.deepEqual(await store.fillMany([fill('a', token, 'new')]), [true])
        assert.deepEqual(await store.getMany([key('a')]), ['new'])
      })

      it('is released by its holder alone', async () => {
        const token = await take('a', lease('1'))
        await store.releaseLeases([guarded('a')], '2')
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), ['leased'])
        await store.releaseLeases([guarded('a')], token)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), [null])
      })

      it('does not write under a lease that has expired, and gives another', async () => {
        const token = await take('a', { ...lease('1'), leaseMs: 20 })
        await delay(60)
        assert.deepEqual(await store.fillMany([fill('a', token, 'late')]), [false])
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), [null])
      })

      it('does not write under a lease that has expired while a write is remembered', async () => {
        await store.releaseFences([guarded('a')], '', 0, 60_000)
        const token = await take('a', { ...lease('1'), leaseMs: 20 })
        await delay(60)
        assert.deepEqual(await store.fillMany([fill('a', token, 'late')]), [false])
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), [null])
      })

      it('keeps many rows apart', async () => {
        const rows = Array.from({ length: 300 }, (_, i) => guarded(`row ${i}`))
        await store.leaseMany(rows.slice(0, 150), lease('1'))
        const answers = await store.leaseMany(rows, lease('2'))
        const refusals = answers.map(({ refusal }) => refusal)
        assert.deepEqual(refusals, [...Array(150).fill('leased'), ...Array(150).fill(null)])
        const fills = rows.map((row, i) => ({
          ...row,
          token: answers[i]!.token ?? 'none',
          value: `value ${i}`,
          ttlMs: 60_000,
        }))
        assert.deepEqual(await store.fillMany(fills), [...Array(150).fill(false), ...Array(150).fill(true)])
        assert.deepEqual(await store.getMany(rows.slice(149, 151).map((row) => row.key)), [null, 'value 150'])
      })

      it('does not revive a lease when its request is delivered twice', async () => {
        const token = await take('a', lease('1'))
        await store.fenceMany([guarded('a')], 'w', 60_000, 60_000)
        await store.releaseFences([guarded('a')], 'w', 0, 60_000)
        await store.leaseMany([guarded('a')], lease('1'))
        assert.deepEqual(await store.fillMany([fill('a', token, 'from before the write')]), [false])
      })
    })

    describe('as to fences', () => {
      it('removes the value and the lease, and gives none, until they are released', async () => {
        await write('a', 'A')
        const token = await take('b', lease('1'))
        const rows = [guarded('a'), guarded('b')]
        await store.fenceMany(rows, 'w', 60_000, 60_000)
        assert.deepEqual(await store.getMany([key('a')]), [null])
        assert.deepEqual(await refusalsOf(rows, lease('2')), ['fenced', 'fenced'])
        assert.deepEqual(await store.fillMany([fill('b', token, 'late')]), [false])
        await store.releaseFences(rows, 'w', 0, 60_000)
        assert.deepEqual(await refusalsOf(rows, lease('3')), [null, null])
      })

      it('of several writers stand side by side', async () => {
        await store.fenceMany([guarded('a')], 'w1', 60_000, 60_000)
        await store.fenceMany([guarded('a')], 'w2', soonMs, 60_000)
        await store.releaseFences([guarded('a')], 'w1', 0, 60_000)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), ['fenced'])
        await delay(1.2 * soonMs)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), [null])
      })

      it('a short one does not end a long one', async () => {
        await store.fenceMany([guarded('a')], 'long', 60_000, 60_000)
        await store.fenceMany([guarded('a')], 'short', 30, 60_000)
        await delay(80)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), ['fenced'])
      })

      it('can be released where there was none: values and leases are gone', async () => {
        await write('a', 'A')
        const token = await take('b', lease('1'))
        await store.releaseFences([guarded('a'), guarded('b')], '', 0, 60_000)
        assert.deepEqual(await store.getMany([key('a')]), [null])
        assert.deepEqual(await store.fillMany([fill('b', token, 'late')]), [false])
      })

      it('stay as long as they are held', async () => {
        await store.releaseFences([guarded('a')], '', soonMs, 60_000)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), ['fenced'])
        await delay(1.2 * soonMs)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), [null])
      })

      it('that are held are one, with the last of their deadlines, however many writes there were', async () => {
        const row = guarded('a')
        for (const [i, holdMs] of [60_000, 3_600_000, 60_000].entries()) {
          await store.fenceMany([row], `w${i}`, 60_000, 60_000)
          await store.releaseFences([row], `w${i}`, holdMs, 60_000)
          await store.releaseFences([row], '', holdMs, 60_000)
        }
        const [text] = await store.getMany([row.guard])
        const [, until] = /^\d+;;held@(\d+)$/.exec(text!)!
        assert.ok(Number(until) > Date.now() + 3_000_000)
      })
    })

    describe('as to marks of a write', () => {
      const isRemembered = async () => {
        const [answer] = await store.leaseMany([guarded('a')], leaseForLoaded('loaded'))
        if (answer?.token != null) await store.releaseLeases([guarded('a')], answer.token)
        return answer?.refusal === 'fenced'
      }
      const release = (token: string, markMs: number) => store.releaseFences([guarded('a')], token, 0, markMs)

      it('remembers a write for a while, against rows that were loaded before their lease alone', async () => {
        await release('', 60_000)
        assert.equal(await isRemembered(), true)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), [null])
      })

      it('forgets a write in time', async () => {
        await release('', 30)
        await delay(80)
        assert.equal(await isRemembered(), false)
      })

      it('remembers it after a shorter memory of another write', async () => {
        await release('', 60_000)
        await release('', 30)
        await delay(80)
        assert.equal(await isRemembered(), true)
      })

      it('remembers it after a lease was taken and released', async () => {
        await release('', 60_000)
        await store.releaseLeases([guarded('a')], await take('a', lease('1')))
        assert.equal(await isRemembered(), true)
      })

      it('remembers it after a lease was taken and used', async () => {
        await release('', 60_000)
        assert.deepEqual(await store.fillMany([fill('a', await take('a', lease('1')), 'A')]), [true])
        assert.equal(await isRemembered(), true)
      })

      it('remembers it after a lease was taken and has expired', async () => {
        await release('', 60_000)
        await take('a', { ...lease('1'), leaseMs: 20 })
        await delay(60)
        assert.equal(await isRemembered(), true)
      })

      it('remembers a write that released beside the fence of another', async () => {
        await store.fenceMany([guarded('a')], 'w1', 60_000, 30)
        await store.fenceMany([guarded('a')], 'w2', soonMs, 30)
        await release('w1', 60_000)
        await delay(1.2 * soonMs)
        assert.equal(await isRemembered(), true)
      })

      it('remembers a write whose fence has expired', async () => {
        await store.fenceMany([guarded('a')], 'w', 30, 60_000)
        await delay(80)
        assert.equal(await isRemembered(), true)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), [null])
      })

      it('remembers a write whose fence expired before another came and went', async () => {
        await store.fenceMany([guarded('a')], 'w1', 30, 60_000)
        await delay(80)
        await store.fenceMany([guarded('a')], 'w2', 60_000, 60_000)
        await release('w2', 30)
        await delay(80)
        assert.equal(await isRemembered(), true)
      })
    })

    describe('as to registers', () => describeRegisters(it, (change) => store.change(key('r'), change)))

    describe('the catalogue', () =>
      describeCatalogues(it, {
        ask: (request) => store.askCatalogue(key('catalogue'), request),
        readEpoch: async () => (await store.getMany([`${key('catalogue')}:word`]))[0],
      }))

    it('answers a ping', async () => {
      await store.ping()
    })

    it('can be closed twice', async () => {
      await store.close()
    })
  })
}
