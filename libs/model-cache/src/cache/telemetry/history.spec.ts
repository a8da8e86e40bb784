import { jest } from '@jest/globals'
import { manualClock } from '../../../../../test/support/manual-clock.js'
import { entryIdOf } from '../../protocol/index.js'
import { History } from './history.js'

afterEach(() => {
  jest.restoreAllMocks()
})

const entryId = entryIdOf('ofOwner', 'ada')

it('remembers the last miss and the last write of a row', () => {
  const clock = manualClock()
  const startMs = performance.now()
  const history = new History()
  expect(history.of(1)).toEqual({ unknownWrite: undefined })
  history.missed(1, 'not_cached')
  clock.pass(1)
  history.written([1, 2], 'this process')
  clock.pass(1)
  history.missed(1, 'invalidated')
  expect(history.of(1).write).toMatchObject({ by: 'this process' })
  clock.pass(1)
  history.written([1], 'log')
  expect(history.of(1)).toEqual({
    miss: { reason: 'invalidated', atMs: startMs + 2 },
    write: { atMs: startMs + 3, by: 'log', rowIds: [1] },
    unknownWrite: undefined,
  })
  expect(history.of(2)).toMatchObject({
    miss: undefined,
    write: { atMs: startMs + 1, by: 'this process', rowIds: [1, 2] },
  })
})

it('remembers the last 1,000 rows', () => {
  const history = new History()
  for (let id = 0; id < 997; id++) history.missed(id, 'expired')
  history.written([997, 998, 999], 'log')
  expect(history.of(0).miss).toBeDefined()
  history.written([1_000], 'log')
  expect([history.of(0).miss, history.of(1).miss?.reason]).toEqual([undefined, 'expired'])
})

it('remembers the last rows of a larger write', () => {
  const history = new History()
  const rowIds = Array.from({ length: 1_001 }, (_, id) => id)
  history.written(rowIds, 'log')
  expect([history.of(0).write, history.of(1).write?.rowIds, history.of(1_000).write?.by]).toEqual([
    undefined,
    rowIds,
    'log',
  ])
})

describe('a write to unknown rows', () => {
  const scopes = (history: History) => [1, entryId].map((rowId) => history.of(rowId).unknownWrite?.scope)

  it('concerns entries alone if it created rows', () => {
    const history = new History()
    history.writtenUnknown('existence')
    expect(scopes(history)).toEqual([undefined, 'existence'])
  })

  it('concerns rows and entries otherwise', () => {
    const history = new History()
    history.writtenUnknown('all')
    expect(scopes(history)).toEqual(['all', 'all'])
  })

  it('is the later one of two, and the wider one of those at one time', () => {
    const clock = manualClock()
    const startMs = performance.now()
    const history = new History()
    history.writtenUnknown('existence')
    history.writtenUnknown('all')
    expect(scopes(history)).toEqual(['all', 'all'])
    clock.pass(1)
    history.writtenUnknown('existence')
    expect(scopes(history)).toEqual(['all', 'existence'])
    expect(history.of(entryId).unknownWrite!.atMs).toBe(startMs + 1)
    clock.pass(1)
    history.writtenUnknown('all')
    expect(scopes(history)).toEqual(['all', 'all'])
  })
})
