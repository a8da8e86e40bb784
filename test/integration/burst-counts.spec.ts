import { type } from 'arktype'
import { Redis } from 'ioredis'
import { modelCaches } from 'model-cache'
import { createModelCache, Slicer, ValkeyStore } from 'model-cache/advanced'
import { commandsDuring } from '../support/command-calls.js'
import { patientMs } from '../support/patience.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'

const { defineModelCache } = modelCaches()

interface Lot {
  id: string
  endsAt: Date
}

const USERS = 50
const LOTS_PER_USER = 107
const READS = USERS * LOTS_PER_USER

const schema = type({ id: 'string', endsAt: 'Date' })
const options = { model: 'Lot', schema, id: 'id', ttl: '1h' } as const
const copied = defineModelCache<Lot>()(options)
const shared = defineModelCache<Lot>()({ ...options, rows: 'shared' })

/** Fifty users read 107 lots each, in one tick. The test counts instead of timing: counts are the same on every machine. */
describe('a burst', () => {
  let server: ValkeyServer
  let control: Redis
  let store: ValkeyStore
  let queries: number

  beforeAll(async () => {
    server = await startValkey()
    control = new Redis(server.port)
    store = new ValkeyStore({ url: server.url, deadlineMs: patientMs })
    await store.connect()
  })
  afterAll(async () => {
    await store.close()
    control.disconnect()
    await server.stop()
  })
  beforeEach(async () => {
    await control.flushdb()
    queries = 0
  })

  const open = (definition: typeof copied) =>
    createModelCache(definition, {
      store,
      // No turn is ever full: where a turn ends, commands are split, which would depend on the machine.
      slicer: new Slicer({ budgetMs: 1_000 }),
      source: {
        load: async (ids) => {
          queries++
          return ids.map((id) => ({ id, endsAt: new Date(0) }))
        },
        mayBlameOneId: () => false,
      },
    })

  /** @returns the rows, how many objects they are, and the commands by name */
  const burst = async (cache: ReturnType<typeof open>, distinct: number) => {
    queries = 0
    const ids = Array.from({ length: READS }, (_, i) => `lot-${i % distinct}`)
    let rows: readonly (Lot | null)[] = []
    const commands = await commandsDuring(control, async () => {
      rows = await Promise.all(ids.map((id) => cache.get(id)))
      await cache.drain()
    })
    expect(rows.map((row) => row!.id)).toEqual(ids)
    return { queries, objects: new Set(rows).size, commands }
  }

  it('of different lots is one query for 5,000 rows, then one command for 250 rows', async () => {
    const cache = open(copied)
    const missed = await burst(cache, READS)
    expect(missed).toMatchObject({ queries: 2, objects: READS })
    expect(await burst(cache, READS)).toEqual({ queries: 0, objects: READS, commands: { mget: 20 } })
  })

  it('of the same lots is one query, then one command, and one copy less than reads', async () => {
    const cache = open(copied)
    const missed = await burst(cache, LOTS_PER_USER)
    expect(missed).toMatchObject({ queries: 1, objects: READS })
    expect(await burst(cache, LOTS_PER_USER)).toEqual({ queries: 0, objects: READS, commands: { mget: 1 } })
  })

  it('of the same lots makes no copies of shared rows', async () => {
    const cache = open(shared)
    await burst(cache, LOTS_PER_USER)
    expect(await burst(cache, LOTS_PER_USER)).toEqual({
      queries: 0,
      objects: LOTS_PER_USER,
      commands: { mget: 1 },
    })
  })
})
