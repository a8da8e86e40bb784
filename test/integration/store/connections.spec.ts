import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import {
  type CatalogueAnswer,
  type CatalogueRequest,
  type RegisterChange,
  ValkeyStore,
} from 'model-cache/advanced'
import { writeValue } from 'model-cache/testing'
import { commandCallsDuring } from '../../support/command-calls.js'
import { eventually, eventuallyEqual, eventuallyResolves } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'

let server: ValkeyServer
let admin: Redis
const opened: ValkeyStore[] = []

beforeAll(async () => {
  server = await startValkey()
  admin = new Redis(server.port)
})
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  await server.kill('SIGCONT')
  await admin.call('REPLICAOF', 'NO', 'ONE')
  await admin.config('SET', 'maxmemory', '0')
  await admin.flushall()
})
afterAll(async () => {
  admin.disconnect()
  await server.stop()
})

interface OpenStore {
  readonly store: ValkeyStore
  /** Each change of state that the store reported. */
  readonly states: string[]
  /** The connections that the store has opened, by their names. */
  of(role: 'read' | 'write' | 'subscribe'): Redis
}

/** Patient enough for a busy machine, unless a test waits for the deadline. */
function create(options: RedisOptions = {}, deadlineMs = patientMs): OpenStore {
  const connections = new Map<string, Redis>()
  const client = new Redis({ port: server.port, lazyConnect: true, ...options })
  const duplicate = client.duplicate.bind(client)
  client.duplicate = (own) => {
    const connection = duplicate(own)
    connections.set(own!.connectionName!, connection)
    return connection
  }
  const states: string[] = []
  const store = new ValkeyStore({ client, deadlineMs }, (side, state, reason) =>
    states.push(`${side} ${state}: ${reason}`),
  )
  opened.push(store)
  return { store, states, of: (role) => connections.get(`model-cache:${role}`)! }
}

async function open(...options: Parameters<typeof create>): Promise<OpenStore> {
  const created = create(...options)
  await created.store.connect()
  return created
}

const callsOf = (command: string, work: () => Promise<unknown>): Promise<number> =>
  commandCallsDuring(admin, command, work)

async function kill(connection: Redis): Promise<void> {
  await admin.client('KILL', 'ID', await connection.client('ID'))
}

const row = (id: string) => ({ key: `mc:{Lot:0}:${id}:p`, guard: `mc:{Lot:0}:${id}:p:l` })
const leaseOf = (token: string) => ({ token, leaseMs: 60_000, onlyAbsent: false, onlyUnmarked: false })
const manyRows = (count: number) => Array.from({ length: count }, (_, i) => row(String(i)))
const corked = (connection: Redis): number => (connection.stream as Socket).writableCorked
const aTurn = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve))

describe('the commands of one turn', () => {
  it('are sent together at its end', async () => {
    const { store, of } = await open()
    const sent = [1, 2, 3].map((message) => {
      const reply = store.messages.publish('channel', String(message))
      return { reply, corked: corked(of('write')) }
    })
    expect(sent.map((each) => each.corked)).toEqual([1, 1, 1])
    await aTurn()
    expect(corked(of('write'))).toBe(0)
    await Promise.all(sent.map(({ reply }) => reply))
    const next = store.messages.publish('channel', 'next')
    expect(corked(of('write'))).toBe(1)
    await next
  })

  it('are sent before a read of the same turn', async () => {
    const { store, of } = await open()
    const published = store.messages.publish('channel', 'message')
    await Promise.resolve()
    expect(corked(of('write'))).toBe(1)
    const read = store.getMany(['key'])
    await Promise.resolve()
    expect(corked(of('write'))).toBe(0)
    await Promise.all([published, read])
  })

  it('are sent at once if they are large', async () => {
    const { store, of } = await open()
    const small = store.messages.publish('channel', 'x'.repeat(16_000))
    expect(corked(of('write'))).toBe(1)
    const large = store.messages.publish('channel', 'x'.repeat(400))
    expect(corked(of('write'))).toBe(0)
    const third = store.messages.publish('channel', 'third')
    expect(corked(of('write'))).toBe(1)
    await Promise.all([small, large, third])
    expect(corked(of('write'))).toBe(0)
  })

  it('include the reads, one for each 512 keys', async () => {
    const { store } = await open()
    await writeValue(store, 'last', 'value', 60_000)
    const keysOf = (count: number) => [...Array.from({ length: count - 1 }, (_, i) => `key ${i}`), 'last']
    const read = async (...counts: number[]): Promise<void> => {
      const found = await Promise.all(counts.map((count) => store.getMany(keysOf(count))))
      expect(found.map((values) => [values.length, values.indexOf('value')])).toEqual(
        counts.map((count) => [count, count - 1]),
      )
    }
    expect(await callsOf('mget', () => read(512))).toBe(1)
    expect(await callsOf('mget', () => read(256, 256))).toBe(1)
    expect(await callsOf('mget', () => read(256, 257))).toBe(2)
    expect(await callsOf('mget', () => read(500, 20, 492))).toBe(2)
    expect(await callsOf('mget', () => read(513))).toBe(2)
    expect(await callsOf('mget', () => read(1_025))).toBe(3)
    expect(await callsOf('mget', () => store.getMany([]))).toBe(0)
    expect(await callsOf('eval(?:sha)?', () => store.leaseMany([], {} as never))).toBe(0)
  })

  it('are scripts for 64 rows each', async () => {
    const { store } = await open()
    await store.fenceMany(manyRows(1), { token: 'writer', fenceMs: 60_000, markMs: 1_000 })
    const scripts = (count: number) =>
      callsOf('evalsha', () =>
        store.fenceMany(manyRows(count), { token: 'writer', fenceMs: 60_000, markMs: 1_000 }),
      )
    expect([await scripts(64), await scripts(65), await scripts(129)]).toEqual([1, 2, 3])
  })
})

it('knows what it has written also if the client of the application gets numbers as text', async () => {
  const { store } = await open({ stringNumbers: true })
  await writeValue(store, 'row', 'value', 60_000)
  expect(await store.getMany(['row'])).toEqual(['value'])
  const announcement = { channel: 'written', message: 'fenced' }
  const fence = { token: 'writer', fenceMs: 60_000, markMs: 1_000, announcement }
  expect(await store.fenceMany([row('1')], fence)).toBe(true)
})

describe('what is asked of the catalogue with a fence in one turn', () => {
  const key = 'mc:{catalogue}'
  const announcement = { channel: 'written', message: 'fenced' }
  const fenceAnd = async (store: ValkeyStore, request: Partial<CatalogueRequest>) => {
    const [isAnnounced, answer] = await Promise.all([
      store.fenceMany([row('1')], { token: 'writer', fenceMs: 60_000, markMs: 1_000, announcement }),
      store.askCatalogue(key, { known: '', isWriter: true, ...request }),
    ])
    return { isAnnounced, ...answer }
  }
  const put = (...fields: string[]) => new Map(fields.map((field) => [field, `text of ${field}`]))
  const fieldsOf = ({ entries }: CatalogueAnswer) => entries?.map(({ field }) => field).toSorted()

  it('is answered, also if it is more than a question', async () => {
    const { store } = await open()
    expect(store.shardOf).toBeUndefined()
    const { entries, version } = await fenceAnd(store, { put: put('a', 'b') })
    expect(entries!.map(({ text }) => text).toSorted()).toEqual(['text of a', 'text of b'])
    const unchanged = await fenceAnd(store, { known: version })
    expect(unchanged).toMatchObject({ isAnnounced: true, version, entries: undefined })
    const more = await fenceAnd(store, { known: version, put: put('c') })
    expect(fieldsOf(more)).toEqual(['a', 'b', 'c'])
    const fewer = await fenceAnd(store, { known: more.version, remove: entries! })
    expect(fieldsOf(fewer)).toEqual(['c'])
    expect(fieldsOf(await fenceAnd(store, {}))).toEqual(['c'])
    expect(await fenceAnd(store, { known: fewer.version, put: new Map(), remove: [] })).toMatchObject({
      version: fewer.version,
      entries: undefined,
    })
  })

  it('is read without a write if nobody waits for replicas', async () => {
    const { store } = await open()
    const { version } = await fenceAnd(store, { put: put('a') })
    const read = () => store.askCatalogue(key, { known: version, isWriter: false })
    expect(await callsOf('set', read)).toBe(0)
  })

  it('tells whether the fence could be announced', async () => {
    await admin.call('ACL', 'SETUSER', 'quiet', 'on', '>secret', '~*', '+@all', 'resetchannels')
    const { store } = await open({ username: 'quiet', password: 'secret' })
    const { version } = await fenceAnd(store, { put: put('a') })
    expect(await fenceAnd(store, { known: version })).toMatchObject({ isAnnounced: false, version })
  })
})

describe('a register', () => {
  it('has listings and fences for as long as a change says', async () => {
    const { store } = await open()
    const change = async (each: RegisterChange) => {
      const { text, nowMs } = await store.change('mc:{Lot}:register', each)
      const untils = [...text.matchAll(/([\w:]+)@(\d+)/g)].map(([, name, until]) => [
        name,
        Number(until) - nowMs,
      ])
      const [epoch, existence] = text.split(';')
      return { untils, epoch, existence }
    }
    const write = { token: 'w', markMs: 1 }
    const joined = await change({ kind: 'join', listing: 'p:d', lifeMs: 60_000, markMs: 1 })
    expect(joined.untils).toEqual([['p:d', 60_000]])
    const fenced = await change({ ...write, kind: 'fence', scope: 'all', fenceMs: 70_000 })
    expect(fenced.untils).toEqual([
      ['w', 70_000],
      ['p:d', expect.any(Number)],
    ])
    expect([fenced.epoch, fenced.existence]).not.toContain(joined.epoch)
    const released = await change({ ...write, kind: 'release', scope: 'all', holdMs: 80_000 })
    expect(released.untils).toEqual([
      ['held', 80_000],
      ['p:d', expect.any(Number)],
    ])
    const existence = await change({ ...write, kind: 'release', scope: 'existence', holdMs: 0 })
    expect(existence.epoch).toBe(released.epoch)
    expect(existence.existence).not.toBe(released.existence)
  })
})

describe('a script', () => {
  it('is sent as text once over each connection, and again if the server has lost it', async () => {
    const { store, of } = await open()
    const fence = (): Promise<unknown> =>
      store.fenceMany([row('1')], { token: 'writer', fenceMs: 60_000, markMs: 1_000 })
    expect(await callsOf('eval', fence)).toBe(1)
    expect(await callsOf('eval', fence)).toBe(0)
    expect(await callsOf('evalsha', fence)).toBe(1)
    await admin.script('FLUSH')
    expect(await callsOf('eval', fence)).toBe(1)
    await kill(of('write'))
    await eventuallyResolves(fence)
    expect(await admin.exists(row('1').guard)).toBe(1)
  })

  it('is not repeated after an error of another kind', async () => {
    const { store } = await open()
    const lease = (id: string) => store.leaseMany([row(id)], leaseOf('reader'))
    await lease('1')
    await admin.config('SET', 'maxmemory', '1')
    const fail = () => expect(lease('2')).rejects.toThrow('LEASE failed: OOM')
    expect(await callsOf('eval', fail)).toBe(0)
  })
})

describe('a deadline', () => {
  it.each([0, -1, Number.NaN, 3_600_001, Infinity])('of %p ms is refused', (deadlineMs) => {
    expect(() => new ValkeyStore({ url: 'valkey://host', deadlineMs })).toThrow('option "valkey.deadlineMs"')
  })

  it.each([0.5, 3_600_000])('of %p ms is accepted', (deadlineMs) => {
    opened.push(new ValkeyStore({ url: 'valkey://host', deadlineMs }))
  })

  it('is a quarter of a second by default', async () => {
    const store = new ValkeyStore({ url: server.url })
    opened.push(store)
    await store.connect()
    await server.kill('SIGSTOP')
    await expect(store.ping()).rejects.toThrow('PING took longer than its deadline of 250 ms')
  })
})

describe('a connection', () => {
  it('is there for reads and writes once the store has connected, and reports nothing', async () => {
    const { store, states, of } = await open()
    expect([of('read').status, of('write').status]).toEqual(['ready', 'ready'])
    expect(of('subscribe')).toBeUndefined()
    await store.ping()
    await store.close()
    expect([of('read').status, of('write').status]).toEqual(['end', 'end'])
    await store.close()
    expect(states).toEqual([])
  })

  it('may be opened by the application, twice', async () => {
    const { store } = await open()
    await store.connect()
    await store.ping()
  })

  it.each(['read', 'write'] as const)('to %s is missed by a ping, and comes back', async (role) => {
    const { store, states, of } = await open()
    const side = `${role}s`
    await kill(of(role))
    await eventually(() => states.length > 0)
    await expect(store.ping()).rejects.toMatchObject({ code: 'E_STORE' })
    await eventuallyResolves(() => store.ping())
    const use = async (): Promise<unknown> =>
      role === 'read' ? store.getMany(['key']) : writeValue(store, 'key', 'value', 60_000)
    await eventuallyResolves(use)
    expect(states).toEqual([`${side} down: there is no connection`, `${side} up: commands are answered`])
  })

  it('that is refused is reported with the reason', async () => {
    const { port, stop } = await startValkey()
    await stop()
    const { states, store } = await open({ port }, 200)
    await eventuallyEqual(() => states.length, 2)
    expect(states.toSorted()).toEqual([
      expect.stringMatching(/^reads down: .*ECONNREFUSED/),
      expect.stringMatching(/^writes down: .*ECONNREFUSED/),
    ])
    await expect(store.getMany(['key'])).rejects.toThrow('is bypassed')
  })

  it('is not waited for when the server hangs', async () => {
    await server.kill('SIGSTOP')
    const { store } = await open({}, 100)
    await expect(store.ping()).rejects.toMatchObject({ code: 'E_STORE' })
    await server.kill('SIGCONT')
    await eventuallyResolves(() => store.ping())
  })

  it('to a replica is not used, and is replaced until it leads to a primary', async () => {
    await admin.call('REPLICAOF', '127.0.0.1', '1')
    const { store, states, of } = await open()
    await eventuallyEqual(() => states.length, 2)
    expect(states.toSorted()).toEqual([
      'reads down: the server is a replica',
      'writes down: the server is a replica',
    ])
    await expect(store.getMany(['key'])).rejects.toThrow('is bypassed')
    const first = of('read').stream
    await eventually(() => of('read').stream !== first && of('read').status === 'ready')
    await admin.call('REPLICAOF', 'NO', 'ONE')
    await eventuallyResolves(() => store.getMany(['key']))
    await eventuallyResolves(() => writeValue(store, 'key', 'value', 60_000))
    const stable = of('read').stream
    await delay(600)
    expect(of('read').stream).toBe(stable)
  })

  it('is used if the server does not say whether it is a replica', async () => {
    await admin.call('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all', '-info')
    const { store, states } = await open({ username: 'app', password: 'secret', enableReadyCheck: false })
    await writeValue(store, 'key', 'value', 60_000)
    expect(await store.getMany(['key'])).toEqual(['value'])
    expect(await store.advice()).toEqual([])
    await expect(store.mayEvictGuards()).rejects.toMatchObject({ code: 'E_STORE_FORBIDDEN' })
    expect(states).toEqual([])
  })

  it('lets running writes finish when it is closed', async () => {
    const { store } = await open()
    const fenced = store.fenceMany(manyRows(500), { token: 'writer', fenceMs: 60_000, markMs: 1_000 })
    await Promise.all([aTurn(), store.close()])
    expect(await fenced).toBe(true)
    expect(await admin.dbsize()).toBe(500)
  })
})

describe('messages', () => {
  it('arrive again after a connection that is lost while it subscribes again', async () => {
    const { store, of } = await open()
    const heard: string[] = []
    let losses = 0
    await store.messages.subscribe(
      'a',
      (message) => heard.push(message),
      () => void losses++,
    )
    const connection = of('subscribe')
    // The command has been sent by then, and its reply is lost. Nobody waits for it: an error of it would end the process.
    connection.once('ready', () => connection.stream.destroy())
    connection.stream.destroy()
    await eventuallyEqual(() => losses, 2)
    await eventually(async () => {
      await store.messages.publish('a', 'message')
      return heard.length > 0
    })
  })

  const listen = async ({ store }: OpenStore, channel: string) => {
    const heard: string[] = []
    await store.messages.subscribe(
      channel,
      (message) => heard.push(message),
      () => heard.push('lost'),
    )
    return heard
  }

  it('come over a connection of their own, to the listeners of their channel', async () => {
    const open1 = await open()
    const { store, of } = open1
    await store.messages.unsubscribe('a')
    const [a, b] = [await listen(open1, 'a'), await listen(open1, 'b')]
    expect(of('subscribe').status).toBe('ready')
    await store.messages.publish('a', '1')
    await store.messages.publish('b', '2')
    await eventually(() => b.length > 0)
    await store.messages.unsubscribe('a')
    expect((await admin.pubsub('NUMSUB', 'a', 'b')) as unknown[]).toEqual(['a', 0, 'b', 1])
    await store.messages.publish('b', '3')
    await eventually(() => b.length > 1)
    expect([a, b]).toEqual([['1'], ['2', '3']])
    const another = await listen(open1, 'b')
    await store.messages.publish('b', '4')
    await eventually(() => another.length > 0)
    expect([b, another]).toEqual([['2', '3', '4'], ['4']])
    await store.close()
    await eventuallyEqual(() => of('subscribe').status, 'end')
  })

  it('may get lost with their connection, which comes back by itself', async () => {
    const open1 = await open()
    const [a, b] = [await listen(open1, 'a'), await listen(open1, 'b')]
    const [id] = /(?<=id=)\d+(?= .*name=model-cache:subscribe)/m.exec((await admin.client('LIST')) as string)!
    await admin.client('KILL', 'ID', id)
    await eventually(() => a.length > 0 && b.length > 0)
    expect([a, b]).toEqual([['lost'], ['lost']])
    await open1.store.messages.unsubscribe('b')
    await eventually(async () => {
      await open1.store.messages.publish('a', 'back')
      return a.includes('back')
    })
  })

  it('may be forbidden, or fail for other reasons', async () => {
    await admin.call('ACL', 'SETUSER', 'quiet', 'on', '>secret', '~*', '+@all', 'resetchannels')
    const { store } = await open({ username: 'quiet', password: 'secret' })
    const announcement = { channel: 'a', message: 'm' }
    const forbidden = { code: 'E_STORE_FORBIDDEN' }
    await expect(store.messages.publish('a', 'm')).rejects.toMatchObject(forbidden)
    await expect(
      store.messages.subscribe(
        'a',
        () => {},
        () => {},
      ),
    ).rejects.toMatchObject(forbidden)
    for (const count of [1, 65]) {
      expect(
        await store.fenceMany(manyRows(count), { token: 'w', fenceMs: 60_000, markMs: 1, announcement }),
      ).toBe(false)
      expect(
        await store.releaseFences(manyRows(count), { token: 'w', holdMs: 0, markMs: 1, announcement }),
      ).toBe(false)
      expect(await store.fenceMany(manyRows(count), { token: 'w', fenceMs: 60_000, markMs: 1 })).toBe(true)
    }
    const without = await startValkey({ args: ['--rename-command', 'PUBLISH', ''] })
    const other = (await open({ port: without.port })).store
    for (const count of [1, 65])
      await expect(
        other.fenceMany(manyRows(count), { token: 'w', fenceMs: 60_000, markMs: 1, announcement }),
      ).rejects.toMatchObject({
        code: 'E_STORE',
      })
    await other.close()
    await without.stop()
  })
})
