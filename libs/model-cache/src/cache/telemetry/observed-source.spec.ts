import { jest } from '@jest/globals'
import { manualClock } from '../../../../../test/support/manual-clock.js'
import type { Source } from '../../source/source.js'
import { observedSource } from './observed-source.js'
import type { ModelObserver } from './observer.js'

afterEach(() => {
  jest.restoreAllMocks()
})

interface Lot {
  readonly id: number
}

function open(source: Partial<Source<Lot, number>>, onUse?: () => void) {
  const seen: unknown[] = []
  const observer = {
    load: (...args: unknown[]) => seen.push(args),
    syncSeconds: (...args: unknown[]) => seen.push(args),
  } as unknown as ModelObserver
  const inner = { load: async () => [], mayBlameOneId: (error: unknown) => error === 'one id', ...source }
  return { inner, observed: observedSource<Lot, number>(inner, observer, onUse), seen }
}

it('says how long a source was called, and when it ended', async () => {
  const clock = manualClock()
  const given: unknown[] = []
  const { observed, seen } = open({
    load: (ids, client) => {
      given.push(ids, client)
      clock.pass(20)
      return Promise.resolve().then(() => {
        clock.pass(1_000)
        return [{ id: 1 }]
      })
    },
  })
  const client = {}
  expect(await observed.load([1, 2], client)).toEqual([{ id: 1 }])
  expect(given).toEqual([[1, 2], client])
  expect(seen).toEqual([
    ['load', 0.02],
    ['loaded', 1.02, 2],
  ])
})

it('says that a source loaded if it failed as it has no such row', async () => {
  const { observed, seen } = open({
    load: async () => {
      throw new Error('no row')
    },
    isAnswer: (_, id) => id === 1,
  })
  for (const ids of [[1], [1, 2]]) await expect(observed.load(ids)).rejects.toThrow('no row')
  expect(seen).toEqual([
    ['load', expect.any(Number)],
    ['loaded', expect.any(Number), 1],
    ['load', expect.any(Number)],
    ['failed', expect.any(Number), 2],
  ])
})

it('says that a source failed', async () => {
  const clock = manualClock()
  const { observed, seen } = open({
    load: async () => {
      clock.pass(500)
      throw new Error('no connection')
    },
  })
  await expect(observed.load([1])).rejects.toThrow('no connection')
  expect(seen).toEqual([
    ['load', 0.5],
    ['failed', 0.5, 1],
  ])
})

it('announces each call that reads the source', async () => {
  let uses = 0
  const { observed } = open({ find: async () => [{ id: 1 }] }, () => void uses++)
  await observed.load([1])
  expect(uses).toBe(1)
  expect(await observed.find!({ where: {}, orderBy: [] })).toEqual([{ id: 1 }])
  expect(uses).toBe(2)
})

it('needs no one to whom calls are announced', async () => {
  const given: unknown[] = []
  const { observed } = open({
    find: async (...args) => {
      given.push(...args)
      return []
    },
  })
  const query = { where: { id: 1 }, orderBy: [] }
  const client = {}
  expect([await observed.load([1]), await observed.find!(query, client)]).toEqual([[], []])
  expect(given).toEqual([query, client])
})

it('has what the source has', () => {
  const { observed: plain } = open({})
  expect(plain.find).toBeUndefined()
  const parts = {
    maxIds: 5,
    isEachAlone: true,
    isCanonical: () => true,
    canonicalOf: (id: number) => id,
    primary: {} as never,
    watchLoad: () => () => true,
  }
  const { observed } = open(parts)
  for (const name of Object.keys(parts) as (keyof typeof parts)[]) {
    expect(plain[name]).toBeUndefined()
    expect(observed[name]).toBe(parts[name])
  }
  expect([observed.mayBlameOneId('one id'), observed.mayBlameOneId('all ids')]).toEqual([true, false])
})

it('is of replicas, and of the transaction of a client, as the source says', () => {
  const own = {}
  const { observed } = open({ isFromReplicas: () => true, isOwnTransaction: (client) => client === own })
  expect([
    observed.isFromReplicas!(),
    observed.isOwnTransaction!(own),
    observed.isOwnTransaction!({}),
  ]).toEqual([true, true, false])
  const { observed: plain } = open({})
  expect([plain.isFromReplicas!(), plain.isOwnTransaction!({})]).toEqual([false, true])
})
