import { jest } from '@jest/globals'
import { Redis } from 'ioredis'
import { ModelCacheWrites } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import { commandCallsDuring } from '../../support/command-calls.js'
import { eventually, eventuallyEqual, eventuallyResolves } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import { l1Rows } from '../l1-rows.js'

let primary: ValkeyServer
let replica: ValkeyServer
let admin: Redis
let replicated: Redis
const opened: ValkeyStore[] = []

beforeAll(async () => {
  primary = await startValkey({ args: ['--repl-diskless-sync-delay', '0'] })
  replica = await startValkey({ args: ['--replicaof', primary.host, String(primary.port)] })
  admin = new Redis(primary.port)
  replicated = new Redis(replica.port)
  await isInSync()
})
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
  await replica.kill('SIGCONT')
  await isInSync()
  await admin.flushall()
})
afterAll(async () => {
  admin.disconnect()
  replicated.disconnect()
  await Promise.all([primary.stop(), replica.stop()])
})

async function isInSync(): Promise<void> {
  await eventually(async () => (await replicated.info('replication')).includes('master_link_status:up'))
  await eventually(async () => (await admin.info('replication')).includes('state=online'))
}

/** Patient enough for a busy machine, unless a test waits for the deadline. */
async function open(deadlineMs = patientMs): Promise<ValkeyStore> {
  const store = new ValkeyStore({ url: primary.url, deadlineMs })
  opened.push(store)
  await store.connect()
  return store
}

const row = (id: string) => ({ key: `mc:{Lot:0}:${id}:p`, guard: `mc:{Lot:0}:${id}:p:l` })
const fence = (store: ValkeyStore, id: string, replicas: number) =>
  store.fenceMany([row(id)], { token: 'writer', fenceMs: 60_000, markMs: 1_000, replicas })
const release = (store: ValkeyStore, id: string, replicas: number) =>
  store.releaseFences([row(id)], { token: 'writer', holdMs: 0, markMs: 60_000, replicas })

const join = (replicas: number) =>
  ({ kind: 'join', listing: 'p:d', lifeMs: 60_000, markMs: 1, replicas }) as const

const callsOf = (command: string, work: () => Promise<unknown>): Promise<number> =>
  commandCallsDuring(admin, command, work)

/** Connections of stores that wait for replicas. */
async function waiting(): Promise<string[]> {
  const clients = (await admin.client('LIST')) as string
  return clients.split('\n').filter((client) => client.includes('name=model-cache:wait'))
}

describe('a command that a replica acknowledges', () => {
  it('is there when it has been answered', async () => {
    const store = await open()
    for (let i = 0; i < 5; i++) {
      expect(await fence(store, String(i), 1)).toBe(true)
      expect(await replicated.get(row(String(i)).guard)).toMatch(/^0;;writer@\d+$/)
      expect(await release(store, String(i), 1)).toBe(true)
      expect(await replicated.get(row(String(i)).guard)).toMatch(/^\d+;;$/)
    }
    const { text } = await store.change('register', join(1))
    expect(await replicated.get('register')).toBe(text)
  })

  it('empties no memory of others by its order, beside commands that no replica acknowledges', async () => {
    const source = {
      load: async (ids: readonly string[]) => ids.map((id) => ({ id, version: 1 })),
      mayBlameOneId: () => false,
    }
    const openPod = async () => {
      const [store, writes] = [await open(), new ModelCacheWrites()]
      return {
        store,
        writes,
        cache: createModelCache(l1Rows, { store, writes, source, consistency: { replicas: 1 } }),
      }
    }
    const [writer, reader] = [await openPod(), await openPod()]
    const read = jest.spyOn(reader.store, 'getManyBytes')
    const remembers = async (): Promise<boolean> => {
      read.mockClear()
      await reader.cache.get('kept')
      await reader.cache.drain()
      return read.mock.calls.length === 0
    }
    const idsOf = (count: number) => Array.from({ length: count }, (_, id) => `row ${id}`)
    // More rows than a script has, and single ones meanwhile.
    const [many, few] = [idsOf(100), idsOf(30)]
    const invalidate = (ids: string | readonly string[]) => writer.cache.invalidate(ids)
    const eachOf = async (ids: readonly string[]): Promise<void> => {
      for (const id of ids) await invalidate(id)
    }
    await writer.cache.get('a')
    await eventually(remembers)
    for (let i = 0; i < 10; i++) {
      const write = async (): Promise<void> => {
        const unit = writer.writes.begin()
        unit.markWritten('Row', [{ id: `${i}` }])
        await unit.fence()
        await unit.end()
      }
      await Promise.all([write(), invalidate(many), eachOf(few), eachOf(few), invalidate(many), write()])
      expect(await remembers()).toBe(true)
    }
    await Promise.all([writer.cache.close(), reader.cache.close()])
  })

  it('says what others have written before, when the catalogue is read', async () => {
    const store = await open()
    const put = { known: '', isWriter: false, put: new Map([['Lot:a:p', 'text']]) }
    const { version } = await store.askCatalogue('mc:{catalogue}', put)
    const request = { known: version, isWriter: true, replicas: 1 }
    const { epoch, entries } = await store.askCatalogue('mc:{catalogue}', request)
    expect(entries).toBeUndefined()
    expect(await replicated.get('mc:{catalogue}:epoch')).toBe(epoch)
    await replica.kill('SIGSTOP')
    await expect((await open(100)).askCatalogue('mc:{catalogue}', request)).rejects.toThrow('CATALOGUE ')
  })

  it('needs no connection of its own, and does not wait, with no replicas', async () => {
    const store = await open()
    expect(await callsOf('wait', () => fence(store, '1', 0))).toBe(0)
    expect(await waiting()).toHaveLength(0)
    expect(await callsOf('wait', () => fence(store, '1', 1))).toBe(1)
    expect(await waiting()).toHaveLength(1)
    await fence(store, '2', 1)
    expect(await waiting()).toHaveLength(1)
    await store.close()
    await eventuallyEqual(async () => (await waiting()).length, 0)
  })

  it('fails if there are fewer replicas, and may have run nevertheless', async () => {
    const store = await open(200)
    await expect(fence(store, '1', 2)).rejects.toThrow(
      /FENCE failed: 1 of 2 replicas have acknowledged it in time|FENCE took longer/,
    )
    expect(await admin.exists(row('1').guard)).toBe(1)
  })

  it('fails while its replica hangs, and half of the deadline is enough to know that', async () => {
    const store = await open(1_000)
    await fence(store, '1', 1)
    await replica.kill('SIGSTOP')
    await expect(fence(store, '2', 1)).rejects.toThrow(/0 of 1 replicas|took longer/)
    await replica.kill('SIGCONT')
    expect(await fence(store, '3', 1)).toBe(true)
  })

  it('succeeds although another of its turn needs more replicas than there are', async () => {
    const store = await open(3_000)
    await fence(store, '0', 1)
    const [more, fewer] = await Promise.allSettled([fence(store, '1', 2), fence(store, '2', 1)])
    expect(more).toMatchObject({ status: 'rejected' })
    expect(fewer).toMatchObject({ status: 'fulfilled', value: true })
  })

  it('shares its wait with the others of its turn', async () => {
    const store = await open()
    await fence(store, '0', 1)
    const ids = Array.from({ length: 30 }, (_, id) => String(id))
    const work = () => Promise.all(ids.map((id) => fence(store, id, 1)))
    expect(await callsOf('wait', work)).toBeLessThan(10)
    expect(await replicated.exists(ids.map((id) => row(id).guard))).toBe(30)
    expect(await callsOf('wait', () => fence(store, '0', 1))).toBe(1)
  })

  it('is sent as text if the server does not know its script, and by its digest after that', async () => {
    await admin.script('FLUSH')
    const store = await open()
    expect(await callsOf('eval', () => fence(store, '1', 1))).toBe(1)
    expect(await callsOf('eval', () => fence(store, '2', 1))).toBe(0)
    expect(await callsOf('evalsha', () => fence(store, '3', 1))).toBe(1)
    await admin.script('FLUSH')
    expect(await fence(store, '4', 1)).toBe(true)
    expect(await replicated.exists(row('4').guard)).toBe(1)
  })

  it('is not repeated after an error of another kind', async () => {
    const store = await open()
    await fence(store, '1', 1)
    await admin.set('register', 'x')
    await admin.config('SET', 'maxmemory', '1')
    const failing = async () => {
      await expect(store.change('register', join(1))).rejects.toThrow('OOM')
    }
    expect(await callsOf('evalsha', failing)).toBe(1)
    await admin.config('SET', 'maxmemory', '0')
  })

  it('fails at once without a connection, and works again over the next one', async () => {
    const store = await open()
    await fence(store, '1', 1)
    const [id] = /\d+/.exec((await waiting())[0]!)!
    await replica.kill('SIGSTOP')
    const lost = fence(store, '2', 1)
    await eventually(async () => (await waiting())[0]!.includes('cmd=wait'))
    const behind = fence(store, '3', 1)
    await admin.client('KILL', 'ID', id)
    await expect(lost).rejects.toMatchObject({ code: 'E_STORE' })
    await expect(behind).rejects.toMatchObject({ code: 'E_STORE' })
    // The client is between two connections, or has noticed that the first is lost.
    await expect(fence(store, '4', 1)).rejects.toThrow(
      /valkey: FENCE failed: (there is no connection to the server|the connection was lost)$/,
    )
    await replica.kill('SIGCONT')
    await eventuallyResolves(() => fence(store, '5', 1))
    expect(await replicated.exists(row('5').guard)).toBe(1)
  })

  it('fails without a server, and reaches the one that comes', async () => {
    const { port, url, stop } = await startValkey()
    await stop()
    const store = new ValkeyStore({ url, deadlineMs: 200 })
    opened.push(store)
    await expect(fence(store, '1', 1)).rejects.toMatchObject({ code: 'E_STORE' })
    const server = await startValkey({ port })
    const reason = (): Promise<string> =>
      fence(store, '1', 1).then(
        () => 'none',
        ({ message }: Error) => message,
      )
    await eventually(async () => (await reason()).includes('0 of 1 replicas'))
    await store.close()
    await server.stop()
  })
})
