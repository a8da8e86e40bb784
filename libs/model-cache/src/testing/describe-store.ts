import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { GuardedKey, LeaseRequest, Marker, Store } from '../protocol/index.js'
import type { TestFramework } from './test-framework.js'
import { describeAnnouncements } from './describe-announcements.js'
import { describeCatalogues } from './describe-catalogues.js'
import { describeRegisters } from './describe-registers.js'
import { writeValue } from './write-value.js'

export interface StoreContractOptions {
  /** Creates a new store, which may share its data with earlier ones. */
  create(): Store | Promise<Store>
  /** The test framework. @default its global functions */
  readonly framework?: TestFramework
}

/** Long enough for a few commands, even on a busy machine. */
const soonMs = 1_000

/**
 * Declares the tests of the {@link Store} contract. A store that passes them works with caches.
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
  /** Returns a key that is unique to the test, since stores may share a server. */
  let key: (name: string) => string
  const guarded = (name: string): GuardedKey => ({ key: key(name), guard: `${key(name)}:l` })
  const lease = (token: string): LeaseRequest => ({
    token,
    leaseMs: 60_000,
    onlyAbsent: true,
    onlyUnmarked: false,
  })
  /** Requests leases and returns the reason for each refusal; null for a granted lease. */
  const refusalsOf = async (rows: readonly GuardedKey[], request: LeaseRequest) =>
    (await store.leaseMany(rows, request)).map(({ refusal }) => refusal)
  /** Takes the lease of one row and returns its token. */
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
  /** A lease request for rows that were loaded before it. */
  const leaseForLoaded = (token: string): LeaseRequest => ({ ...lease(token), onlyUnmarked: true })
  const write = (name: string, value: string | Buffer, ttlMs = 60_000) =>
    writeValue(store, key(name), value, ttlMs)

  describe(`${name} fulfils the store contract`, () => {
    beforeEach(async () => {
      const prefix = `contract:${process.pid}:${Date.now().toString(36)}:${run++}`
      key = (suffix) => `${prefix}:{${suffix}}`
      store = await options.create()
      await store.connect()
    })

    afterEach(async () => {
      await store.close()
    })

    it('returns null for unknown keys', async () => {
      assert.deepEqual(await store.getMany([key('a'), key('b')]), [null, null])
    })

    it('returns nothing for an empty read', async () => {
      assert.deepEqual(await store.getMany([]), [])
    })

    it('returns values in the order of the keys, including duplicates', async () => {
      await write('a', 'A')
      await write('b', 'B')
      assert.deepEqual(await store.getMany([key('b'), key('-'), key('a'), key('b')]), ['B', null, 'A', 'B'])
    })

    it('does not mix up reads of the same turn', async () => {
      await write('a', 'A')
      const replies = await Promise.all([store.getMany([key('-'), key('a')]), store.getMany([key('a')])])
      assert.deepEqual(replies, [[null, 'A'], ['A']])
    })

    it('stores strings unchanged: empty, large, and in any alphabet', async () => {
      const texts = ['', 'ünïcode 🎁 \u2028\n\0', 'x'.repeat(1_000_000)]
      for (const [i, text] of texts.entries()) await write(String(i), text)
      const keys = texts.map((_, i) => key(String(i)))
      assert.deepEqual(await store.getMany(keys), texts)
      const bytes = await store.getManyBytes(keys)
      assert.deepEqual(bytes.map(String), texts)
    })

    it('returns the same values as bytes', async () => {
      await write('a', 'ü 🎁')
      const [none, bytes] = await store.getManyBytes([key('-'), key('a')])
      assert.equal(none, null)
      assert.deepEqual(Buffer.from(bytes!), Buffer.from('ü 🎁'))
      assert.deepEqual(await store.getManyBytes([]), [])
    })

    it('stores bytes unchanged that are no text', async () => {
      const bytes = Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 7) % 256))
      await write('bytes', bytes)
      await write('none', Buffer.alloc(0))
      await write('text', 'ü')
      const values = await store.getManyBytes([key('bytes'), key('text'), key('none')])
      assert.deepEqual(
        values.map((value) => value && Buffer.from(value)),
        [bytes, Buffer.from('ü'), Buffer.alloc(0)],
      )
    })

    it('drops a value after its ttl', async () => {
      await write('short', 'A', 30)
      await write('long', 'B')
      await delay(120)
      assert.deepEqual(await store.getMany([key('short'), key('long')]), [null, 'B'])
    })

    describe('as to leases', () => {
      it('grants one lease at a time and says why it refuses another', async () => {
        const rows = [guarded('a'), guarded('b')]
        assert.deepEqual(await refusalsOf(rows, lease('1')), [null, null])
        assert.deepEqual(await refusalsOf(rows, lease('2')), ['leased', 'leased'])
      })

      it('writes once with a lease, and not with another token', async () => {
        const token = await take('a', lease('1'))
        assert.deepEqual(await store.fillMany([fill('a', '2', 'other'), fill('a', token, 'A')]), [
          false,
          true,
        ])
        assert.deepEqual(await store.fillMany([fill('a', token, 'again')]), [false])
        assert.deepEqual(await store.getMany([key('a')]), ['A'])
      })

      it('replaces a value if the lease was requested for that', async () => {
        await write('a', 'old')
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), ['filled'])
        const token = await take('a', { ...lease('2'), onlyAbsent: false })
        assert.deepEqual(await store.fillMany([fill('a', token, 'new')]), [true])
        assert.deepEqual(await store.getMany([key('a')]), ['new'])
      })

      it('is released only by its holder', async () => {
        const token = await take('a', lease('1'))
        await store.releaseLeases([guarded('a')], '2')
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), ['leased'])
        await store.releaseLeases([guarded('a')], token)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), [null])
      })

      it('does not write with an expired lease, and grants another', async () => {
        const token = await take('a', { ...lease('1'), leaseMs: 20 })
        await delay(60)
        assert.deepEqual(await store.fillMany([fill('a', token, 'late')]), [false])
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), [null])
      })

      it('does not write with an expired lease while a write is remembered', async () => {
        await store.releaseFences([guarded('a')], { token: '', holdMs: 0, markMs: 60_000 })
        const token = await take('a', { ...lease('1'), leaseMs: 20 })
        await delay(60)
        assert.deepEqual(await store.fillMany([fill('a', token, 'late')]), [false])
        assert.deepEqual(await refusalsOf([guarded('a')], lease('2')), [null])
      })

      it('handles many rows independently', async () => {
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

      it('is refused from the time on that its request names', async () => {
        const { nowMs } = await store.change(key('register'), { kind: 'expire', markMs: 0 })
        const rows = [guarded('a'), guarded('b')]
        assert.deepEqual(await refusalsOf(rows, { ...lease('1'), untilMs: nowMs }), ['late', 'late'])
        assert.deepEqual(await refusalsOf(rows, { ...lease('2'), untilMs: nowMs + 3_600_000 }), [null, null])
      })

      it('does not revive a lease when its request is delivered twice', async () => {
        const token = await take('a', lease('1'))
        await store.fenceMany([guarded('a')], { token: 'w', fenceMs: 60_000, markMs: 60_000 })
        await store.releaseFences([guarded('a')], { token: 'w', holdMs: 0, markMs: 60_000 })
        await store.leaseMany([guarded('a')], lease('1'))
        assert.deepEqual(await store.fillMany([fill('a', token, 'from before the write')]), [false])
      })
    })

    describe('as to markers', () => {
      const marker = (name: string, start = 'a;') => ({ ...guarded(name), start, ttlMs: 60_000 })
      const ensure = async (...markers: readonly Marker[]) => store.ensureMarkers(markers)

      it('stores what is missing, and returns what is stored', async () => {
        const [first, second] = await ensure(marker('a'), marker('b'))
        assert.match(first!, /^a;.{8,}$/)
        assert.deepEqual(await ensure(marker('b'), marker('a')), [second, first])
        assert.deepEqual(await store.getMany([key('a'), key('b')]), [first, second])
        assert.deepEqual(await ensure(), [])
      })

      it('replaces one that begins otherwise, never with the same', async () => {
        const [first] = await ensure(marker('a'))
        const [other] = await ensure(marker('a', 'b;'))
        assert.match(other!, /^b;/)
        const [third] = await ensure(marker('a'))
        assert.match(third!, /^a;/)
        assert.notEqual(third, first)
      })

      it('stores none while a write is running, and a new one after it', async () => {
        const [first] = await ensure(marker('a'))
        await store.fenceMany([guarded('a')], { token: 'w', fenceMs: 60_000, markMs: 60_000 })
        assert.deepEqual(await ensure(marker('a')), [null])
        await store.releaseFences([guarded('a')], { token: 'w', holdMs: 0, markMs: 60_000 })
        const [second] = await ensure(marker('a'))
        assert.match(second!, /^a;/)
        assert.notEqual(second, first)
        await store.releaseFences([guarded('a')], { token: '', holdMs: 60_000, markMs: 60_000 })
        assert.deepEqual(await ensure(marker('a')), [null])
      })

      it('stores none while another process has a lease', async () => {
        const token = await take('a', lease('1'))
        const [none, other] = await ensure(marker('a'), marker('b'))
        assert.equal(none, null)
        assert.match(other!, /^a;/)
        await store.releaseLeases([guarded('a')], token)
        assert.match((await ensure(marker('a')))[0]!, /^a;/)
      })

      it('stores none from a time on, and returns what is stored', async () => {
        const [stored] = await ensure(marker('a'))
        const { nowMs } = await store.change(key('register'), { kind: 'expire', markMs: 0 })
        assert.deepEqual(await store.ensureMarkers([marker('a'), marker('b')], nowMs), [stored, null])
        assert.match((await store.ensureMarkers([marker('b')], nowMs + 3_600_000))[0]!, /^a;/)
      })

      it('is forgotten after its ttl', async () => {
        const [first] = await store.ensureMarkers([{ ...marker('a'), ttlMs: 30 }])
        await delay(120)
        assert.notEqual((await ensure(marker('a')))[0], first)
      })

      it('stays as it is when its request is delivered twice, and does not come back after a write', async () => {
        const requested = [marker('a')]
        const [first] = await store.ensureMarkers(requested)
        assert.deepEqual(await store.ensureMarkers(requested), [first])
        await store.releaseFences([guarded('a')], { token: '', holdMs: 0, markMs: 60_000 })
        assert.notEqual((await store.ensureMarkers(requested))[0], first)
      })
    })

    describe('as to fences', () => {
      it('removes value and lease, and refuses leases until the release', async () => {
        await write('a', 'A')
        const token = await take('b', lease('1'))
        const rows = [guarded('a'), guarded('b')]
        await store.fenceMany(rows, { token: 'w', fenceMs: 60_000, markMs: 60_000 })
        assert.deepEqual(await store.getMany([key('a')]), [null])
        assert.deepEqual(await refusalsOf(rows, lease('2')), ['fenced', 'fenced'])
        assert.deepEqual(await store.fillMany([fill('b', token, 'late')]), [false])
        await store.releaseFences(rows, { token: 'w', holdMs: 0, markMs: 60_000 })
        assert.deepEqual(await refusalsOf(rows, lease('3')), [null, null])
      })

      it('of several writers coexist', async () => {
        await store.fenceMany([guarded('a')], { token: 'w1', fenceMs: 60_000, markMs: 60_000 })
        await store.fenceMany([guarded('a')], { token: 'w2', fenceMs: soonMs, markMs: 60_000 })
        await store.releaseFences([guarded('a')], { token: 'w1', holdMs: 0, markMs: 60_000 })
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), ['fenced'])
        await delay(1.2 * soonMs)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), [null])
      })

      it('of short duration does not end a longer one', async () => {
        await store.fenceMany([guarded('a')], { token: 'long', fenceMs: 60_000, markMs: 60_000 })
        await store.fenceMany([guarded('a')], { token: 'short', fenceMs: 30, markMs: 60_000 })
        await delay(80)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), ['fenced'])
      })

      it('can be released without having been set, which removes values and leases', async () => {
        await write('a', 'A')
        const token = await take('b', lease('1'))
        await store.releaseFences([guarded('a'), guarded('b')], { token: '', holdMs: 0, markMs: 60_000 })
        assert.deepEqual(await store.getMany([key('a')]), [null])
        assert.deepEqual(await store.fillMany([fill('b', token, 'late')]), [false])
      })

      // No process stores rows of the model.
      it('can be for no rows', async () => {
        assert.equal(await store.fenceMany([], { token: 'w', fenceMs: 60_000, markMs: 60_000 }), true)
        assert.equal(await store.releaseFences([], { token: 'w', holdMs: 0, markMs: 60_000 }), true)
      })

      it('remains while it is held', async () => {
        await store.releaseFences([guarded('a')], { token: '', holdMs: soonMs, markMs: 60_000 })
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), ['fenced'])
        await delay(1.2 * soonMs)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), [null])
      })

      it('is one held fence with the last deadline, however many writes there were', async () => {
        const row = guarded('a')
        for (const [i, holdMs] of [60_000, 3_600_000, 60_000].entries()) {
          await store.fenceMany([row], { token: `w${i}`, fenceMs: 60_000, markMs: 60_000 })
          await store.releaseFences([row], { token: `w${i}`, holdMs, markMs: 60_000 })
          await store.releaseFences([row], { token: '', holdMs, markMs: 60_000 })
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
      const release = (token: string, markMs: number) =>
        store.releaseFences([guarded('a')], { token, holdMs: 0, markMs })

      it('remembers a write for a while, only against rows that were loaded before their lease', async () => {
        await release('', 60_000)
        assert.equal(await isRemembered(), true)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), [null])
      })

      it('forgets a write after its time', async () => {
        await release('', 30)
        await delay(80)
        assert.equal(await isRemembered(), false)
      })

      it('remembers a write after another that is remembered for less time', async () => {
        await release('', 60_000)
        await release('', 30)
        await delay(80)
        assert.equal(await isRemembered(), true)
      })

      it('remembers a write after a lease was taken and released', async () => {
        await release('', 60_000)
        await store.releaseLeases([guarded('a')], await take('a', lease('1')))
        assert.equal(await isRemembered(), true)
      })

      it('remembers a write after a lease was taken and used', async () => {
        await release('', 60_000)
        assert.deepEqual(await store.fillMany([fill('a', await take('a', lease('1')), 'A')]), [true])
        assert.equal(await isRemembered(), true)
      })

      it('remembers a write after a lease was taken and expired', async () => {
        await release('', 60_000)
        await take('a', { ...lease('1'), leaseMs: 20 })
        await delay(60)
        assert.equal(await isRemembered(), true)
      })

      it('remembers a write that released while another fence was set', async () => {
        await store.fenceMany([guarded('a')], { token: 'w1', fenceMs: 60_000, markMs: 30 })
        await store.fenceMany([guarded('a')], { token: 'w2', fenceMs: soonMs, markMs: 30 })
        await release('w1', 60_000)
        await delay(1.2 * soonMs)
        assert.equal(await isRemembered(), true)
      })

      it('remembers a write whose fence has expired', async () => {
        await store.fenceMany([guarded('a')], { token: 'w', fenceMs: 30, markMs: 60_000 })
        await delay(80)
        assert.equal(await isRemembered(), true)
        assert.deepEqual(await refusalsOf([guarded('a')], lease('1')), [null])
      })

      it('remembers a write whose fence expired before another was set and released', async () => {
        await store.fenceMany([guarded('a')], { token: 'w1', fenceMs: 30, markMs: 60_000 })
        await delay(80)
        await store.fenceMany([guarded('a')], { token: 'w2', fenceMs: 60_000, markMs: 60_000 })
        await release('w2', 30)
        await delay(80)
        assert.equal(await isRemembered(), true)
      })
    })

    describe('announcements', () => describeAnnouncements(it, () => store, guarded))

    describe('as to registers', () => describeRegisters(it, (change) => store.change(key('r'), change)))

    describe('the catalogue', () =>
      describeCatalogues(it, {
        ask: (request) => store.askCatalogue(key('catalogue'), request),
        readEpoch: async () => (await store.getMany([`${key('catalogue')}:epoch`]))[0],
      }))

    it('answers a ping', async () => {
      await store.ping()
    })

    it('can be closed twice', async () => {
      await store.close()
    })
  })
}
