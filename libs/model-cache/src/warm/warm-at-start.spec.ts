import { eventually } from '../../../../test/support/eventually.js'
import { FakeServer } from '../../../../test/support/fake-server.js'
import { createKeySpace, MemoryStore, type Store } from '../protocol/index.js'
import { entryOf } from '../protocol/registry/cache-description.js'
import { FlakyStore } from '../testing/flaky-store.js'
import { warmAtStart, warmUpKeyOf } from './warm-at-start.js'
import { type WarmCounts, warmCountsOf } from './warm-counts.js'
import type { Warmer } from './warmer.js'

const description = {
  name: 'Lot',
  model: 'Lot',
  id: [{ name: 'id', kind: 'number' }],
  buckets: 4,
  dependsOn: [],
  lookups: [],
  tables: undefined,
} as const
const keys = createKeySpace<object, number>({ ...description, namespace: 'mc', fingerprint: 'new' })
const { field, text } = entryOf(description, 'new')
const silence = new Promise<never>(() => {})
/** A namespace with the lots 1 and 2. */
const answers = {
  HGETALL: [field, `1;1;${text}`],
  SCAN: ['0', [1, 2].map((id) => keys.keyOf(keys.toRowId(id)))],
  OBJECT: 7,
}

afterEach(() => FakeServer.stopAll())

interface Start {
  readonly url: string
  readonly store?: Store
  readonly caches?: readonly string[]
  readonly signal?: AbortSignal
  readonly replay?: () => Promise<WarmCounts | undefined>
}

/** Returns what it logs. */
async function warmUp({
  caches = ['Lot'],
  replay = async () => warmCountsOf({ stored: 2 }),
  signal = new AbortController().signal,
  store = new MemoryStore(),
  url,
}: Start): Promise<string[]> {
  const lines: string[] = []
  const log = {
    info: (line: string) => void lines.push(`info: ${line}`),
    warn: (line: string) => void lines.push(`warn: ${line}`),
  } as never
  const from = { address: { url }, namespace: 'mc' }
  const warmer = { replay } as unknown as Warmer
  await warmAtStart(
    { from, rows: 10, perSecond: 100 },
    { store, namespace: 'own', caches, warmer, log, signal },
  )
  return lines
}

const urlOf = ({ name }: FakeServer): string => `valkey://${name}`
const nowhere = 'valkey://:secret@127.0.0.1:1'

/** Whether another process would warm up as well. */
async function isFree(store: Store): Promise<boolean> {
  const request = { token: 'other', leaseMs: 1_000, onlyAbsent: false, onlyUnmarked: false }
  const [answer] = await store.leaseMany([warmUpKeyOf('own', ['Lot'])], request)
  return answer!.token !== null
}

it('leaves to others what its process does not have, and is left what it has', async () => {
  const server = await FakeServer.start(answers)
  const store = new MemoryStore()
  expect(await warmUp({ url: urlOf(server), store, caches: ['Bid'] })).toEqual([
    expect.stringContaining('with 0 ids'),
  ])
  expect(await warmUp({ url: urlOf(server), store, caches: ['Lot', 'Bid'] })).toEqual([
    expect.stringContaining('with 2 ids'),
  ])
  expect(await warmUp({ url: urlOf(server), store, caches: ['Bid', 'Lot'] })).toEqual([
    expect.stringContaining('is not warmed up by this process;'),
  ])
})

it('warns if only a part of the ids can be read', async () => {
  const server = await FakeServer.start(answers)
  const other = await FakeServer.start({ SCAN: new Error('ERR the disk is full') })
  server.replies = {
    ...answers,
    'CLUSTER SLOTS': [
      [0, 16_000, ['', server.port]],
      [16_001, 16_383, ['127.0.0.1', other.port]],
    ],
  }
  expect(await warmUp({ url: urlOf(server) })).toEqual([
    expect.stringMatching(/^warn: ModelCache: only a part of the ids .* could be read\. .*the disk is full/),
    expect.stringMatching(/^info: .* with 2 ids of .*: 2 stored/),
  ])
})

it('leaves the rest to another process if it is in vain', async () => {
  const server = await FakeServer.start(answers)
  const store = new MemoryStore()
  const lines = await warmUp({
    url: urlOf(server),
    store,
    replay: async () => warmCountsOf({ refused: 100 }),
  })
  expect(lines).toEqual([expect.stringMatching(/^warn: .* 100 refused, .* nothing of the last hundred/)])
  expect(await isFree(store)).toBe(true)
})

it.each([
  ['', new MemoryStore()],
  [', also without a lease', new FlakyStore(new MemoryStore())],
])('says that it ended with its process%s', async (_, store) => {
  const server = await FakeServer.start(answers)
  if (store instanceof FlakyStore) store.fail('leaseMany')
  expect(await warmUp({ url: urlOf(server), store, replay: async () => undefined })).toEqual([
    expect.stringMatching(/^info: .*: 0 stored, .* 0 failed\. Ended with the process\.$/),
  ])
  if (store instanceof FlakyStore) store.recover()
  expect(await isFree(store)).toBe(true)
})

it.each([
  ['', new MemoryStore()],
  [', also without a lease', new FlakyStore(new MemoryStore())],
])('begins cold if the ids cannot be read%s', async (_, store) => {
  if (store instanceof FlakyStore) store.fail('leaseMany')
  expect(await warmUp({ url: nowhere, store })).toEqual([
    expect.stringMatching(
      /^warn: .*"own" begins cold, as the ids of namespace "mc" of 127\.0\.0\.1:1 could /,
    ),
  ])
  if (store instanceof FlakyStore) store.recover()
  expect(await isFree(store)).toBe(true)
})

it.each(['valkey://app:12/34@127.0.0.1', 'valkey://app:12#34@127.0.0.1', 'valkey://app:12?34@127.0.0.1'])(
  'logs no part of a password that is not percent-encoded: %s',
  async (url) => {
    const [line] = await warmUp({ url })
    expect(line).toContain('as the ids of namespace "mc" of an unreadable URL could not be read.')
    expect(line).not.toMatch(/app|12|34/)
  },
)

it('ends at once, and says nothing, if its process ends while it reads the ids', async () => {
  const server = await FakeServer.start({ ...answers, SCAN: silence })
  const store = new MemoryStore()
  const ending = new AbortController()
  const warming = warmUp({ url: urlOf(server), store, signal: ending.signal })
  await eventually(() => server.sent.some((words) => words.startsWith('SCAN')))
  ending.abort()
  expect(await warming).toEqual([])
  expect(await isFree(store)).toBe(true)
})
