import { turns } from '../../../../../test/support/eventually.js'
import { AffectedRows } from '../../source/affected-rows.js'
import type { WriterSchema, WriterTable } from '../../source/tables.js'
import { MemoryStore } from '../backend/memory-store.js'
import { type CacheDescription, entryOf } from '../registry/cache-description.js'
import { DatabaseEntries } from '../registry/database-entries.js'
import { modelKeys } from '../format/key-space.js'
import { ModelCacheWrites } from './model-cache-writes.js'

const table = (name: string) => ({ schema: 'public', name })
const column = (field: string, name = field) => ({ field, column: name, type: 'String' })
const key = (name: string) => ({ name, kind: 'string', folds: false }) as const

const lots: CacheDescription = {
  name: 'Lot',
  model: 'Lot',
  id: [{ name: 'id', kind: 'string' }],
  buckets: 1,
  dependsOn: [],
  lookups: [
    { name: 'ofSale', fingerprint: 'p', key: [key('saleId')], watched: [] },
    { name: 'ofState', fingerprint: 'p', key: [key('state')], watched: ['id'] },
  ],
  tables: {
    provider: 'postgresql',
    models: [
      {
        model: 'Lot',
        ...table('lots'),
        columns: [column('id'), column('saleId', 'sale_id'), column('state')],
      },
    ],
    joins: [],
  },
}

/** Of a client that has other names, and no column of the state. */
const schema: WriterSchema = {
  ignoresCase: false,
  models: new Map([
    [
      'Item',
      {
        model: 'Item',
        ...table('lots'),
        columns: [column('key', 'id'), column('sale', 'sale_id')],
        joins: [],
      },
    ],
  ]),
}

async function open(tables = schema) {
  const store = new MemoryStore()
  const writes = new ModelCacheWrites({ store })
  const { field, text } = entryOf(lots, 'print')
  await store.askCatalogue('mc:{catalogue}', { known: '', isWriter: false, put: new Map([[field, text]]) })
  const existence = async (): Promise<string | undefined> =>
    (await store.getMany([modelKeys('mc', 'Lot').registerKey]))[0]?.split(';')[1]
  return { client: writes.forSchema(tables), existence, store, writes }
}

describe('the writes of a client with names of its own', () => {
  it('are to the caches of the same tables, by these names', async () => {
    const { client, writes } = await open()
    expect(client.idFieldsOf('Item')).toEqual([])
    await client.prepare()
    expect(client.prepare()).toBeUndefined()
    expect(client.idFieldsOf('Item')).toEqual([['key']])
    expect(client.lookupsOf('Item')).toEqual([
      { key: ['sale'], fields: ['sale'], through: undefined },
      { key: undefined, fields: ['state', 'key'], through: undefined },
    ])
    expect(client.reads).toBe(writes.reads)
    await writes.close()
  })

  it('are to all rows if the database says which tables share rows only while a statement runs', async () => {
    const [[name, item]] = [...schema.models] as [[string, WriterTable]]
    const models = new Map([[name, { ...item, shared: 'unknown' } as const]])
    const asked = { ignoresCase: false, models: models as WriterSchema['models'] }
    const { client, existence, writes } = await open(asked)
    await client.prepare()
    const unit = client.begin()
    const affected = new AffectedRows(client, 1_000)
    affected.addRows('Item', [{ key: 'a' }], 'unknown')
    asked.models = schema.models
    affected.markIn(unit)
    await unit.fence()
    await unit.end()
    expect(await existence()).toEqual(expect.any(String))
    await writes.close()
  })

  it('replace the existence epoch if rows enter a lookup whose key the client does not have', async () => {
    const { client, existence, writes } = await open()
    await client.prepare()
    const joined = client.begin()
    joined.markJoinedThrough('Item', 'tags', [{ key: 'a' }])
    await joined.fence()
    await joined.end()
    expect(await existence()).toBeUndefined()
    const moved = client.begin()
    moved.markJoined('Item', [{ key: 'a' }], new Set(['key']))
    await moved.fence()
    await moved.end()
    expect(await existence()).toBeDefined()
    await writes.close()
  })

  it('replace it as well if rows enter a lookup by a column of which the client has no field', async () => {
    const { client, existence, writes } = await open()
    await client.prepare()
    const unit = client.begin()
    const affected = new AffectedRows(client, 1_000)
    // As by SQL of the client.
    affected.addJoined('Item', [{ key: 'a' }], new Set(['state']))
    affected.markIn(unit)
    await unit.fence()
    await unit.end()
    expect(await existence()).toBeDefined()
    await writes.close()
  })

  it('have transactions, in which reads go through their client', async () => {
    const { client, writes } = await open()
    const transaction = {}
    const found = await client.within(client.begin(), transaction, async () => writes.current()?.client)
    expect(found).toBe(transaction)
    await writes.close()
  })
})

describe('the database of a client', () => {
  const shop = { id: 'postgresql/1/shop', schema: 'public', history: '1', name: 'shop' }
  const staging = { describe: async () => ({ ...shop, id: 'postgresql/2/shop', name: 'staging' }) }

  it.each(['before', 'after'])(
    'is compared with that of the caches if it is known %s the namespace',
    async (order) => {
      const { store } = await open()
      await new DatabaseEntries(store, 'mc').put({ ...shop, incarnation: '' }, 'running')
      const writes = new ModelCacheWrites()
      const warned: string[] = []
      if (order === 'before') writes.extended(staging)
      writes.cachesIn({ store, warn: (text) => void warned.push(text) })
      if (order === 'after') writes.extended(staging)
      await writes.prepare()
      await turns()
      expect(warned).toEqual([expect.stringContaining('this process writes to staging')])
      await writes.close()
    },
  )
})

it('waits for releases of fences that are under way', async () => {
  const { store, writes } = await open()
  await writes.prepare()
  const gate = Promise.withResolvers<void>()
  const change = store.change.bind(store)
  store.change = async (...args) => {
    await gate.promise
    return change(...args)
  }
  const unit = writes.begin()
  unit.markAllWritten('Lot', 'raw')
  void unit.end()
  let isReleased = false
  const released = writes.released().then(() => (isReleased = true))
  await turns()
  expect(isReleased).toBe(false)
  gate.resolve()
  await released
  await writes.close()
})
