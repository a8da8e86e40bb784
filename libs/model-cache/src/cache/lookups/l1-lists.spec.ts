import { setImmediate as turn } from 'node:timers/promises'
import { InvalidIdError } from '../../errors.js'
import type { CacheContext } from '../context.js'
import type { BoundLookup } from '../policy/lookup-options.js'
import { CachedLookup, type CachedLookupParts } from './cached-lookup.js'
import { L1Lists, type L1ListsParts } from './l1-lists.js'
import type { LookupEntry } from './lookup-entry.js'

interface Post {
  readonly id: number
}

function open({ isUp = true as boolean | undefined, isMember = true } = {}) {
  const state = { isUp, isMember }
  const [entryChanges, rowChanges] = [{ changes: 0 }, { changes: 0 }]
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
    },
    telemetry: {
      observer: {
        reads: (...args: unknown[]) => observed.push(args),
        readSeconds: (...args: unknown[]) => observed.push(args),
      },
    },
  } as unknown as CacheContext<LookupEntry<Post>, unknown>
  const l1Lists = new L1Lists(context, {
    matcher: {
      rowsHoldKey: false,
      keyOf: () => undefined,
      fulfils: () => state.isMember,
      orderDigestOf: () => 0,
    },
    rowKeys: { toRowId: (id: number) => id },
    entries: Object.assign(entryChanges, {
      get: (key: unknown) => {
        found++
        return entries.get(key)
      },
    }),
    rows: Object.assign(rowChanges, { get: (id: unknown) => rows.get(id) }),
  } as unknown as L1ListsParts<Post, number>)
  const put = (key: string, ids: readonly number[]) => {
    entries.set(key, { key, ids, orderDigest: 0 })
    for (const id of ids) rows.set(id, { id })
  }
  return { l1Lists, put, entries, rows, entryChanges, rowChanges, observed, lookups: () => found }
}

describe('lists in memory', () => {
  it('are found once in a turn, and given to each caller in an array of its own', async () => {
    const { l1Lists, put, observed, lookups } = open()
    put('a', [1, 2])
    const [first, second] = [l1Lists.get('a')!, l1Lists.get('a')!]
    expect(first).toEqual([{ id: 1 }, { id: 2 }])
    expect(first).not.toBe(second)
    expect(first[0]).toBe(second[0])
    expect(lookups()).toBe(1)
    await turn()
    expect(observed).toEqual([
      ['l1', 'hit', 2],
      [0, 2, 'hit'],
    ])
    l1Lists.get('a')
    expect(lookups()).toBe(2)
  })

  it.each(['entryChanges', 'rowChanges'] as const)(
    'are looked for again as soon as L1 changes (%s)',
    (of) => {
      const { l1Lists, put, entries, ...changes } = open()
      put('a', [1])
      expect(l1Lists.get('a')).toHaveLength(1)
      entries.clear()
      expect(l1Lists.get('a')).toHaveLength(1)
      changes[of].changes++
      expect(l1Lists.get('a')).toBeUndefined()
    },
  )

  it('are left to the store if a row is missing, does not belong to them, or the key is invalid', () => {
    const { l1Lists, put, entries, rows } = open()
    put('a', [1, 2])
    rows.delete(2)
    expect([l1Lists.get('a'), l1Lists.get('b'), l1Lists.get(7)]).toEqual([undefined, undefined, undefined])
    entries.set('c', null)
    expect(l1Lists.get('c')).toEqual([])
    const other = open({ isMember: false })
    other.put('a', [1])
    expect(other.l1Lists.get('a')).toBeUndefined()
  })

  it('of more than 250 rows, or after 10,000 lists in a turn, are read in time slices', async () => {
    const { l1Lists, put } = open()
    const ids = Array.from({ length: 251 }, (_, id) => id)
    put('long', ids)
    put('fits', ids.slice(1))
    expect([l1Lists.get('long'), l1Lists.get('fits')?.length]).toEqual([undefined, 250])
    put('a', [1])
    for (let i = 1; i < 10_000; i++) l1Lists.get('a')
    expect(l1Lists.get('a')).toBeUndefined()
    await turn()
    expect(l1Lists.get('a')).toHaveLength(1)
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
