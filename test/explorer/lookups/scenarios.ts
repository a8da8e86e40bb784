import type { Key } from './row.ts'
import type { Change, Promised, Scenario, ScenarioWriter } from './scenario.ts'

const all: Key = { lookup: 'all', key: 0 }
const first: Key = { lookup: 'first', key: 0 }
/** The same list of the other group. */
const there: Key = { lookup: 'first', key: 1 }
const place: Key = { lookup: 'place', key: 0 }

const l1Promises: readonly Promised[] = ['read your writes', 'monotonic reads', 'fresh after delivery']

/** Row r is first in the lists of group 0, s second. */
const r = { group: 0, rank: 1, slug: 0 }
const s = { group: 0, rank: 2, slug: 1 }
/** One of the other group. */
const other = { group: 1, rank: 1, slug: 2 }

type Knowledge = ScenarioWriter['knows']
/** A writer that changes these rows, and one that changes a single one. */
const writes = (knows: Knowledge, ...changes: (readonly [row: number, to: Change['to']])[]) => ({
  knows,
  changes: changes.map(([row, to]) => ({ row, to })),
})
const write = (row: number, to: Change['to'], knows: Knowledge = 'keys') => writes(knows, [row, to])
/** A read of each key, and two of one. */
const read = (...keys: readonly Key[]) => ({ keys, readers: keys.map((key) => ({ key })) })
const readTwice = (key: Key) => ({ keys: [key], readers: [{ key, times: 2 }] })

/** What `npm run test:deep` and the documentation explore: as much as fits into some seconds. `npm test` explores the first states. */
export const scenarios = {
  create: {
    name: 'rows are created: a crash, a rollback',
    rows: [r, null, null],
    writers: [write(1, { group: 0, rank: 0, slug: 2 }), write(2, { group: 0, rank: 2, slug: 3 })],
    ...read(all, first),
    isWarm: true,
    faults: { crash: 1, rollback: 1 },
  },
  loads: {
    name: 'loads beside a row that moves and one that changes its place',
    rows: [{ ...r, group: 1 }, s],
    writers: [write(0, { group: 0 }), write(1, { rank: 0 })],
    ...read(all, first),
    waits: 1,
    faults: { 'lease expiry': 1, crash: 1 },
  },
  reorder: {
    name: 'rows change their places',
    rows: [r, s],
    writers: [write(1, { rank: 0 }), write(0, { rank: 3 })],
    ...read(all, first),
    isWarm: true,
    faults: { crash: 1, rollback: 1 },
  },
  sameRow: {
    name: 'two writers change the same row',
    rows: [{ ...r, rank: 2 }, { ...s, rank: 3 }, other],
    writers: [write(0, { rank: 0 }), write(0, { group: 1 })],
    ...read(first, there),
    isWarm: true,
    faults: { rollback: 1, 'unknown end': 1 },
  },
  leaveReturn: {
    name: 'a row leaves a list and returns to another place',
    rows: [r, s],
    writers: [write(0, { closed: 1, group: 1 }), write(0, { closed: 0, group: 0, rank: 3 })],
    ...read(all, first),
    isWarm: true,
    faults: { crash: 1 },
  },
  swap: {
    name: 'rows of a list, and of a unique key, change in one transaction',
    rows: [r, { ...s, group: 1, closed: 1 }],
    writers: [
      writes('keys', [0, { group: 1, slug: 2 }], [1, { group: 0, slug: 0, closed: 0 }]),
      write(1, 'deleted'),
    ],
    ...read(all, place),
    isWarm: true,
    faults: { crash: 1, 'eviction of a value': 1 },
  },
  absence: {
    name: 'a unique key that is free is taken, by writers of unknown keys',
    rows: [{ ...r, slug: 2 }, null],
    writers: [write(0, { slug: 0 }, 'rows'), write(1, { ...s, slug: 3 }, 'creations')],
    ...read(place, all),
    isWarm: true,
    faults: { crash: 1 },
  },
  unknownKeys: {
    name: 'loads beside writers of unknown keys',
    rows: [{ ...r, group: 1 }, null],
    writers: [write(0, { group: 0 }, 'rows'), write(1, s, 'creations')],
    ...readTwice(all),
    faults: { crash: 1, 'lease expiry': 1 },
  },
  unknownRows: {
    name: 'loads beside a writer of unknown rows',
    rows: [r, s],
    writers: [writes('nothing', [0, { rank: 3 }], [1, 'deleted'])],
    ...readTwice(all),
    primes: true,
    faults: { crash: 1, 'lease expiry': 1 },
  },
  primes: {
    name: 'rows of a load are primed, beside writes',
    rows: [r],
    writers: [write(0, { note: 1 }), write(0, { note: 2 })],
    ...readTwice(all),
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
    writers: [write(1, s), write(2, s)],
    readers: [{ process: 1, key: all, times: 2 }],
    isDeployed: true,
    faults: { crash: 1 },
  },
  exchange: {
    name: 'a row leaves a list, and returns as another one leaves',
    rows: [r, s],
    writers: [write(0, { group: 1 }), writes('keys', [0, { group: 0 }], [1, { group: 1 }])],
    ...readTwice(all),
    readsAtOnce: 1,
    isWarm: true,
  },
  outage: {
    name: '`available`: FENCE fails, and the writer goes on',
    rows: [r, null, null],
    writers: [write(1, s), write(2, { ...s, slug: 2 }, 'creations')],
    ...readTwice(all),
    isWarm: true,
    faults: { outage: 1, 'eviction of a value': 1 },
    promises: ['read your writes'],
  },
  l1: {
    name: 'L1, messages in any order',
    rows: [r, null],
    keys: [all],
    writers: [write(1, s)],
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
    writers: [write(1, s, 'creations'), write(0, { note: 1 })],
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
