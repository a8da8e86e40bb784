import { setTimeout as delay } from 'node:timers/promises'
import { type } from 'arktype'
import { Redis } from 'ioredis'
import { modelCaches } from 'model-cache'
import { ValkeyStore } from 'model-cache/advanced'
import { createTestCache } from 'model-cache/testing'
import { eventually } from '../support/eventually.js'
import { startServerProxy, type ServerProxy } from '../support/server-proxy.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'

const { defineModelCache } = modelCaches()

interface Lot {
  id: string
  name: string
  endsAt: Date
}
const lots = defineModelCache<Lot>()({
  model: 'Lot',
  schema: type({ id: 'string', name: 'string', endsAt: 'Date' }),
  id: 'id',
  ttl: '10m',
})
const lot = (id: string, name = `lot ${id}`): Lot => ({ id, name, endsAt: new Date(7) })
const manyLots = (from: number, count: number): Lot[] =>
  Array.from({ length: count }, (_, i) => lot(`${from + i}`))

/** Rows that the store has when it becomes unavailable, and reads of one round. */
const STORED = 300
/** Rounds of reads in which commands are counted. */
const ROUNDS = 30

interface Patient {
  server: ValkeyServer
  proxy: ServerProxy
  /** Past the proxy. */
  admin: Redis
}

interface Outage {
  name: string
  /** What becomes unavailable. */
  down: ('reads' | 'writes')[]
  begin: (patient: Patient) => Promise<unknown> | void
  end: (patient: Patient) => Promise<unknown> | void
}

/** With a user that an application has, and loading during which it answers. */
const serverArgs =
  '--user app on >secret ~* &* +@all --enable-debug-command yes --loading-process-events-interval-bytes 1024'

/** Makes loading take longer, in microseconds for each key. */
const setLoadDelay = (admin: Redis, delayUs: number): Promise<unknown> =>
  admin.call('CONFIG', 'SET', 'key-load-delay', String(delayUs))
const start = (port?: number): Promise<ValkeyServer> =>
  startValkey({ args: serverArgs.split(' '), ...(port !== undefined && { port }) })

const acl =
  (...rules: string[]) =>
  ({ admin }: Patient) =>
    admin.call('ACL', 'SETUSER', 'app', ...rules)

const outages: Outage[] = [
  {
    name: 'slower than the deadline',
    down: ['reads'],
    begin: ({ proxy }) => void (proxy.delayMs = 1_400),
    end: ({ proxy }) => void (proxy.delayMs = 0),
  },
  {
    name: 'hanging',
    down: ['reads'],
    begin: ({ server }) => server.kill('SIGSTOP'),
    end: ({ server }) => server.kill('SIGCONT'),
  },
  {
    name: 'refusing connections',
    down: ['reads', 'writes'],
    begin: ({ proxy }) => proxy.refuse(),
    end: ({ proxy }) => proxy.accept(),
  },
  {
    name: 'killed and restarted, empty',
    down: ['reads', 'writes'],
    begin: ({ server }) => server.kill('SIGKILL'),
    end: async (patient) => void (patient.server = await start(patient.server.port)),
  },
  {
    name: 'a replica by now',
    down: ['reads', 'writes'],
    // A replica of nobody.
    begin: ({ admin }) => admin.call('REPLICAOF', '127.0.0.1', '1'),
    end: ({ admin }) => admin.call('REPLICAOF', 'NO', 'ONE'),
  },
  {
    name: 'an empty replica by now',
    down: ['reads', 'writes'],
    begin: async ({ admin }) => {
      await admin.flushall()
      await admin.call('REPLICAOF', '127.0.0.1', '1')
    },
    end: ({ admin }) => admin.call('REPLICAOF', 'NO', 'ONE'),
  },
  {
    name: 'out of memory',
    down: ['writes'],
    begin: ({ admin }) => admin.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction', 'maxmemory', '1mb'),
    end: ({ admin }) => admin.call('CONFIG', 'SET', 'maxmemory', '0'),
  },
  {
    name: 'loading its data',
    down: ['reads'],
    begin: async ({ admin }) => {
      await setLoadDelay(admin, 20_000)
      // Replies when all is loaded.
      void admin.call('DEBUG', 'RELOAD').catch(() => {})
    },
    end: async ({ admin }) => {
      const other = admin.duplicate()
      await setLoadDelay(other, 0)
      other.disconnect()
    },
  },
  {
    name: 'behind a changed password',
    down: ['reads', 'writes'],
    begin: async (patient) => {
      await acl('resetpass', '>other')(patient)
      await patient.admin.call('CLIENT', 'KILL', 'USER', 'app')
    },
    end: acl('resetpass', '>secret'),
  },
  { name: 'closed to reads', down: ['reads'], begin: acl('-mget'), end: acl('+mget') },
  { name: 'closed to writes', down: ['writes'], begin: acl('-set'), end: acl('+set') },
  { name: 'closed to invalidations', down: [], begin: acl('-unlink'), end: acl('+unlink') },
]

let patient: Patient
const closing: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  const server = await start()
  const admin = new Redis(server.port)
  admin.on('error', () => {})
  patient = { server, admin, proxy: await startServerProxy(server.port) }
})

afterEach(async () => {
  await patient.server.kill('SIGCONT')
  for (const close of closing.splice(0)) await close()
  patient.admin.disconnect()
  await patient.proxy.stop()
  await patient.server.stop()
})

async function openCache(url: string, rows: Lot[]) {
  const states: string[] = []
  const messages: string[] = []
  const log = (message: string): void => void messages.push(message)
  const store = new ValkeyStore(
    { url: url.replace('//', '//app:secret@'), deadlineMs: 1_000 },
    (side, state) => {
      states.push(`${side} ${state}`)
    },
  )
  await store.connect()
  const { cache, loads } = createTestCache(lots, rows, { store, warn: log, info: log })
  closing.push(
    () => cache.close(),
    () => store.close(),
  )
  const loaded = (): number => loads.reduce((count, ids) => count + ids.length, 0)
  return { cache, loads, loaded, states, messages }
}

describe.each(outages)('a Valkey that is $name', ({ down, begin, end }) => {
  it('fails no read and loses no invalidation', async () => {
    const rows = manyLots(0, STORED)
    const { cache, loaded, states, messages } = await openCache(
      `valkey://127.0.0.1:${patient.proxy.port}`,
      rows,
    )
    const ids = rows.map(({ id }) => id)
    const fresh = (): Lot[] => manyLots(rows.length, 3)
    /** Everything, and a few rows that nobody has read yet: a round has writes to make, too. */
    const round = async (): Promise<void> => {
      rows.push(...fresh())
      const asked = [...ids, ...rows.slice(-3).map(({ id }) => id)]
      expect(await cache.getMany(asked)).toStrictEqual([...rows.slice(0, STORED), ...rows.slice(-3)])
      await cache.drain()
    }
    await round()
    const before = loaded()
    await round()
    expect(loaded()).toBe(before + 3)

    await begin(patient)
    const downs = down.map((side) => `${side} down`)
    while (states.length < downs.length) await Promise.all([round(), delay(10)])
    const [reads, writes] = ['mget', 'evalsha'].map((command) => patient.proxy.sent(command))
    for (let i = 0; i < ROUNDS; i++) await round()
    // While all is well a round of reads is an MGET, and its rows that nobody has read yet are leased and filled.
    if (down.includes('reads')) expect(patient.proxy.sent('mget') - reads!).toBeLessThan(ROUNDS / 2)
    if (down.includes('writes')) expect(patient.proxy.sent('evalsha') - writes!).toBeLessThan(ROUNDS)

    rows[5] = lot('5', 'changed meanwhile')
    await cache.invalidate('5')
    await round()
    expect(states.toSorted()).toEqual(downs.toSorted())

    await end(patient)
    const isWell = async (): Promise<boolean> => {
      const loadedBefore = loaded()
      await round()
      return loaded() === loadedBefore + 3 && states.length === 2 * down.length
    }
    await eventually(isWell)
    const ups = down.map((side) => `${side} up`)
    expect(states.toSorted()).toEqual([...downs, ...ups].toSorted())
    const pending = messages.filter((message) => message.includes('invalidation'))
    expect(pending.length).toBe(pending.length > 0 ? 2 : 0)
    const other = await openCache(patient.server.url, rows)
    expect(await other.cache.get('5')).toStrictEqual(rows[5])
    expect((await other.cache.getMany(ids)).map((row) => row!.name)).toEqual(
      rows.slice(0, STORED).map(({ name }) => name),
    )
  })
})

it('a Valkey that denies PUBLISH is reported once, and still takes invalidations', async () => {
  await acl('resetchannels')(patient)
  const rows = [lot('1')]
  const { cache, messages } = await openCache(patient.server.url, rows)
  for (const name of ['changed', 'changed again']) {
    await cache.get('1')
    await cache.drain()
    rows[0] = lot('1', name)
    await cache.invalidate('1')
    expect(await cache.get('1')).toStrictEqual(rows[0])
  }
  expect(messages).toEqual([
    expect.stringContaining('the store does not allow this process to publish on mc:{Lot}:written'),
  ])
  expect(await cache.explain('1')).toMatchObject({ isInvalidationPending: false })
})

it('a listener that throws costs neither the process nor an answer', async () => {
  const url = `valkey://app:secret@127.0.0.1:${patient.proxy.port}`
  const messages: string[] = []
  const store = new ValkeyStore({ url }, (side, state) => {
    messages.push(`${side} ${state}`)
    throw new Error('thrown by the application')
  })
  closing.push(() => store.close())
  await store.connect()
  const { cache } = createTestCache(lots, [lot('1')], { store })
  await patient.proxy.refuse()
  while (messages.length < 2) expect(await cache.get('1')).toStrictEqual(lot('1'))
  await patient.proxy.accept()
  while (messages.length < 4) expect(await cache.get('1')).toStrictEqual(lot('1'))
  expect(messages.toSorted()).toEqual(['reads down', 'reads up', 'writes down', 'writes up'])
})
