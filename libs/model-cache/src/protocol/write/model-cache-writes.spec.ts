import { jest } from '@jest/globals'
import { FenceError } from '../../errors.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { MemoryStore } from '../backend/memory-store.js'
import { type CacheDescription, entryOf } from '../registry/cache-description.js'
import { createKeySpace, modelKeys } from '../format/key-space.js'
import { entryIdOf } from '../format/lookup-key.js'
import { ModelCacheWrites } from './model-cache-writes.js'

const namespace = 'test'
const field = (name: string) => ({ name, kind: 'string', folds: false }) as const
const lots: CacheDescription = {
  name: 'Lot',
  model: 'Lot',
  id: [{ name: 'id', kind: 'string' }],
  buckets: 1,
  dependsOn: ['Sale'],
  lookups: [
    { name: 'ofSale', fingerprint: 'p1', key: [field('saleId')], watched: ['number'] },
    { name: 'place', fingerprint: 'p2', key: [field('saleId'), field('state')], watched: [] },
  ],
  tables: undefined,
}
const { registerKey } = modelKeys(namespace, 'Lot')

type Unit = ReturnType<ModelCacheWrites['begin']>

let store: MemoryStore
let writes: ModelCacheWrites

async function describeCache(description: CacheDescription): Promise<void> {
  const { field, text } = entryOf(description, 'print')
  const put = new Map([[field, text]])
  await store.askCatalogue(`${namespace}:{catalogue}`, { known: '', isWriter: false, put })
  await store.change(registerKey, { kind: 'join', listing: 'print:d', lifeMs: 60_000, markMs: 1_000 })
  await writes.prepare()
}

beforeEach(() => {
  store = new MemoryStore()
  writes = new ModelCacheWrites({ store, namespace })
})
afterEach(() => writes.close())

/** The epoch and the existence epoch. */
async function epochs(): Promise<string[]> {
  const [text] = await store.getMany([registerKey])
  return text!.split(';').slice(0, 2)
}

/** Which of these entries are fenced: `'ofSale:s'`. */
async function fencedOf(entries: readonly string[], lookups = lots.lookups): Promise<string[]> {
  const keys = createKeySpace<object, never>({ ...lots, lookups, namespace, fingerprint: 'print' })
  const guarded = entries.map((entry) => {
    const [lookup = '', key = ''] = entry.split('/')
    return keys.guardedKeyOf(entryIdOf(lookup, key), 'print')
  })
  const token = `token ${Math.random()}`
  const answers = await store.leaseMany(guarded, {
    token,
    leaseMs: 1,
    onlyAbsent: false,
    onlyUnmarked: false,
  })
  await store.releaseLeases(guarded, token)
  return entries.filter((_, i) => answers[i]!.refusal === 'fenced')
}

const entries = ['ofSale/s', 'ofSale/t', 'place/s:open', 'place/t:open']

describe('rows that enter lookups', () => {
  beforeEach(() => describeCache(lots))

  it.each([
    ['all lookups if they are created', undefined, ['ofSale/s', 'place/s:open']],
    ['lookups with a changed key', ['state'], ['place/s:open']],
    ['lookups that watch a changed field', ['number'], ['ofSale/s']],
  ])('fence their entries of %s, until the write has ended', async (_, changed, fenced) => {
    const unit = writes.begin()
    unit.markJoined('Lot', [{ saleId: 's', state: 'open' }], changed && new Set(changed))
    expect(unit.isFenced).toBe(false)
    const before = await epochs()
    await unit.fence()
    expect(await fencedOf(entries)).toEqual(fenced)
    await unit.end()
    expect(await fencedOf(entries)).toEqual([])
    expect(await epochs()).toEqual(before)
  })

  it('fence no entry of a key that is null', async () => {
    const unit = writes.begin()
    unit.markJoined('Lot', [{ saleId: 's', state: null }])
    const fence = jest.spyOn(store, 'fenceMany')
    await unit.fence()
    expect(fence.mock.calls.flatMap(([keys]) => keys)).toHaveLength(1)
    expect(await fencedOf(entries)).toEqual(['ofSale/s'])
    await unit.end()
  })
})

it.each([
  ['any change', (unit: Unit) => unit.markJoined('Lot', [{}], new Set())],
  ['any relation', (unit: Unit) => unit.markJoinedThrough('Lot', 'tags', [{ id: 't' }])],
])('a lookup that a newer version describes is entered by rows with %s', async (_, mark) => {
  await describeCache({ ...lots, lookups: [{ name: 'near', fingerprint: 'p', key: undefined, watched: [] }] })
  expect(writes.lookupsOf('Lot')).toEqual([{ key: undefined, fields: undefined, through: undefined }])
  const [epoch, existence] = await epochs()
  const unit = writes.begin()
  mark(unit)
  await unit.fence()
  await unit.end()
  const after = await epochs()
  expect([after[0] === epoch, after[1] === existence]).toEqual([true, false])
})

describe('lookups through a relation', () => {
  const fields = {
    name: 'withTag',
    fingerprint: 'p',
    key: [field('id')],
    watched: ['number'],
    through: 'tags',
  }
  beforeEach(() => describeCache({ ...lots, lookups: [fields] }))

  /** What a unit has fenced of the entries, and whether it has replaced the existence epoch. */
  async function fencedBy(mark: (unit: Unit) => void) {
    const [epoch, existence] = await epochs()
    const unit = writes.begin()
    mark(unit)
    await unit.fence()
    const fenced = await fencedOf(['withTag/t', 'withTag/l'], [fields])
    const [after, existenceAfter] = await epochs()
    await unit.end()
    expect(after).toBe(epoch)
    return { fenced, areAll: existenceAfter !== existence }
  }

  it('watch fields of the row, and their key is that of another', () => {
    expect(writes.lookupsOf('Lot')).toEqual([{ key: ['id'], fields: ['number'], through: 'tags' }])
  })

  it('are fenced by the rows at the other side of their relation', async () => {
    const through = (relation: string, rows: object[]) =>
      fencedBy((unit) => unit.markJoinedThrough('Lot', relation, rows as never))
    expect(await through('tags', [{ id: 't' }])).toEqual({ fenced: ['withTag/t'], areAll: false })
    expect(await through('tags', [{ id: 't' }, {}])).toEqual({ fenced: [], areAll: true })
    expect(await through('others', [{ id: 't' }])).toEqual({ fenced: [], areAll: false })
  })

  it('do not take the id of a row for their key, and all end by a change of a field that they watch', async () => {
    const entered = (changed?: string[]) =>
      fencedBy((unit) => unit.markJoined('Lot', [{ id: 'l' }], changed && new Set(changed)))
    expect(await entered()).toEqual({ fenced: [], areAll: false })
    expect(await entered(['id', 'state'])).toEqual({ fenced: [], areAll: false })
    expect(await entered(['number'])).toEqual({ fenced: [], areAll: true })
  })
})

describe('a store that has been closed', () => {
  /** Refuses commands once it is closed, as that of a server does. */
  class ClosableStore extends FlakyStore {
    isClosed = false

    override async close(): Promise<void> {
      this.isClosed = true
      this.fail('askCatalogue', 'fenceMany')
    }
  }

  /** Writes to a cache of a store that has been closed. */
  async function openClosed(mode: 'available' | 'strict') {
    const warned: string[] = []
    const closed = new ClosableStore(new MemoryStore())
    const options = { consistency: { mode }, warn: (text: string) => void warned.push(text) }
    const all = new ModelCacheWrites({ ...options, store: closed, namespace: 'closed' })
    const write = async () => {
      await all.prepare()
      const unit = all.begin()
      unit.markWritten('Lot', [{ id: 'l' }])
      await unit.fence().finally(() => unit.end())
    }
    await write()
    await closed.close()
    return { all, options, warned, write }
  }

  it('is forgotten with its caches, and may be replaced by another', async () => {
    await describeCache(lots)
    const { all, options, warned, write } = await openClosed('available')
    await write()
    expect(all.idFieldsOf('Lot')).toEqual([])
    all.cachesIn({ ...options, store, namespace })
    await write()
    expect(all.idFieldsOf('Lot')).toEqual([['id']])
    const closings = warned.filter((text) => text.includes('the store of namespace "closed" has been closed'))
    expect(closings).toHaveLength(1)
    await all.close()
  })

  it('has all writes refused in strict mode, until another takes its place', async () => {
    await describeCache(lots)
    const { all, options, write } = await openClosed('strict')
    await expect(write()).rejects.toThrow(FenceError)
    await expect(write()).rejects.toThrow(FenceError)
    all.cachesIn({ ...options, store, namespace })
    await write()
    await all.close()
  })
})
