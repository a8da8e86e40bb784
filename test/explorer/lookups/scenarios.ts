import type { Key } from './row.ts'
import type { Promised, Scenario } from './scenario.ts'

const all: Key = { lookup: 'all', key: 0 }
const first: Key = { lookup: 'first', key: 0 }
/** The same list of the other group. */
const there: Key = { lookup: 'first', key: 1 }
const place: Key = { lookup: 'place', key: 0 }

const l1Promises: readonly Promised[] = ['read your writes', 'monotonic reads', 'fresh after delivery']

/** Row r is first in the lists of group 0, s second. */
const r = { group: 0, rank: 1, slug: 0 }
const s = { group: 0, rank: 2, slug: 1 }

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
export const scenarios = {
  create: {
    name: 'rows are created: a crash, a rollback',
    rows: [r, null, null],
    keys: [all, first],
    writers: [
      { changes: [{ row: 1, to: { group: 0, rank: 0, slug: 2 } }] },
      { changes: [{ row: 2, to: { group: 0, rank: 2, slug: 3 } }] },
    ],
    readers: [{ key: all }, { key: first }],
    isWarm: true,
    faults: { crash: 1, rollback: 1 },
  },
  loads: {
    name: 'loads beside a row that moves and one that changes its place',
    rows: [{ ...r, group: 1 }, s],
    keys: [all, first],
    writers: [{ changes: [{ row: 0, to: { group: 0 } }] }, { changes: [{ row: 1, to: { rank: 0 } }] }],
    readers: [{ key: all }, { key: first }],
    waits: 1,
    faults: { 'lease expiry': 1, crash: 1 },
  },
  reorder: {
    name: 'rows change their places',
    rows: [r, s],
    keys: [all, first],
    writers: [{ changes: [{ row: 1, to: { rank: 0 } }] }, { changes: [{ row: 0, to: { rank: 3 } }] }],
    readers: [{ key: all }, { key: first }],
    isWarm: true,
    faults: { crash: 1, rollback: 1 },
  },
  sameRow: {
    name: 'two writers change the same row',
    rows: [
      { ...r, rank: 2 },
      { ...s, rank: 3 },
      { group: 1, rank: 1, slug: 2 },
    ],
    keys: [first, there],
    writers: [{ changes: [{ row: 0, to: { rank: 0 } }] }, { changes: [{ row: 0, to: { group: 1 } }] }],
    readers: [{ key: first }, { key: there }],
    isWarm: true,
    faults: { rollback: 1, 'unknown end': 1 },
  },
  leaveReturn: {
    name: 'a row leaves a list and returns to another place',
    rows: [r, s],
    keys: [all, first],
    writers: [
      { changes: [{ row: 0, to: { closed: 1, group: 1 } }] },
      { changes: [{ row: 0, to: { closed: 0, group: 0, rank: 3 } }] },
    ],
    readers: [{ key: all }, { key: first }],
    isWarm: true,
    faults: { crash: 1 },
  },
  swap: {
    name: 'rows of a list, and of a unique key, change in one transaction',
    rows: [r, { ...s, group: 1, closed: 1 }],
    keys: [all, place],
    writers: [
      {
        changes: [
          { row: 0, to: { group: 1, slug: 2 } },
          { row: 1, to: { group: 0, slug: 0, closed: 0 } },
        ],
      },
      { changes: [{ row: 1, to: 'deleted' }] },
    ],
    readers: [{ key: all }, { key: place }],
    isWarm: true,
    faults: { crash: 1, 'eviction of a value': 1 },
  },
  absence: {
    name: 'a unique key that is free is taken, by writers of unknown keys',
    rows: [{ ...r, slug: 2 }, null],
    keys: [place, all],
    writers: [
      { knows: 'rows', changes: [{ row: 0, to: { slug: 0 } }] },
      { knows: 'creations', changes: [{ row: 1, to: { ...s, slug: 3 } }] },
    ],
    readers: [{ key: place }, { key: all }],
    isWarm: true,
    faults: { crash: 1 },
  },
  unknownKeys: {
    name: 'loads beside writers of unknown keys',
    rows: [{ ...r, group: 1 }, null],
    keys: [all],
    writers: [
      { knows: 'rows', changes: [{ row: 0, to: { group: 0 } }] },
      { knows: 'creations', changes: [{ row: 1, to: s }] },
    ],
    readers: [{ key: all, times: 2 }],
    faults: { crash: 1, 'lease expiry': 1 },
  },
  unknownRows: {
    name: 'loads beside a writer of unknown rows',
    rows: [r, s],
    keys: [all],
    writers: [
      {
        knows: 'nothing',
        changes: [
          { row: 0, to: { rank: 3 } },
          { row: 1, to: 'deleted' },
        ],
      },
    ],
    readers: [{ key: all, times: 2 }],
    primes: true,
    faults: { crash: 1, 'lease expiry': 1 },
  },
  primes: {
    name: 'rows of a load are primed, beside writes',
    rows: [r],
    keys: [all],
    writers: [{ changes: [{ row: 0, to: { note: 1 } }] }, { changes: [{ row: 0, to: { note: 2 } }] }],
    readers: [{ key: all, times: 2 }],
    primes: true,
    faults: { crash: 1, 'eviction of a value': 1 },
  },
  ignorant: {
    name: 'a writer that does not understand a lookup',
    rows: [r, s],
    keys: [all, first],
    writers: [{ ignorantOf: ['first'], changes: [{ row: 1, to: { rank: 0 } }] }],
    readers: [{ key: all }, { key: first, times: 2 }],
    faults: { crash: 1 },
  },
  deploy: {
    name: 'a deploy adds lookups, beside a writer that does not know them',
    rows: [r, null, null],
    keys: [all],
    writers: [{ changes: [{ row: 1, to: s }] }, { changes: [{ row: 2, to: s }] }],
    readers: [{ process: 1, key: all, times: 2 }],
    isDeployed: true,
    faults: { crash: 1 },
  },
  exchange: {
    name: 'a row leaves a list, and returns as another one leaves',
    rows: [r, s],
    keys: [all],
    writers: [
      { changes: [{ row: 0, to: { group: 1 } }] },
      {
        changes: [
          { row: 0, to: { group: 0 } },
          { row: 1, to: { group: 1 } },
        ],
      },
    ],
    readers: [{ key: all, times: 2 }],
    readsAtOnce: 1,
    isWarm: true,
  },
  outage: {
    name: '`available`: FENCE fails, and the writer goes on',
    rows: [r, null, null],
    keys: [all],
    writers: [
      { changes: [{ row: 1, to: s }] },
      { knows: 'creations', changes: [{ row: 2, to: { ...s, slug: 2 } }] },
    ],
    readers: [{ key: all, times: 2 }],
    isWarm: true,
    faults: { outage: 1, 'eviction of a value': 1 },
    promises: ['read your writes'],
  },
  l1: {
    name: 'L1, messages in any order',
    rows: [r, null],
    keys: [all],
    writers: [{ process: 0, changes: [{ row: 1, to: s }] }],
    readers: [
      { process: 0, key: all, times: 2 },
      { process: 1, key: all, times: 2 },
    ],
    l1: true,
    promises: l1Promises,
  },
  l1Warm: {
    name: 'L1, a row and a list change, messages in any order',
    rows: [r, null],
    keys: [all],
    writers: [
      { process: 0, knows: 'creations', changes: [{ row: 1, to: s }] },
      { process: 0, changes: [{ row: 0, to: { note: 1 } }] },
    ],
    readers: [{ process: 1, key: all, times: 2 }],
    l1: true,
    readsAtOnce: 1,
    isWarm: true,
    promises: l1Promises,
  },
} satisfies Record<string, Scenario>

export type ScenarioKey = keyof typeof scenarios

/** With one more read of the last reader, and three in flight at a time. */
export const deepened = (scenario: Scenario): Scenario => ({
  ...scenario,
  readsAtOnce: 3,
  readers: scenario.readers.map((reader, i) =>
    i === scenario.readers.length - 1 ? { ...reader, times: (reader.times ?? 1) + 1 } : reader,
  ),
})
