import { turns } from '../../../../../test/support/eventually.js'
import { emptySnapshot, MemoryStore, type RegisterSnapshot } from '../../protocol/index.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { Markers, type SnapshotOfValue } from './markers.js'

let inner: MemoryStore
let store: FlakyStore
let markers: Markers
beforeEach(() => {
  inner = new MemoryStore()
  store = new FlakyStore(inner)
  markers = new Markers({ store, fingerprint: 'f', ttlMs: 60_000 })
})

const always = (): boolean => true
const guarded = { key: 'a', guard: 'a:l' }
const snapshot: RegisterSnapshot = { epoch: 'e', existence: 'x', mayFill: true, losses: 0 }
const read = (reader: SnapshotOfValue, of: Partial<RegisterSnapshot> = {}): Promise<RegisterSnapshot> =>
  reader(Promise.resolve({ ...snapshot, ...of }))
const write = (): Promise<boolean> => store.releaseFences([guarded], { token: '', holdMs: 0, markMs: 60_000 })

it('has the epoch of the marker, until a write of the value', async () => {
  const reader = markers.readerOf('a', always)
  const first = await read(reader)
  expect(first).toEqual({ ...snapshot, epoch: expect.stringMatching(/^.{8,}$/), existence: first.epoch })
  expect(await read(reader)).toEqual(first)
  expect(await inner.getMany(['a'])).toEqual([`f;x;${first.epoch}`])
  expect(store.calls.ensureMarkers).toBe(1)
  await write()
  const { epoch } = await read(reader)
  expect(epoch).not.toBeNull()
  expect(epoch).not.toBe(first.epoch)
})

it('ends with the existence epoch of the register', async () => {
  const reader = markers.readerOf('a', always)
  const { epoch } = await read(reader)
  const other = await read(reader, { existence: 'y' })
  expect([null, epoch]).not.toContain(other.epoch)
  expect(await read(reader, { epoch: null, existence: null })).toBe(emptySnapshot)
})

it('has the marker that was made for it, whatever the register says meanwhile', async () => {
  const reader = markers.readerOf('a', always)
  const ensure = inner.ensureMarkers.bind(inner)
  const late = Promise.withResolvers<void>()
  inner.ensureMarkers = async (...args) => {
    const made = await ensure(...args)
    await late.promise
    return made
  }
  const first = read(reader)
  await turns(1)
  const second = read(reader, { existence: 'y' })
  await turns(1)
  late.resolve()
  expect(await Promise.all([first, second])).not.toContain(emptySnapshot)
})

it('makes those that one turn lacks in one command', async () => {
  const readers = ['a', 'b', 'a'].map((key) => markers.readerOf(key, always))
  const [a, b, again] = await Promise.all(readers.map((reader) => read(reader)))
  expect(store.calls.ensureMarkers).toBe(1)
  expect(again).toEqual(a)
  expect(b!.epoch).not.toBe(a!.epoch)
})

it('does not wait for a marker that another read has had made: a write may have come between', async () => {
  const reader = markers.readerOf('a', always)
  const ensure = inner.ensureMarkers.bind(inner)
  const late = Promise.withResolvers<void>()
  inner.ensureMarkers = async (...args) => {
    const made = await ensure(...args)
    inner.ensureMarkers = ensure
    await late.promise
    return made
  }
  const first = read(reader)
  await new Promise(setImmediate)
  await write()
  const second = await read(reader)
  late.resolve()
  expect([null, (await first).epoch]).not.toContain(second.epoch)
})

it.each<[string, Partial<RegisterSnapshot>, mayStore: boolean]>([
  ['nothing may be stored', { mayFill: false }, true],
  ['a write of this process may commit unnoticed', {}, false],
])('makes none while %s, and uses one that is there', async (_, of, mayStore) => {
  const reader = markers.readerOf('a', () => mayStore)
  expect(await read(reader, of)).toBe(emptySnapshot)
  expect(store.calls.ensureMarkers).toBe(0)
  const { epoch } = await read(markers.readerOf('a', always))
  expect(await read(reader, of)).toMatchObject({ epoch, ...of })
})

it('makes none while a write is running, or from the time on that the register names', async () => {
  const reader = markers.readerOf('a', always)
  await store.fenceMany([guarded], { token: 'w', fenceMs: 60_000, markMs: 60_000 })
  expect(await read(reader)).toBe(emptySnapshot)
  expect(await read(markers.readerOf('b', always), { leaseUntilMs: Date.now() })).toBe(emptySnapshot)
})

it('has no epoch if the store makes none', async () => {
  store.fail('ensureMarkers')
  expect(await read(markers.readerOf('a', always))).toBe(emptySnapshot)
})
