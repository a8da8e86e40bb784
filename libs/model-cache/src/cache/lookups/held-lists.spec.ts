import { setImmediate as turn } from 'node:timers/promises'
import { InvalidIdError } from '../../errors.js'
import type { CacheContext } from '../context.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import { CachedLookup, type CachedLookupParts } from './cached-lookup.js'
import { HeldLists, type HeldListsParts } from './held-lists.js'
import type { LookupEntry } from './lookup-entry.js'

interface Post {
  readonly id: number
}

function open({ isUp = true as boolean | undefined, isMember = true } = {}) {
  const state = { now: 1, isUp, isMember }
  const entries = new Map<unknown, LookupEntry<Post> | null>()
  const rows = new Map<unknown, Post>()
  const observed: unknown[] = []
  let found = 0
  const context = {
    model: {
      keys: {
        toRowId: (key: unknown) => {
          if (typeof key !== 'string') throw new InvalidIdError('Post.byAuthor', 'a string', key)
          return key
        },
      },
    },
    coherence: {
      backplane: state.isUp === undefined ? undefined : { isUp: state.isUp },
      clock: { now: () => state.now },
    },
    telemetry: {
      observer: {
        reads: (...args: unknown[]) => observed.push(args),
        readSeconds: (...args: unknown[]) => observed.push(args),
      },
    },
  } as unknown as CacheContext<LookupEntry<Post>, unknown>
  const held = new HeldLists(context, {
    matcher: {
      rowsHoldKey: false,
      keyOf: () => undefined,
      fulfils: () => state.isMember,
      orderDigestOf: () => 0,
    },
    rowKeys: { toRowId: (id: number) => id },
    entries: {
      get: (key: unknown) => {
        found++
        return entries.get(key)
      },
    },
    rows: { get: (id: unknown) => rows.get(id) },
  } as unknown as HeldListsParts<Post, number>)
  const put = (key: string, ids: readonly number[]) => {
    entries.set(key, { key, ids, orderDigest: 0 })
    for (const id of ids) rows.set(id, { id })
  }
  return { held, put, entries, rows, state, observed, lookups: () => found }
}

describe('lists in memory', () => {
  it('are found once in a turn, and given to each caller in an array of its own', async () => {
    const { held, put, observed, lookups } = open()
    put('a', [1, 2])
    const [first, second] = [held.get('a')!, held.get('a')!]
    expect(first).toEqual([{ id: 1 }, { id: 2 }])
    expect(first).not.toBe(second)
    expect(first[0]).toBe(second[0])
    expect(lookups()).toBe(1)
    await turn()
    expect(observed).toEqual([
      ['l1', 'hit', 2],
      [0, 2, 'hit'],
    ])
    held.get('a')
    expect(lookups()).toBe(2)
  })

  it('are looked for again as soon as anything is invalidated', () => {
    const { held, put, entries, state } = open()
    put('a', [1])
    expect(held.get('a')).toHaveLength(1)
    entries.clear()
    expect(held.get('a')).toHaveLength(1)
    state.now++
    expect(held.get('a')).toBeUndefined()
  })

  it('are left to the store while the process does not hear of writes', () => {
    const [lost, alone] = [open({ isUp: false }), open({ isUp: undefined })]
    for (const { put } of [lost, alone]) put('a', [1])
    expect([lost.held.get('a'), alone.held.get('a')]).toEqual([undefined, [{ id: 1 }]])
  })

  it('are left to the store if a row is missing, does not belong to them, or the key is invalid', () => {
    const { held, put, entries, rows } = open()
    put('a', [1, 2])
    rows.delete(2)
    expect([held.get('a'), held.get('b'), held.get(7)]).toEqual([undefined, undefined, undefined])
    entries.set('c', null)
    expect(held.get('c')).toEqual([])
    const other = open({ isMember: false })
    other.put('a', [1])
    expect(other.held.get('a')).toBeUndefined()
  })

  it('of more than 250 rows, or after 10,000 lists in a turn, are read in time slices', async () => {
    const { held, put } = open()
    const ids = Array.from({ length: 251 }, (_, id) => id)
    put('long', ids)
    put('fits', ids.slice(1))
    expect([held.get('long'), held.get('fits')?.length]).toEqual([undefined, 250])
    put('a', [1])
    for (let i = 1; i < 10_000; i++) held.get('a')
    expect(held.get('a')).toBeUndefined()
    await turn()
    expect(held.get('a')).toHaveLength(1)
  })
})

it('no keys are answered without a read', async () => {
  const reads = { getMany: () => Promise.reject(new Error('must not be read')) }
  const transactionReads = { current: () => undefined }
  const lookup = new CachedLookup(
    { name: 'byAuthor', kind: 'list' } as BoundLookup,
    {} as CacheContext<LookupEntry<Post>, unknown>,
    { reads, transactionReads } as unknown as CachedLookupParts<Post, number>,
  )
  expect(await lookup.findMany([])).toEqual([])
})
