import { jest } from '@jest/globals'
import { Slicer } from '@model-cache/event-loop/internal'
import type { RowId } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import type { Entry, Filler } from './filler.js'
import { noEpochs } from '../read/read.js'
import { Primer } from './primer.js'

interface Lot {
  readonly id: string
}
afterEach(() => {
  jest.restoreAllMocks()
})

const lots = (...ids: string[]): Lot[] => ids.map((id) => ({ id }))

/** A primer that gets these leases: a refusal for each id, or null for a lease. */
function open(refusals: Readonly<Record<string, string | null>> = {}) {
  const counts: [string, number][] = []
  const added: string[] = []
  const released: string[] = []
  const pending = new Set<RowId>()
  const state = { onEncode: () => {}, encoded: 0, asked: 0, flushes: 0 }
  const context = {
    model: {
      keys: {
        rowIdOf: ({ id }: Lot) => id,
        guardedKeyOf: (rowId: RowId) => ({ key: String(rowId), guard: `${rowId}:l` }),
      },
      codec: {
        fingerprint: 'f',
        encode: ({ id }: Lot) => {
          state.encoded++
          state.onEncode()
          return `lot ${id}`
        },
        normalize: (row: Lot) => row,
      },
    },
    runtime: { slicer: new Slicer() },
    coherence: {
      clock: { now: () => 3 },
      pending,
      register: { readForLoaded: async () => ({ epoch: 'e', mayFill: true }) },
      leases: {
        takeForLoaded: async (keys: readonly { key: string }[]) => {
          state.asked++
          return keys.map(({ key }) => {
            const refusal = refusals[key] ?? null
            return { token: refusal === null ? 't' : null, refusal }
          })
        },
      },
    },
    telemetry: {
      observer: {
        fills: (outcome: string, count: number) => counts.push([outcome, count]),
        syncSeconds: () => {},
      },
    },
  } as unknown as CacheContext<Lot, string>
  const filler = {
    encodeLoaded: ({ id }: Lot) => (id === 'refused' ? undefined : `lot ${id}`),
    add: ({ holder, onStored, payload }: Entry) => {
      added.push(`${holder.rowId}: ${payload}`)
      onStored?.(true)
    },
    release: ({ key }: { key: string }) => released.push(key),
    flush: async () => void state.flushes++,
  } as unknown as Filler<Lot, string>
  return { primer: new Primer(context, filler), state, counts, added, released, pending }
}

describe('rows that the cache has loaded with a list', () => {
  it.each([
    ['leased', 'stored', ['not_leased', 1]],
    ['filled', 'stored', ['not_leased', 1]],
    ['fenced', 'written', ['not_leased', 1]],
    ['marked', 'written', ['not_leased', 1]],
    ['store_error', 'written', ['not_leased', 1]],
    ['late', 'written', ['not_leased', 1]],
    ['evicting', 'written', ['evicting', 1]],
  ] as const)('may have been written if a lease is refused (%s: %s)', async (refusal, outcome, count) => {
    const { added, counts, primer } = open({ b: refusal })
    expect(await (await primer.prepare(lots('a', 'b'), 0, { epoch: 'e' }))()).toBe(outcome)
    expect([added, counts]).toEqual([['a: lot a'], [count]])
  })

  it('have been written if an invalidation of them is pending', async () => {
    const { added, pending, primer, released } = open({ b: 'leased' })
    pending.add('a')
    expect(await (await primer.prepare(lots('a'), 0, { epoch: 'e' }))()).toBe('written')
    expect([added, released]).toEqual([[], ['a']])
    pending.add('b')
    expect(await (await primer.prepare(lots('b'), 0, { epoch: 'e' }))()).toBe('written')
  })

  it('may have been written if some of them are never stored', async () => {
    const { added, primer } = open()
    expect(await (await primer.prepare(lots('a', 'refused'), 0, { epoch: 'e' }))()).toBe('written')
    expect(await (await primer.prepare(lots('b', 'x'.repeat(10_000)), 0, { epoch: 'e' }))()).toBe('written')
    expect(added).toEqual(['a: lot a', 'b: lot b'])
  })

  it('are none, so that nothing is asked and nothing counted', async () => {
    const { counts, primer, state } = open()
    expect(await (await primer.prepare([], 0, noEpochs))()).toBe('stored')
    expect([counts, state]).toMatchObject([[], { asked: 0, flushes: 0 }])
  })
})

describe('rows that the application gives', () => {
  it.each([
    [0, 25],
    [0.25, 4],
  ])(
    'are stored as they were at the call, if an encoding takes %d ms: %i are encoded at once',
    async (ms, atOnce) => {
      const { added, primer, state } = open()
      let nowMs = 0
      jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
      state.onEncode = () => void (nowMs += ms)
      const ids = Array.from({ length: 25 }, (_, n) => `${n}`)
      const rows = lots(...ids)
      const storing = primer.store(rows)
      expect(state.encoded).toBe(atOnce)
      for (const row of rows) Object.assign(row, { id: 'changed' })
      rows.length = 0
      await storing
      expect(added).toEqual(ids.map((id) => `${id}: lot ${id}`))
    },
  )
})
