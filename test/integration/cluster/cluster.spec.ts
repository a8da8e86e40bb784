import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { type } from 'arktype'
import { Cluster } from 'ioredis'
import {
  FenceError,
  ModelCacheModule,
  type ModelCacheModuleOptions,
  modelCaches,
  ModelCacheWrites,
} from 'model-cache'
import { eventually, eventuallyResolves } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { type ValkeyCluster, type ValkeyServer, startValkeyCluster } from '../../support/valkey-server.js'
import {
  beginMove,
  ClusterControl,
  endMove,
  moveAtOnce,
  moveByKey,
  moveKeys,
} from '../../support/cluster-control.js'
import { start as startApplication } from '../configuration/application.js'
import { run } from '../doctor/command-line.js'
import type { OpenCache } from './versioned-rows.js'
import { allAreHits, alternate, openCache, permits, startBurst, VersionedRows } from './versioned-rows.js'

jest.setTimeout(120_000)

let servers: ValkeyCluster
let control: ClusterControl
const opened: OpenCache[] = []

const start = async (options?: Parameters<typeof startValkeyCluster>[0]): Promise<void> => {
  servers = await startValkeyCluster(options)
  control = new ClusterControl(servers)
}
const stop = async (): Promise<void> => {
  control.disconnect()
  await servers.stop()
}
const open = async (
  database: VersionedRows,
  parts?: Parameters<typeof openCache>[2],
  deadlineMs = 2_000,
): Promise<OpenCache> => {
  const nodes = servers.nodes.map(({ host, port }) => ({ host, port }))
  const client = new Cluster(nodes, { lazyConnect: true })
  const cache = await openCache(database, { client, deadlineMs }, parts)
  opened.push(cache)
  return cache
}
afterEach(() => Promise.all(opened.splice(0).map(({ close }) => close())))

const onEachNode = <T>(look: (node: ValkeyServer) => Promise<T>): Promise<T[]> =>
  Promise.all(servers.nodes.map(look))
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

describe('a cluster', () => {
  beforeAll(() => start())
  afterAll(stop)
  afterEach(() =>
    onEachNode((node) =>
      control
        .of(node)
        .flushall()
        .catch(() => {}),
    ),
  )

  it.each([1, 16, 64])('reads thousands of rows with one command for each of %d buckets', async (buckets) => {
    const database = new VersionedRows(3_000)
    const { cache } = await open(database, { buckets }, patientMs)
    await cache.prime(database.all())
    const before = await onEachNode((node) => control.calls(node, 'mget'))
    expect(await cache.getMany(database.ids)).toStrictEqual(database.all())
    const after = await onEachNode((node) => control.calls(node, 'mget'))
    expect(database.loaded).toBe(0)
    // One for the epoch, one for the catalogue epoch; and no command reads more than 250 rows.
    expect(sum(after) - sum(before)).toBe(2 + Math.max(buckets, 3_000 / 250))
  })

  it('warms a namespace up with what all of its nodes have of another', async () => {
    const nodes = servers.nodes.map(({ host, port }) => ({ host, port }))
    const { url } = servers.nodes[1]!
    const numbers = modelCaches().defineModelCache<{ id: number }>()({
      model: 'Number',
      schema: type({ id: 'number' }),
      id: 'id',
      ttl: '1h',
      dependsOn: [],
      load: (_, ids: readonly number[]) => ids.map((id) => ({ id })),
    })
    const startIn = (namespace: string, warm: ModelCacheModuleOptions['warm']) =>
      startApplication([
        ModelCacheModule.forRoot({
          valkey: { client: new Cluster(nodes, { lazyConnect: true }), deadlineMs: patientMs },
          namespace,
          registry: false,
          ...(warm && { warm }),
        }),
        ModelCacheModule.forFeature([numbers]),
      ])
    const before = await startIn('before', undefined)
    await before.cache(numbers).getMany(Array.from({ length: 300 }, (_, i) => i))
    await before.app.close()
    const after = await startIn('after', { from: { url, namespace: 'before' } })
    await eventually(() => after.logger.logged.some((line) => line.includes(': 300 stored, 0 present')))
    // Messages are sharded as well.
    const { output } = await run(['warm', '--from', 'before', '--valkey', url, '--namespace', 'after'])
    expect(output).toContain(': 0 stored, 300 present')
    await after.app.close()
  })

  it('has equal shares of the buckets on its nodes', async () => {
    const database = new VersionedRows(6_000)
    const { cache } = await open(database, undefined, patientMs)
    await cache.prime(database.all())
    for (const slots of await onEachNode((node) => control.usedSlots(node))) {
      // 64 on three nodes, give or take one, and the epoch on one of them.
      expect(slots.length).toBeGreaterThanOrEqual(20)
      expect(slots.length).toBeLessThanOrEqual(24)
    }
    const keys = await onEachNode((node) => control.of(node).dbsize())
    for (const count of keys) {
      expect(count / sum(keys)).toBeGreaterThan(0.28)
      expect(count / sum(keys)).toBeLessThan(0.39)
    }
  })

  it.each([
    ['key by key', moveByKey],
    ['at once', moveAtOnce],
  ])('moves slots %s during a burst without loading a row again', async (_, move) => {
    const database = new VersionedRows(2_000)
    const { cache, states } = await open(database, undefined, patientMs)
    await cache.prime(database.all())
    const [from, to] = servers.nodes as [ValkeyServer, ValkeyServer]
    const burst = startBurst(cache, database)
    await burst.goesOn(5)
    for (const slot of (await control.usedSlots(from)).slice(0, 3)) {
      await move(control, slot, from, to, () => burst.goesOn(2))
    }
    await burst.goesOn(5)
    await burst.stop()
    expect(burst.faults).toEqual([])
    expect(states).toEqual([])
    expect(database.loaded).toBe(0)
  })

  it('forgets rows that are invalidated while their slot is on its way', async () => {
    const database = new VersionedRows(2_000)
    const { cache } = await open(database, undefined, patientMs)
    await cache.prime(database.all())
    const [from, to] = servers.nodes as [ValkeyServer, ValkeyServer]
    const [slot] = (await control.usedSlots(from)).slice(-1) as [number]
    await beginMove(control, slot, from, to)
    await moveKeys(control, slot, from, to)
    for (const id of database.ids) database.write(id)
    await cache.invalidate(database.ids)
    expect(await onEachNode((node) => control.rows(node))).toEqual([0, 0, 0])
    await endMove(control, slot, from, to)
  })

  it('may lose a node that a slot is moving to while reads wait there', async () => {
    const database = new VersionedRows(2_000)
    const { cache } = await open(database)
    await cache.prime(database.all())
    const [from, to] = servers.nodes as [ValkeyServer, ValkeyServer]
    const [slot] = (await control.usedSlots(from)).slice(-1) as [number]
    await beginMove(control, slot, from, to)
    while (await moveKeys(control, slot, from, to));
    await to.kill('SIGSTOP')
    const waiting = cache.getMany(database.ids)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await to.kill('SIGKILL')
    // ioredis waits there for the answer to ASKING as well, which nobody looks at.
    expect(await waiting).toStrictEqual(database.all())
  })
})

describe('a cluster whose primary is killed', () => {
  beforeAll(() => start({ replicas: true }))
  afterAll(stop)

  it('has the fences of writes on replicas before, also while a slot is on its way', async () => {
    const database = new VersionedRows(50)
    const writes = new ModelCacheWrites()
    const consistency = { mode: 'strict', replicas: 1 } as const
    const { cache } = await open(database, { namespace: 'fenced', writes, consistency }, 3_000)
    const guards = async (): Promise<number> => {
      const keys = await Promise.all(servers.replicas.map((replica) => control.of(replica).keys('*:row-*:l')))
      return keys.flat().length
    }
    const fence = async (): Promise<void> => {
      const unit = writes.begin()
      unit.markWritten(
        'Row',
        database.ids.map((id) => ({ id })),
      )
      await unit.fence()
      expect(await guards()).toBe(50)
      await unit.end()
    }
    await eventually(() => allAreHits(cache, database))
    await fence()
    const [from, to] = servers.nodes as [ValkeyServer, ValkeyServer]
    const [slot] = (await control.usedSlots(from)).slice(-1) as [number]
    await beginMove(control, slot, from, to)
    while (await moveKeys(control, slot, from, to));
    await fence()
    await endMove(control, slot, from, to)
    await fence()
    const [replica] = servers.replicas as [ValkeyServer]
    await replica.kill('SIGSTOP')
    await expect(fence()).rejects.toBeInstanceOf(FenceError)
    await replica.kill('SIGCONT')
  })

  it('answers every read, first from the source, then from the promoted replica', async () => {
    const database = new VersionedRows(2_000)
    const { cache, states, store } = await open(database)
    const [victim] = servers.nodes as [ValkeyServer]
    const [heir] = servers.replicas as [ValkeyServer]
    await cache.prime(database.all())
    const burst = startBurst(cache, database)
    await burst.goesOn(5)
    await store.ping()

    await victim.kill('SIGKILL')
    await expect(store.ping()).rejects.toThrow()
    for (let i = 0; !(await control.isPrimary(heir)); i++) {
      const id = database.ids[(i * 13) % database.ids.length]!
      database.write(id)
      await Promise.all([cache.invalidate(id), delay(5)])
    }
    await eventuallyResolves(() => store.ping())
    await burst.goesOn(5)
    await burst.stop()
    expect(burst.faults).toEqual([])
    expect(database.loaded).toBeGreaterThan(0)
    expect(database.atOnce).toBeLessThanOrEqual(permits)
    await eventually(() => allAreHits(cache, database))
    expect(states).toContain(`reads down (node ${victim.host}:${victim.port})`)
    expect(alternate(states)).toBe(true)
    await eventually(() => states.filter((state) => state.includes(' up')).length === states.length / 2)

    // What another process finds is what was written last.
    const other = await open(database)
    expect(await other.cache.getMany(database.ids)).toStrictEqual(database.all())
  })
})

describe('a cluster whose primary hangs', () => {
  beforeAll(() => start({ replicas: true }))
  afterAll(stop)

  it('is read from the promoted replica, and leaves no connection behind', async () => {
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length
    const before = sockets()
    const database = new VersionedRows(2_000)
    const { cache, close } = await open(database, {}, 200)
    const [victim] = servers.nodes as [ValkeyServer]
    const [heir] = servers.replicas as [ValkeyServer]
    await cache.prime(database.all())
    const burst = startBurst(cache, database)
    await burst.goesOn(5)
    await victim.kill('SIGSTOP')
    await eventually(() => control.isPrimary(heir))
    await eventually(() => allAreHits(cache, database))
    await burst.stop()
    expect(burst.faults).toEqual([])
    expect(database.atOnce).toBeLessThanOrEqual(permits)
    await close()
    await eventually(() => sockets() <= before)
  })
})
