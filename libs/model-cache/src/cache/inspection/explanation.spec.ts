import { jest } from '@jest/globals'
import { manualClock } from '../../../../../test/support/manual-clock.js'
import { entryIdOf, type RowId } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import type { L1 } from '../read/l1.js'
import { History } from '../telemetry/history.js'
import { explainGuard, explainLocally, explainStored } from './explanation.js'

afterEach(() => {
  jest.restoreAllMocks()
})

const entryId = entryIdOf('ofOwner', 'ada')

function open({ isUp = undefined as boolean | undefined, pending = [] as RowId[] } = {}) {
  const history = new History()
  const context = {
    coherence: {
      backplane: isUp === undefined ? undefined : { isUp },
      pending: { has: (rowId: RowId) => pending.includes(rowId) },
    },
    telemetry: { history },
  } as unknown as CacheContext<{ id: number }, number>
  const l1 = { has: (rowId: RowId) => rowId === 1 } as unknown as L1<{ id: number }>
  const explain = (rowId: RowId, memory: L1<{ id: number }> | undefined = l1) =>
    explainLocally(context, memory, rowId)
  return { context, explain, history, l1 }
}

describe('what a process knows of a row by itself', () => {
  it('is nothing at first', () => {
    const { context } = open()
    expect(explainLocally(context, undefined, 1)).toEqual({
      l1: undefined,
      isInvalidationPending: false,
      lastMiss: undefined,
      lastWrite: undefined,
      lastUnknownWrite: undefined,
    })
  })

  it.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])('is whether L1 has it, and whether messages arrive (%p)', (isUp, isTrusted) => {
    const { explain } = open({ isUp })
    expect(explain(1).l1).toEqual({ isHeld: true, isTrusted })
    expect(explain(2).l1).toEqual({ isHeld: false, isTrusted })
  })

  it('is whether its invalidation is pending', () => {
    const { explain } = open({ pending: [2] })
    expect([1, 2].map((id) => explain(id).isInvalidationPending)).toEqual([false, true])
  })

  it('is when and why it was missed and written', () => {
    const clock = manualClock()
    const { explain, history } = open()
    clock.pass(1_000)
    history.missed(1, 'expired')
    clock.pass(20)
    history.written([1, 2, 1, entryId], 'another process')
    clock.pass(2.7)
    expect(explain(1)).toMatchObject({
      lastMiss: { reason: 'expired', agoMs: 23 },
      lastWrite: { by: 'another process', agoMs: 3, rows: [1, 2], rowCount: 2 },
      lastUnknownWrite: undefined,
    })
    expect(explain(entryId).lastWrite).toEqual({ by: 'another process', agoMs: 3, rows: [1, 2], rowCount: 2 })
  })

  it('is ten rows of the same write, and how many there are', () => {
    const { explain, history } = open()
    history.written(
      Array.from({ length: 12 }, (_, id) => id),
      'log',
    )
    expect(explain(11).lastWrite).toMatchObject({
      by: 'log',
      rows: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      rowCount: 12,
    })
  })

  it('is when it wrote unknown rows, or created some', () => {
    const clock = manualClock()
    const { explain, history } = open()
    history.writtenUnknown('existence')
    clock.pass(7)
    expect(explain(entryId).lastUnknownWrite).toEqual({ agoMs: 7, what: 'created' })
    expect(explain(1).lastUnknownWrite).toBeUndefined()
    history.writtenUnknown('all')
    clock.pass(2)
    for (const id of [entryId, 1]) expect(explain(id).lastUnknownWrite).toEqual({ agoMs: 2, what: 'all' })
  })
})

describe('what guards a row', () => {
  const nowMs = 1_764_000_000_000

  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(nowMs)
  })

  it.each([
    ['nothing', null, { guard: 'none', holders: [] }],
    [
      'a load',
      `0;AbCd.1@${(nowMs + 1) * 1_000};`,
      { guard: 'lease', holders: [`AbCd.1@${(nowMs + 1) * 1_000}`] },
    ],
    [
      'writes',
      `0;;AbCd.1@${nowMs + 1} AbCd.2@${nowMs + 5} AbCd.3@${nowMs}`,
      { guard: 'fences', holders: [`AbCd.1@${nowMs + 1}`, `AbCd.2@${nowMs + 5}`] },
    ],
    ['a recent write', `${nowMs + 1};;`, { guard: 'released', holders: [] }],
    ['a fence that has expired', `0;;AbCd.1@${nowMs}`, { guard: 'released', holders: [] }],
  ])('is %s', (_, value, explained) => {
    expect(explainGuard(value)).toEqual(explained)
  })

  it('does not show what is stored', () => {
    const times = { createdMs: nowMs - 10, expiresMs: nowMs + 30, length: 70 }
    expect(explainStored({ isHit: true, row: { id: 1 }, payload: '{"id":1}', ...times })).toEqual({
      isHit: true,
      ageMs: 10,
      expiresInMs: 30,
      length: 70,
    })
    expect(explainStored({ isHit: false, reason: 'expired' })).toEqual({ isHit: false, reason: 'expired' })
  })
})
