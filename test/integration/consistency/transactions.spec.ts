import { FenceError, type Store } from 'model-cache'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startServerProxy } from '../../support/server-proxy.js'
import { withMethods } from './sabotage.js'
import { getStored, isStored, lotId, type Pod, useWorlds } from './world.js'

const newWorld = useWorlds()

/** The rows that a transaction sees: its own. */
const clientOf = (version: number) => ({ row: (id: string) => ({ id, version }) })

describe('in a transaction', () => {
  it('reads see what its client sees, and nothing is cached', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod()
    await getStored(pod)
    const unit = pod.writes.begin()
    await pod.writes.within(unit, clientOf(7), async () => {
      expect(await pod.get()).toStrictEqual({ id: lotId, version: 7 })
      expect(await pod.cache.getMany([lotId, 'lot-2', lotId])).toStrictEqual([
        { id: lotId, version: 7 },
        { id: 'lot-2', version: 7 },
        { id: lotId, version: 7 },
      ])
    })
    await unit.end()
    await pod.cache.drain()
    expect(pod.counts.get('misses transaction')).toBe(4)
    expect(await pod.cache.getMany([lotId, 'lot-2'])).toStrictEqual([
      database.row(lotId),
      database.row('lot-2'),
    ])
  })

  it.each(['invalidate', 'invalidateAll'] as const)('%s waits for COMMIT', async (method) => {
    const { database, openPod } = newWorld()
    const [pod, other] = [await openPod(), await openPod()]
    await getStored(other)
    const unit = pod.writes.begin()
    await pod.writes.within(unit, clientOf(7), () => pod.cache[method](lotId))
    expect(unit.isFenced).toBe(false)
    expect((await other.cache.explain(lotId)).stored.isHit).toBe(true)

    await unit.fence()
    expect(unit.isFenced).toBe(true)
    expect((await other.cache.explain(lotId)).stored.isHit).toBe(false)
    await getStored(other)
    expect((await other.cache.explain(lotId)).stored.isHit).toBe(false)

    database.write(lotId)
    await unit.end()
    expect(await getStored(other)).toStrictEqual(database.row(lotId))
    expect((await other.cache.explain(lotId)).stored.isHit).toBe(true)
  })

  it('a rollback leaves the row as it was, and it is stored again', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod()
    await getStored(pod)
    const unit = pod.begin()
    await unit.fence()
    await unit.end()
    expect(await getStored(pod)).toStrictEqual(database.row(lotId))
    expect((await pod.cache.explain(lotId)).stored.isHit).toBe(true)
  })

  it('a row whose fence fails is read from the source from then on, in available mode', async () => {
    const { database, openPod, valkey } = newWorld()
    const proxy = await startServerProxy(valkey.port)
    const pod = await openPod({ valkey: { url: `valkey://127.0.0.1:${proxy.port}`, deadlineMs: patientMs } })
    await getStored(pod)
    const unit = pod.begin()
    await proxy.refuse()
    await unit.fence()
    database.write(lotId)
    await proxy.accept()
    // The store answers again, and has the old row until it has accepted the invalidation.
    await eventually(async () => {
      expect(await pod.get()).toStrictEqual(database.row(lotId))
      return pod.store.ping().then(
        () => true,
        () => false,
      )
    })
    expect(await getStored(pod)).toStrictEqual(database.row(lotId))
    await unit.end()
    await proxy.stop()
  })

  it('a row that is written again after the fence stays fenced', async () => {
    const { openPod } = newWorld()
    const pod = await openPod()
    const unit = pod.begin()
    await unit.fence()
    unit.markWritten('Lot', [{ id: lotId }])
    expect(unit.isFenced).toBe(true)
    unit.markWritten('Lot', [{ id: 'lot-2' }])
    expect(unit.isFenced).toBe(false)
    await unit.fence()
    expect((await pod.cache.explain('lot-2')).guard).toBe('fences')
    await unit.end()
    for (const id of [lotId, 'lot-2']) expect((await pod.cache.explain(id)).guard).toBe('released')
  })
})

describe('if the end of a write is unknown', () => {
  const writes = {
    'of rows': (pod: Pod) => pod.begin(),
    'of the whole model': (pod: Pod) => {
      const unit = pod.writes.begin()
      unit.markAllWritten('Lot', 'test')
      return unit
    },
  }
  it.each(Object.keys(writes) as (keyof typeof writes)[])(
    'one %s keeps its fence for as long as another one',
    async (kind) => {
      const { database, openPod } = newWorld()
      const [pod, other] = [await openPod(), await openPod()]
      await getStored(other)
      const unit = writes[kind](pod)
      await unit.fence()
      await unit.end('unknown')
      expect(await isStored(other)).toBe(false)
      expect(await isStored(pod)).toBe(false)
      // It commits after all.
      database.write(lotId)
      expect(await other.get()).toStrictEqual(database.row(lotId))
      expect(await pod.get()).toStrictEqual(database.row(lotId))
    },
  )

  it.each(Object.keys(writes) as (keyof typeof writes)[])(
    'one %s keeps its fence also where the store takes it later',
    async (kind) => {
      const { database, openPod, valkey } = newWorld()
      const proxy = await startServerProxy(valkey.port)
      const consistency = { fenceMs: 60_000 }
      const valkeyByProxy = { url: `valkey://127.0.0.1:${proxy.port}`, deadlineMs: patientMs }
      const [pod, other] = [
        await openPod({ valkey: valkeyByProxy, consistency }),
        await openPod({ consistency }),
      ]
      await getStored(other)
      const unit = writes[kind](pod)
      await proxy.refuse()
      await unit.end('unknown')
      await proxy.accept()
      await eventuallyEqual(
        async () => (await pod.cache.explain(lotId).catch(() => undefined))?.isInvalidationPending,
        false,
      )
      expect(await isStored(other)).toBe(false)
      database.write(lotId)
      expect(await other.get()).toStrictEqual(database.row(lotId))
      await proxy.stop()
    },
  )
})

describe('a write of many rows', () => {
  const rowsOf = (count: number, from = 0): { id: string }[] =>
    Array.from({ length: count }, (_, i) => ({ id: `lot-${from + i}` }))

  it('is fenced and released in parts, one after another', async () => {
    const parts: number[] = []
    let under = 0
    const wrap = (store: Store): Store =>
      withMethods(store, {
        fenceMany: (...args) => counted(args[0], () => store.fenceMany(...args)),
        releaseFences: (...args) => counted(args[0], () => store.releaseFences(...args)),
      })
    const counted = async (keys: readonly unknown[], run: () => Promise<boolean>): Promise<boolean> => {
      parts.push(keys.length)
      expect(++under).toBe(1)
      const isPublished = await run()
      under--
      return isPublished
    }
    const { openPod } = newWorld()
    const pod = await openPod({ wrap, consistency: { mode: 'strict' } })
    const unit = pod.writes.begin()
    unit.markWritten('Lot', rowsOf(2_500))
    await unit.fence()
    expect((await pod.cache.explain('lot-2499')).guard).toBe('fences')
    await unit.end()
    expect(parts).toEqual([1_000, 1_000, 500, 1_000, 1_000, 500])
  })

  it('affects the whole model above 10,000 rows, and never fails because of its size', async () => {
    const { database, openPod } = newWorld()
    const [pod, other] = [await openPod({ consistency: { mode: 'strict' } }), await openPod()]
    await getStored(other)
    const unit = pod.writes.begin()
    for (let i = 0; i < 10; i++) unit.markWritten('Lot', rowsOf(1_000, i * 1_000))
    expect(pod.counts.get('unknownWrites unbounded')).toBeUndefined()
    for (let i = 10; i < 100; i++) unit.markWritten('Lot', rowsOf(1_000, i * 1_000))
    expect(unit.isFenced).toBe(false)
    await unit.fence()
    expect(unit.isFenced).toBe(true)
    expect(await isStored(other)).toBe(false)
    database.write(lotId)
    await unit.end()
    expect(await getStored(other)).toStrictEqual(database.row(lotId))
    expect((await other.cache.explain(lotId)).stored.isHit).toBe(true)
    expect(pod.counts.get('unknownWrites unbounded')).toBe(1)
  })
})

describe('a write after the caches have closed', () => {
  async function openClosed(mode: 'available' | 'strict') {
    const world = newWorld()
    const warnings: string[] = []
    const pod = await world.openPod({ consistency: { mode }, warn: (message) => warnings.push(message) })
    await pod.cache.close()
    return { ...world, pod, warnings }
  }

  it('reaches the store while the store is open', async () => {
    const { openPod, pod, warnings } = await openClosed('available')
    const other = await openPod()
    await getStored(other)
    await pod.write()
    expect((await other.cache.explain(lotId)).stored.isHit).toBe(false)
    expect(warnings).toEqual([])
  })

  it('is logged once if the store is closed', async () => {
    const { pod, warnings } = await openClosed('available')
    await pod.store.close()
    await pod.write()
    await pod.write()
    expect(warnings).toEqual([expect.stringContaining('the catalogue of namespace')])
  })

  it('is refused in strict mode if the store is closed', async () => {
    const { pod } = await openClosed('strict')
    await pod.store.close()
    await expect(pod.begin().fence()).rejects.toThrow(FenceError)
  })
})

describe('if the store is unavailable at the fence', () => {
  const proxies: { stop(): Promise<void> }[] = []
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.stop()
  })

  async function openPods(mode: 'strict' | 'available') {
    const world = newWorld()
    const proxy = await startServerProxy(world.valkey.port)
    proxies.push(proxy)
    const valkey = { url: `valkey://127.0.0.1:${proxy.port}`, deadlineMs: patientMs }
    const [writer, other] = [await world.openPod({ valkey, consistency: { mode } }), await world.openPod()]
    await getStored(other)
    await getStored(writer)
    await proxy.refuse()
    return { ...world, proxy, writer, other }
  }

  it('strict mode refuses the write, and the stored row stays correct', async () => {
    const { database, other, proxy, writer } = await openPods('strict')
    const unit = writer.begin()
    await expect(unit.fence()).rejects.toThrow(FenceError)
    // Rolled back.
    await unit.end()
    expect(await writer.get()).toStrictEqual(database.row(lotId))
    expect(await other.get()).toStrictEqual(database.row(lotId))
    expect(writer.counts.get('fences store_error')).toBeGreaterThan(0)
    await proxy.accept()
    await eventually(
      async () => !(await writer.cache.explain(lotId).catch(() => undefined))?.isInvalidationPending,
    )
  })

  it('available mode writes, reads its own write, and invalidates for others as soon as it can', async () => {
    const { database, other, proxy, writer } = await openPods('available')
    await writer.write()
    expect(await writer.get()).toStrictEqual(database.row(lotId))
    expect((await other.get())!.version).toBe(1)
    await proxy.accept()
    await eventuallyEqual(async () => (await other.get())!.version, 2)
    await eventuallyEqual(async () => (await getStored(writer))!.version, 2)
    await eventuallyEqual(
      async () => (await writer.cache.explain(lotId).catch(() => undefined))?.isInvalidationPending,
      false,
    )
    expect(await other.get()).toStrictEqual(database.row(lotId))
  })

  it('the whole model is pending if the rows are unknown', async () => {
    const { database, other, proxy, writer } = await openPods('available')
    const unit = writer.writes.begin()
    unit.markAllWritten('Lot', 'test')
    await unit.fence()
    database.write(lotId)
    await unit.end()
    expect(await writer.get()).toStrictEqual(database.row(lotId))
    await proxy.accept()
    await eventuallyEqual(async () => (await other.get())!.version, 2)
    expect(writer.counts.get('unknownWrites test')).toBe(1)
  })
})
