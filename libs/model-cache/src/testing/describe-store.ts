import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { CatalogueAnswer, CatalogueRequest, GuardedKey, LeaseRequest, Store } from '../store/store.js'
import { writeValue } from './write-value.js'

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
    onlyUnsettled: false,
  })
  const fill = (name: string, token: string, value: string) => ({
    ...guarded(name),
    token,
    value,
    ttlMs: 60_000,
  })
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
      it('gives one at a time, and tells of it', async () => {
        const rows = [guarded('a'), guarded('b')]
        assert.deepEqual(await store.leaseMany(rows, lease('1')), [null, null])
        assert.deepEqual(await store.leaseMany(rows, lease('2')), ['leased', 'leased'])
      })

      it('writes under a lease, once, and under no other', async () => {
        await store.leaseMany([guarded('a')], lease('1'))
        assert.deepEqual(await store.fillMany([fill('a', '2', 'other'), fill('a', '1', 'A')]), [false, true])
        assert.deepEqual(await store.fillMany([fill('a', '1', 'again')]), [false])
        assert.deepEqual(await store.getMany([key('a')]), ['A'])
      })

      it('replaces a value, under a lease that asks for it', async () => {
        await write('a', 'old')
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('2')), ['filled'])
        assert.deepEqual(await store.leaseMany([guarded('a')], { ...lease('2'), onlyAbsent: false }), [null])
        assert.deepEqual(await store.fillMany([fill('a', '2', 'new')]), [true])
        assert.deepEqual(await store.getMany([key('a')]), ['new'])
      })

      it('lets one go that is released, by its holder', async () => {
        await store.leaseMany([guarded('a')], lease('1'))
        await store.releaseMany([guarded('a')], '2')
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('2')), ['leased'])
        await store.releaseMany([guarded('a')], '1')
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('2')), [null])
      })

      it('lets one go whose time is over, and does not write under it', async () => {
        await store.leaseMany([guarded('a')], { ...lease('1'), leaseMs: 20 })
        await delay(60)
        assert.deepEqual(await store.fillMany([fill('a', '1', 'late')]), [false])
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('2')), [null])
      })

      it('keeps many rows apart', async () => {
        const rows = Array.from({ length: 300 }, (_, i) => guarded(`row ${i}`))
        await store.leaseMany(rows.slice(0, 150), lease('1'))
        const refusals = await store.leaseMany(rows, lease('2'))
        assert.deepEqual(refusals, [...Array(150).fill('leased'), ...Array(150).fill(null)])
        const fills = rows.map((row, i) => ({ ...row, token: '2', value: `value ${i}`, ttlMs: 60_000 }))
        assert.deepEqual(await store.fillMany(fills), [...Array(150).fill(false), ...Array(150).fill(true)])
        assert.deepEqual(await store.getMany(rows.slice(149, 151).map((row) => row.key)), [null, 'value 150'])
      })
    })

    describe('as to fences', () => {
      it('removes the value and the lease, and gives none, until they are settled', async () => {
        await write('a', 'A')
        await store.leaseMany([guarded('b')], lease('1'))
        const rows = [guarded('a'), guarded('b')]
        await store.fenceMany(rows, 'w', 60_000)
        assert.deepEqual(await store.getMany([key('a')]), [null])
        assert.deepEqual(await store.leaseMany(rows, lease('2')), ['fenced', 'fenced'])
        assert.deepEqual(await store.fillMany([fill('b', '1', 'late')]), [false])
        await store.settleMany(rows, 'w', 0, 60_000)
        assert.deepEqual(await store.leaseMany(rows, lease('3')), [null, null])
      })

      it('of several writers stand side by side', async () => {
        await store.fenceMany([guarded('a')], 'w1', 60_000)
        await store.fenceMany([guarded('a')], 'w2', soonMs)
        await store.settleMany([guarded('a')], 'w1', 0, 60_000)
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('1')), ['fenced'])
        await delay(1.2 * soonMs)
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('1')), [null])
      })

      it('a short one does not end a long one', async () => {
        await store.fenceMany([guarded('a')], 'long', 60_000)
        await store.fenceMany([guarded('a')], 'short', 30)
        await delay(80)
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('1')), ['fenced'])
      })

      it('can be settled where there was none: values and leases are gone', async () => {
        await write('a', 'A')
        await store.leaseMany([guarded('b')], lease('1'))
        await store.settleMany([guarded('a'), guarded('b')], '', 0, 60_000)
        assert.deepEqual(await store.getMany([key('a')]), [null])
        assert.deepEqual(await store.fillMany([fill('b', '1', 'late')]), [false])
      })

      it('stay as long as they are held', async () => {
        await store.settleMany([guarded('a')], '', soonMs, 60_000)
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('1')), ['fenced'])
        await delay(1.2 * soonMs)
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('1')), [null])
      })

      it('are remembered for a while, by who has loaded before', async () => {
        await store.settleMany([guarded('a')], '', 0, 60_000)
        const request = { ...lease('1'), onlyUnsettled: true }
        assert.deepEqual(await store.leaseMany([guarded('a')], request), ['fenced'])
        assert.deepEqual(await store.leaseMany([guarded('a')], lease('1')), [null])
      })
    })

    describe('as to registers', () => {
      const join = (fingerprint: string, word: string, lifeMs = 60_000) =>
        ({ kind: 'join', fingerprint, word, lifeMs }) as const
      const partsOf = (text: string) => {
        const [epoch, membership, fences, membershipFences, prints] = text.split(';')
        const joined = prints!.split(' ').map((entry) => entry.split('@').slice(0, 2) as [string, string])
        return { epoch, membership, fences, membershipFences, joined: new Map(joined) }
      }

      it('makes one at the first join, and keeps its words at others', async () => {
        const first = await store.change(key('r'), join('p1', 'e1'))
        const second = await store.change(key('r'), join('p2', 'e2'))
        await store.change(key('r'), join('p2', 'e3'))
        assert.deepEqual(partsOf(first.text).joined, new Map([['p1', '0']]))
        const { epoch, membership, joined } = partsOf(second.text)
        assert.deepEqual([epoch, membership], ['e1', 'e1'])
        assert.deepEqual([joined.get('p1'), joined.get('p2')], ['0', String(second.nowMs)])
        assert.equal(partsOf((await store.getMany([key('r')]))[0]!).joined.get('p2'), String(second.nowMs))
      })

      it('leaves out fingerprints whose time is over', async () => {
        await store.change(key('r'), join('p1', 'e1', 20))
        await delay(60)
        const { joined } = partsOf((await store.change(key('r'), join('p2', 'e2'))).text)
        assert.deepEqual([...joined], [['p2', '0']])
      })

      it('has new words with each fence and each settling, and the fences in between', async () => {
        await store.change(key('r'), join('p1', 'e1'))
        const fence = { kind: 'fence', scope: 'all', token: 'w', fenceMs: 60_000 } as const
        const fenced = partsOf((await store.change(key('r'), { ...fence, word: 'e2' })).text)
        assert.deepEqual([fenced.epoch, fenced.membership], ['e2', 'e2'])
        assert.match(fenced.fences!, /^w@\d+$/)
        await store.change(key('r'), { ...fence, token: 'w2', fenceMs: soonMs, word: 'e3' })
        const settle = { kind: 'settle', scope: 'all', token: 'w', holdMs: 0, word: 'e4' } as const
        const settled = partsOf((await store.change(key('r'), settle)).text)
        assert.deepEqual([settled.epoch, settled.membership], ['e4', 'e4'])
        assert.match(settled.fences!, /^w2@\d+$/)
        await delay(1.2 * soonMs)
        const after = partsOf((await store.change(key('r'), join('p1', 'e5'))).text)
        assert.deepEqual([after.epoch, after.fences, after.joined.get('p1')], ['e4', '', '0'])
      })

      it('changes the membership word alone, under fences of its own', async () => {
        await store.change(key('r'), join('p1', 'e1'))
        const fence = { kind: 'fence', scope: 'membership', token: 'w', fenceMs: 60_000 } as const
        const fenced = partsOf((await store.change(key('r'), { ...fence, word: 'm2' })).text)
        assert.deepEqual([fenced.epoch, fenced.membership, fenced.fences], ['e1', 'm2', ''])
        assert.match(fenced.membershipFences!, /^w@\d+$/)
        const settle = { kind: 'settle', token: 'w', holdMs: 0 } as const
        const other = partsOf((await store.change(key('r'), { ...settle, scope: 'all', word: 'e3' })).text)
        assert.deepEqual([other.epoch, other.membership], ['e3', 'e3'])
        assert.match(other.membershipFences!, /^w@\d+$/)
        const own = { ...settle, scope: 'membership', word: 'm4' } as const
        const settled = partsOf((await store.change(key('r'), own)).text)
        assert.deepEqual([settled.epoch, settled.membership, settled.membershipFences], ['e3', 'm4', ''])
        assert.deepEqual(settled.joined, new Map([['p1', '0']]))
      })

      it('holds a scope for as long as its settling says', async () => {
        for (const scope of ['all', 'membership'] as const) {
          const settle = { kind: 'settle', scope, token: '', holdMs: 60_000, word: scope } as const
          await store.change(key(scope), settle)
        }
        const [all, membership] = (await store.getMany([key('all'), key('membership')])).map((text) =>
          partsOf(text!),
        )
        assert.match(all!.fences!, /^held@\d+$/)
        assert.equal(all!.membershipFences, '')
        assert.match(membership!.membershipFences!, /^held@\d+$/)
        assert.equal(membership!.fences, '')
      })
    })

    describe('the catalogue', () => {
      const ask = (request: Partial<CatalogueRequest> = {}): Promise<CatalogueAnswer> =>
        store.askCatalogue(key('catalogue'), { known: '', word: 'w1', isWriter: false, ...request })
      const put = (...fields: string[]): Partial<CatalogueRequest> => ({
        put: new Map(fields.map((field) => [field, `text; of ${field}`])),
      })
      const fieldsOf = ({ entries = [] }: CatalogueAnswer): string[] =>
        entries.map(({ field }) => field).toSorted()

      it('is created with the word of who asks first, which readers get as a value', async () => {
        assert.deepEqual(await store.getMany([`${key('catalogue')}:word`]), [null])
        const created = await ask()
        assert.deepEqual([created.word, created.entries], ['w1', []])
        assert.deepEqual(await store.getMany([`${key('catalogue')}:word`]), ['w1'])
        assert.equal((await ask({ word: 'w2' })).word, 'w1')
      })

      it('gives its entries to those who do not know its version', async () => {
        const { version } = await ask(put('User:f1'))
        assert.equal((await ask({ known: version })).entries, undefined)
        const added = await ask({ known: version, ...put('Lot:f2') })
        assert.deepEqual(fieldsOf(added), ['Lot:f2', 'User:f1'])
        assert.equal(added.entries?.find(({ field }) => field === 'Lot:f2')?.text, 'text; of Lot:f2')
        assert.equal((await ask({ known: added.version, ...put('Lot:f2') })).entries, undefined)
      })

      it('tells when an entry was added, unless no writer had asked by then', async () => {
        const before = await ask(put('User:f1'))
        assert.equal(before.entries?.[0]?.addedMs, 0)
        await ask({ isWriter: true })
        await ask(put('User:f1', 'Lot:f2'))
        const after = await ask()
        const added = new Map(after.entries?.map(({ field, addedMs }) => [field, addedMs]))
        assert.equal(added.get('User:f1'), 0)
        assert.ok(Math.abs(after.nowMs - added.get('Lot:f2')!) < 60_000)
      })

      it('counts no writer who knows another word', async () => {
        await ask({ isWriter: true, known: 'another.3' })
        assert.equal((await ask(put('User:f1'))).entries?.[0]?.addedMs, 0)
        await ask({ isWriter: true, known: (await ask()).version })
        const { entries = [] } = await ask(put('Lot:f2'))
        assert.notEqual(entries.find(({ field }) => field === 'Lot:f2')?.addedMs, 0)
      })

      it('removes an entry unless it has been put again since it was read', async () => {
        const { entries: [stale] = [] } = await ask(put('User:f1'))
        await ask(put('User:f1'))
        assert.deepEqual(fieldsOf(await ask({ remove: [stale!] })), ['User:f1'])
        const { entries: [current] = [] } = await ask()
        assert.deepEqual(fieldsOf(await ask({ remove: [current!] })), [])
      })
    })

    it('answers a ping', async () => {
      await store.ping()
    })

    it('can be closed twice', async () => {
      await store.close()
    })
  })
}
