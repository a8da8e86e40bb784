import { maxHottest } from './hot-status.js'
import { maxEntryRows } from './entry-comparison.js'
import { maxSamples } from './recent-samples.js'
import { factsIn, knowledgeIn, recentIdsIn, rootQueriesIn, samplesIn, writesIn } from './well-formed.js'

const counts = { answered: { l1: 1, store: 2 }, misses: { expired: 3 } }
const figures = { sinceStart: counts, lastHour: counts, last5Minutes: counts, recent: counts }
const totals = [{ holder: 'Lots.all', blocks: 2, ms: 220 }]
const hottest = { id: 'a', readsPerSecond: 2, isHeld: true }
const hot = { readsPerSecond: 3, count: 2, hottest: [hottest, { ...hottest, id: 'b' }] }
const at = '2026-01-01T00:00:00.000Z'

const cache = {
  name: 'Lot',
  root: 'billing',
  fingerprint: 'f1',
  fingerprints: ['f1', 'f2'],
  epoch: '7',
  mayFill: true,
  mayFillInMs: 0,
  pendingInvalidations: 1,
  unproven: 'the codec of Lot failed its proof',
  l1: { rows: 1, bytes: 2, isTrusted: true },
  hot,
  isFollowed: true,
  coverage: {
    mode: 'answer',
    canAnswer: true,
    missing: [
      { field: 'tags', because: 'omitted' },
      { field: 'shape', because: 'reshaped' },
    ],
  },
  figures,
  lookups: [
    { name: 'open', hot, figures },
    { name: 'byName', hot: null, figures },
  ],
}

const server = { namespace: 'mc', address: '10.0.0.7:6379', database: null, mode: 'strict' }

const facts = {
  id: 'p1',
  host: 'web-1',
  pid: 7,
  version: '1.0.0',
  startedAt: at,
  environment: 'staging',
  seconds: { sinceStart: 60, lastHour: 60, last5Minutes: 60, recent: 4 },
  rssBytes: 1_000,
  eventLoop: {
    lagMs: { p50: 1, p99: 2 },
    utilization: 0.5,
    pressure: 0,
    blocks: [
      { at, holder: 'Lots.all', ms: 120, stack: ['all (lots.ts:1:1)', 'get (lots.ts:2:1)'] },
      { at, holder: 'none', ms: 100, stack: [] },
    ],
    blockTotals: { lastHour: totals, last5Minutes: totals },
    shed: { 'Lots.all': 1, 'Lots.one': 2 },
  },
  stores: [
    { root: null, kind: 'valkey', ...server, openCircuits: { reads: 0, writes: 1 } },
    { root: 'billing', kind: 'memory', ...server, openCircuits: { reads: 0, writes: 0 } },
  ],
  storeChanges: [
    { at, side: 'reads', state: 'down', reason: 'timeout' },
    { at, side: 'writes', state: 'up', reason: 'answers' },
  ],
  follow: ['opening', 'following', 'resigned', 'nobody'].map((state) => ({
    root: null,
    state,
    lagMs: 1,
    lagBytes: 2,
    isStandby: false,
    standbyLagMs: 3,
    events: { update: 1, insert: 2 },
    takeovers: 1,
  })),
  warnings: ['one', 'two'],
  caches: [cache, { ...cache, coverage: { ...cache.coverage, mode: 'shadow' } }],
  listed: [{ root: null, names: ['Lot', 'Lot.results'] }],
}

const sample = {
  agoMs: 1,
  seconds: 2,
  lagMs: { p50: 1, p99: 2 },
  answered: { tick: 0, l1: 1, store: 2, source: 3 },
  decodeMs: { Lot: 1, User: 2 },
}

const knowledge = {
  l1: { isHeld: true, isTrusted: false },
  isInvalidationPending: false,
  lastMiss: { at, reason: 'expired' },
  lastWrite: { at, by: 'log', rows: ['a', 'b'], rowCount: 2 },
  lastUnknownWrite: { at, what: 'all' },
}

const rootQueries = { root: 'billing', queries: {} }
const recent = { lookup: 'open', id: 'a', at, what: 'missed' }
const write = { id: 'a', at, by: 'log' }

type Parts = readonly unknown[] | Readonly<Record<string, unknown>>

/** A value with one place of it spoiled, for every place: by a type that no field has, and by one without fields. */
function spoiled(value: unknown): readonly (readonly [place: string, value: unknown])[] {
  const isLeaf = typeof value !== 'object' || value === null
  const own = (isLeaf ? [[{}]] : [[{}], 5, '']).map((other) => ['', other] as const)
  if (isLeaf) return own
  const parts = value as Parts
  return [
    ...own,
    ...Object.entries(parts).flatMap(([key, part]) =>
      spoiled(part).map(([place, other]) => {
        const whole = Array.isArray(parts) ? parts.with(Number(key), other) : { ...parts, [key]: other }
        return [`${key}.${place}`, whole] as const
      }),
    ),
  ]
}

describe.each([
  ['facts', factsIn, facts, [facts]],
  ['samples', samplesIn, [sample, sample], [sample, sample]],
  ['queries', rootQueriesIn, [rootQueries, rootQueries], [rootQueries, rootQueries]],
  ['knowledge', knowledgeIn, knowledge, [knowledge]],
  ['recent ids', recentIdsIn, [recent, recent], [recent, recent]],
  ['writes', writesIn, [write, write], [write, write]],
] as const)('%s of another process', (_, read, answer, found) => {
  it('are taken as they are', () => {
    expect(read(answer)).toEqual(found)
  })

  it('are left out if any part has another type', () => {
    const taken = spoiled(answer).filter(([, other]) => read(other).length > 0)
    expect(taken.map(([place]) => place)).toEqual([])
  })

  it('are left out if they are none at all', () => {
    for (const nothing of [null, undefined, [null], 'text', {}]) expect(read(nothing)).toEqual([])
  })
})

const isTaken = {
  cache: (change: object) => factsIn({ ...facts, caches: [{ ...cache, ...change }] }).length === 1,
  process: (change: object) => factsIn({ ...facts, ...change }).length === 1,
  knowledge: (change: object) => knowledgeIn({ ...knowledge, ...change }).length === 1,
}

it.each([
  ['cache', { root: null }, true],
  ['cache', { epoch: null }, true],
  ['cache', { l1: null }, true],
  ['cache', { hot: null }, true],
  ['cache', { isFollowed: null }, true],
  ['cache', { coverage: null }, true],
  ['cache', { figures: { ...figures, sinceStart: {}, recent: null } }, true],
  ['cache', { pendingInvalidations: 'all' }, true],
  ['cache', { name: null }, false],
  ['cache', { pendingInvalidations: 'some' }, false],
  ['cache', { pendingInvalidations: null }, false],
  ['cache', { figures: { ...figures, sinceStart: null } }, false],
  ['cache', { coverage: { mode: 'off', canAnswer: true, missing: [] } }, false],
  ['cache', { coverage: { mode: 'answer', canAnswer: true, missing: [{ field: 'a', because: '' }] } }, false],
  ['cache', { hot: { ...hot, hottest: Array.from({ length: maxHottest }, () => hottest) } }, true],
  ['cache', { hot: { ...hot, hottest: Array.from({ length: maxHottest + 1 }, () => hottest) } }, false],
  ['process', { eventLoop: { ...facts.eventLoop, lagMs: null } }, true],
  ['process', { follow: [{ ...facts.follow[0], lagMs: null, lagBytes: null, standbyLagMs: null }] }, true],
  ['process', { follow: [{ ...facts.follow[0], state: 'lost' }] }, false],
  ['process', { storeChanges: [{ at, side: 'both', state: 'up', reason: '' }] }, false],
  ['process', { storeChanges: [{ at, side: 'reads', state: 'slow', reason: '' }] }, false],
  ['process', { warnings: undefined }, false],
  ['process', { warnings: { length: 0 } }, false],
  ['process', { newer: true }, true],
  ['knowledge', { l1: null, lastMiss: null, lastWrite: null, lastUnknownWrite: null }, true],
  ['knowledge', { lastUnknownWrite: { at, what: 'created' } }, true],
  ['knowledge', { lastUnknownWrite: { at, what: 'some' } }, false],
] as const)('takes facts of a %s with %j: %p', (what, change, taken) => {
  expect(isTaken[what](change)).toBe(taken)
})

it('takes lists of limited length', () => {
  const some = (count: number, item: object) => Array.from({ length: count }, () => item)
  expect(samplesIn(some(maxSamples, sample))).toHaveLength(maxSamples)
  expect(samplesIn(some(maxSamples + 1, sample))).toEqual([])
  expect(writesIn(some(maxEntryRows, write))).toHaveLength(maxEntryRows)
  expect(writesIn(some(maxEntryRows + 1, write))).toEqual([])
})
