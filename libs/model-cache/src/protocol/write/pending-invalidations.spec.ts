import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../../../../test/support/eventually.js'
import type { RowId } from '../format/row-id.js'
import { PendingInvalidations } from './pending-invalidations.js'

const down = new Error('the store is down')

/** Invalidations, and a store that can refuse or hold them. */
function open() {
  const released: unknown[] = []
  const holds: number[] = []
  const logged: string[] = []
  const store = { isDown: false, gate: undefined as Promise<void> | undefined }
  const release = async (what: unknown, holdMs: number) => {
    if (store.isDown) throw new Error('the store does not answer')
    released.push(what)
    holds.push(holdMs)
    await store.gate
  }
  const pending = new PendingInvalidations(
    'Lot',
    { rows: (rows, holdMs) => release([...rows], holdMs), model: (holdMs) => release('all', holdMs) },
    { warn: () => logged.push('warn'), info: () => logged.push('info') },
  )
  return { pending, released, holds, logged, store }
}

const rowsOf = (count: number): RowId[] => Array.from({ length: count }, (_, i) => i)

describe('pending invalidations', () => {
  it('have their rows until the store has taken them', async () => {
    const { pending, released, logged } = open()
    expect([pending.isEmpty, pending.size, pending.has('a')]).toEqual([true, 0, false])
    pending.add(['a', 'b'], down)
    expect([pending.isEmpty, pending.size, pending.has('a'), pending.has('c')]).toEqual([
      false,
      2,
      true,
      false,
    ])
    await pending.settled()
    expect([pending.isEmpty, pending.size, pending.has('a')]).toEqual([true, 0, false])
    expect([released, logged]).toEqual([[['a', 'b']], ['warn', 'info']])
  })

  it('have rows that are on their way to the store, and release those that are written meanwhile', async () => {
    const { pending, released, store } = open()
    const gate = Promise.withResolvers<void>()
    store.gate = gate.promise
    pending.add(['a', 'b'], down)
    await eventually(() => released.length > 0)
    expect([pending.has('a'), pending.size, pending.isEmpty]).toEqual([true, 2, false])
    pending.add(['a', 'c'], down)
    expect([pending.has('c'), pending.size]).toEqual([true, 3])
    gate.resolve()
    await pending.settled()
    expect(released).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ])
  })

  it('are tried again, and warned of once, until the store takes them', async () => {
    const { pending, released, logged, store } = open()
    store.isDown = true
    pending.add(['a'], down)
    pending.add(['b'], down)
    await delay(150)
    expect([pending.has('a'), pending.size, logged]).toEqual([true, 2, ['warn']])
    store.isDown = false
    await pending.settled()
    expect([released, logged]).toEqual([[['a', 'b']], ['warn', 'info']])
    pending.add(['c'], down)
    await pending.settled()
    expect([released.length, logged]).toEqual([2, ['warn', 'info', 'warn', 'info']])
  })

  it('are released a thousand at a time, and are not sent again once the store has taken them', async () => {
    const { pending, released, store } = open()
    const gate = Promise.withResolvers<void>()
    store.gate = gate.promise
    pending.add(rowsOf(2_500), down)
    await eventually(() => released.length > 0)
    expect(pending.size).toBe(2_500)
    store.isDown = true
    gate.resolve()
    await eventually(() => pending.size === 1_500)
    expect([pending.has(999), pending.has(1_000)]).toEqual([false, true])
    store.isDown = false
    await pending.settled()
    const parts = released as RowId[][]
    expect(parts.map(({ length }) => length)).toEqual([1_000, 1_000, 500])
    expect(new Set(parts.flat())).toEqual(new Set(rowsOf(2_500)))
  })

  it('become all rows of the model above 10,000', async () => {
    const { pending, released } = open()
    pending.add(rowsOf(10_000), down)
    expect([pending.size, pending.has('x')]).toEqual([10_000, false])
    pending.add(['x'], down)
    expect([pending.size, pending.has('y'), pending.isEmpty]).toEqual(['all', true, false])
    await pending.settled()
    expect([released, pending.has('y'), pending.size]).toEqual([['all'], false, 0])
  })

  it('of the whole model are released again if another one comes meanwhile', async () => {
    const { pending, released, store } = open()
    const gate = Promise.withResolvers<void>()
    store.gate = gate.promise
    pending.addAll(down)
    await eventually(() => released.length > 0)
    pending.addAll(down)
    gate.resolve()
    await pending.settled()
    expect(released).toEqual(['all', 'all'])
  })

  it('hold their rows for as long as the longest of them has asked for, and no longer', async () => {
    const { pending, holds } = open()
    pending.add(['a'], down, 60_000)
    pending.add(['b'], down)
    await pending.settled()
    expect(holds).toHaveLength(1)
    expect(holds[0]!).toBeGreaterThan(0)
    expect(holds[0]!).toBeLessThanOrEqual(60_000)
    const other = open()
    other.pending.add(['a'], down)
    await other.pending.settled()
    expect(other.holds).toEqual([0])
  })

  it('are tried once more when the process ends', async () => {
    const { pending, released, logged } = open()
    pending.add(['a'], down)
    await pending.stop()
    expect([released, pending.isEmpty, logged]).toEqual([[['a']], true, ['warn']])
    await pending.settled()
    await pending.stop()
    expect(released).toHaveLength(1)
  })

  it('are given up with one warning if the store does not take them when the process ends', async () => {
    const { pending, logged, store } = open()
    store.isDown = true
    pending.add(['a'], down)
    await pending.stop()
    expect(logged).toEqual(['warn', 'warn'])
    await expect(pending.settled()).rejects.toThrow('the process ends')
    pending.add(['b'], down)
    await delay(120)
    expect([logged, pending.has('b')]).toEqual([['warn', 'warn'], true])
  })

  it('are warned of if they come after the end of the process', async () => {
    const { pending, logged, released } = open()
    await pending.stop()
    expect(logged).toEqual([])
    pending.addAll(down)
    await delay(120)
    expect([logged, released, pending.size]).toEqual([['warn'], [], 'all'])
  })
})
