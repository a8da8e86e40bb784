import { jest } from '@jest/globals'
import type { Fill, RowId } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import { InFlight } from '../in-flight.js'
import { Filler } from './filler.js'

interface Lot {
  readonly id: string
}

/** A filler whose store answers as `state` says. */
function open() {
  const state = { areStored: true, outdated: [] as RowId[] }
  const counts: [string, number][] = []
  const large: number[] = []
  const released: (readonly [keys: readonly string[], token: string])[] = []
  const context = {
    model: {
      name: 'Lot',
      codec: { fingerprint: 'f' },
      store: { fillMany: async (fills: readonly Fill[]) => fills.map(() => state.areStored) },
    },
    policy: { ttlMs: 1_000, notFoundTtlMs: 500, staleForMs: 0 },
    runtime: { inFlight: new InFlight() },
    coherence: {
      clock: { isCurrent: (rowId: RowId) => !state.outdated.includes(rowId) },
      leases: {
        release: async (keys: readonly { key: string }[], token: string) =>
          void released.push([keys.map(({ key }) => key), token]),
      },
    },
    telemetry: {
      observer: {
        fills: (outcome: string, count: number) => counts.push([outcome, count]),
        payloadBytes: () => {},
      },
      largePayloads: { notice: (bytes: number) => large.push(bytes) },
    },
  } as unknown as CacheContext<Lot, string>
  const filler = new Filler(context)
  const holder = (rowId: string, token = 't') => ({ rowId, key: rowId, guard: `${rowId}:l`, token, since: 0 })
  const stored: [string, boolean][] = []
  const add = (rowId: string) =>
    filler.add({
      holder: holder(rowId),
      payload: 'payload',
      epoch: 'e',
      isBrief: false,
      onStored: (isStored) => stored.push([rowId, isStored]),
    })
  return { filler, holder, add, state, counts, large, released, stored }
}

describe('rows that are sent to the store', () => {
  it('are counted, each outcome only if a row has it', async () => {
    const { add, counts, filler, state } = open()
    add('a')
    await filler.flush()
    state.areStored = false
    for (const id of ['b', 'c']) add(id)
    await filler.flush()
    expect(counts).toEqual([
      ['stored', 1],
      ['lease_lost', 2],
    ])
  })

  it('tell whether the store has taken them', async () => {
    const { add, counts, filler, released, state, stored } = open()
    add('a')
    add('b')
    state.outdated = ['b']
    await filler.flush()
    expect(stored.toSorted()).toEqual([
      ['a', true],
      ['b', false],
    ])
    expect(counts).toContainEqual(['outdated', 1])
    expect(released).toEqual([[['b'], 't']])
  })

  it('are noticed if they are large', () => {
    const { add, large } = open()
    add('a')
    expect(large).toEqual([expect.any(Number)])
  })

  it('are waited for while they are sent, and forgotten then', async () => {
    const { add, filler } = open()
    for (const id of ['a', 'b', 'c']) {
      add(id)
      await filler.flush()
    }
    const all = jest.spyOn(Promise, 'all')
    try {
      await filler.flush()
      const waitedFor = all.mock.calls.map(([promises]) => [...(promises as Iterable<unknown>)].length)
      expect(waitedFor).toEqual([0])
    } finally {
      all.mockRestore()
    }
  })
})

it('gives up leases with one command for each token, and none without any', async () => {
  const { filler, holder, released } = open()
  await filler.flush()
  filler.release(holder('a', 't1'))
  filler.release(holder('b', 't2'))
  filler.release(holder('c', 't1'))
  filler.release({ ...holder('d'), token: null })
  await filler.flush()
  await filler.flush()
  expect(released).toEqual([
    [['a', 'c'], 't1'],
    [['b'], 't2'],
  ])
})
