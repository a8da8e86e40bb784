import { warmSettings, type WarmSource } from './warm-options.js'

const own = { namespace: 'mc', url: 'valkey://here' }

it.each([1, 1_000_000])('takes %d rows', (rows) => {
  expect(warmSettings({ rows }, own)).toEqual({ from: undefined, rows, perSecond: 200 })
})

it.each([1, 100_000])('takes %d ids in a second', (perSecond) => {
  expect(warmSettings({ perSecond }, own)).toEqual({ from: undefined, rows: 10_000, perSecond })
})

it.each([
  [{ rows: 0 }, 'option "warm.rows" is 0; expected an integer from 1 to 1,000,000.'],
  [{ rows: 1_000_001 }, 'option "warm.rows" is 1000001; expected an integer from 1 to 1,000,000.'],
  [{ perSecond: 0 }, 'option "warm.perSecond" is 0; expected an integer from 1 to 100,000.'],
  [{ perSecond: 1.5 }, 'option "warm.perSecond" is 1.5; expected an integer from 1 to 100,000.'],
  [{ perSecond: 100_001 }, 'option "warm.perSecond" is 100001; expected an integer from 1 to 100,000.'],
])('refuses %j', (options, message) => {
  expect(() => warmSettings(options, own)).toThrow(message)
})

it.each<[WarmSource, string]>([
  [{ url: 'valkey://there' }, 'mc'],
  [{ url: 'rediss://here' }, 'mc'],
  [{ url: 'valkey://here', namespace: 'other' }, 'other'],
])('takes ids from %j', (from, namespace) => {
  const { url } = from
  expect(warmSettings({ from }, own).from).toEqual({ address: { url }, namespace })
})

it.each<[WarmSource, string]>([
  [{ url: '' }, 'option "warm.from.url" is ""'],
  [{ url: 'http://:secret@valkey://there' }, 'option "warm.from.url" is not shown'],
  [
    { url: 'valkey://app@x', sentinels: ['a:1'] },
    'option "warm.from.primaryName" is undefined; expected the name',
  ],
  [{ url: 'valkey://here' }, 'option "warm.from.namespace" is "mc"'],
  [{ url: 'valkey://here', namespace: 'mc' }, 'option "warm.from.namespace" is "mc"'],
])('takes no ids from %j', (from, message) => {
  expect(() => warmSettings({ from }, own)).toThrow(message)
})
