import { FenceError } from 'model-cache'
import { startServerProxy } from '../../support/server-proxy.js'
import { eventually, getStored, lotId, useWorlds } from './world.js'

const newWorld = useWorlds()

/** What a transaction sees: its own rows. */
const clientOf = (version: number) => ({ row: (id: string) => ({ id, version }) })

describe('in a transaction', () => {
  it('reads see what its client sees, and nothing of it is kept', async () => {
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
    await unit.settle()
    await pod.cache.drain()
    expect(pod.counts.get('misses transaction')).toBe(4)
    expect(await pod.cache.getMany([lotId, 'lot-2'])).toStrictEqual([
      database.row(lotId),
      database.row('lot-2'),
    ])
  })

  it('reads of one moment are one query', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod()
    const unit = pod.writes.begin()
    await pod.writes.within(unit, clientOf(7), async () => {
      await Promise.all([pod.get('a'), pod.get('b'), pod.cache.getMany(['c', 'd'])])
    })
    await unit.settle()
    expect(database.loads).toEqual([['a', 'b', 'c', 'd']])
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
    await unit.settle()
    expect(await getStored(other)).toStrictEqual(database.row(lotId))
    expect((await other.cache.explain(lotId)).stored.isHit).toBe(true)
  })

  it('what goes on after its end is no part of it', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod()
    const over = Promise.withResolvers<void>()
    const unit = pod.writes.begin()
    let late!: Promise<void>
    await pod.writes.within(unit, clientOf(7), async () => {
      late = over.promise.then(async () => {
        expect(pod.writes.current()).toBeUndefined()
        expect(await getStored(pod)).toStrictEqual(database.row(lotId))
        expect((await pod.cache.explain(lotId)).stored.isHit).toBe(true)
        await pod.cache.invalidate(lotId)
        expect((await pod.cache.explain(lotId)).stored.isHit).toBe(false)
      })
    })
    await unit.settle()
    over.resolve()
    await late
  })

  it('one that is rolled back leaves the row as it was, to be stored again', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod()
    await getStored(pod)
    const unit = pod.begin()
    await unit.fence()
    await unit.settle()
    expect(await getStored(pod)).toStrictEqual(database.row(lotId))
    expect((await pod.cache.explain(lotId)).stored.isHit).toBe(true)
  })

  it('a row whose fence fails is read from the source from then on, in `available`', async () => {
    const { database, openPod, valkey } = newWorld()
    const proxy = await startServerProxy(valkey.port)
    const pod = await openPod({ valkey: { url: `valkey://127.0.0.1:${proxy.port}`, deadlineMs: 2_000 } })
    await getStored(pod)
    const unit = pod.begin()
    await proxy.refuse()
    await unit.fence()
    database.write(lotId)
    await proxy.accept()
    // As soon as the store answers again, which has the old row until it has taken the invalidation.
    await eventually(async () => {
      expect(await pod.get()).toStrictEqual(database.row(lotId))
      return pod.store.ping().then(
        () => true,
        () => false,
      )
    })
    expect(await getStored(pod)).toStrictEqual(database.row(lotId))
    await unit.settle()
    await proxy.stop()
  })

  it('a row that is touched again after the fence is fenced with it', async () => {
    const { openPod } = newWorld()
    const pod = await openPod()
    const unit = pod.begin()
    await unit.fence()
    unit.touch('Lot', [{ id: lotId }])
    expect(unit.isFenced).toBe(true)
    unit.touch('Lot', [{ id: 'lot-2' }])
    expect(unit.isFenced).toBe(false)
    await unit.fence()
    expect((await pod.cache.explain('lot-2')).guard).toBe('fences')
    await unit.settle()
    for (const id of [lotId, 'lot-2']) expect((await pod.cache.explain(id)).guard).toBe('settled')
  })
})

describe('when the store is gone at FENCE', () => {
  const proxies: { stop(): Promise<void> }[] = []
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.stop()
  })

  async function openPods(mode: 'strict' | 'available') {
    const world = newWorld()
    const proxy = await startServerProxy(world.valkey.port)
    proxies.push(proxy)
    const valkey = { url: `valkey://127.0.0.1:${proxy.port}` }
    const [writer, other] = [await world.openPod({ valkey, consistency: { mode } }), await world.openPod()]
    await getStored(other)
    await getStored(writer)
    await proxy.refuse()
    return { ...world, proxy, writer, other }
  }

  it('strict refuses the write, and the row that is stored stays right', async () => {
    const { database, other, proxy, writer } = await openPods('strict')
    const unit = writer.begin()
    await expect(unit.fence()).rejects.toThrow(FenceError)
    // Rolled back.
    await unit.settle()
    expect(await writer.get()).toStrictEqual(database.row(lotId))
    expect(await other.get()).toStrictEqual(database.row(lotId))
    expect(writer.counts.get('fences store_error')).toBeGreaterThan(0)
    await proxy.accept()
    await eventually(async () => !(await writer.cache.explain(lotId).catch(() => undefined))?.isUnsettled)
  })

  it('available writes, reads its own write, and tells the others as soon as it can', async () => {
    const { database, other, proxy, writer } = await openPods('available')
    await writer.write()
    expect(await writer.get()).toStrictEqual(database.row(lotId))
    expect((await other.get())!.version).toBe(1)
    await proxy.accept()
    await eventually(async () => (await other.get())!.version === 2)
    await eventually(async () => (await getStored(writer))!.version === 2)
    await eventually(
      async () => (await writer.cache.explain(lotId).catch(() => undefined))?.isUnsettled === false,
    )
    expect(await other.get()).toStrictEqual(database.row(lotId))
  })

  it('the whole model waits, where the rows are not known', async () => {
    const { database, other, proxy, writer } = await openPods('available')
    const unit = writer.writes.begin()
    unit.touchAll('Lot', 'test')
    await unit.fence()
    database.write(lotId)
    await unit.settle()
    expect(await writer.get()).toStrictEqual(database.row(lotId))
    await proxy.accept()
    await eventually(async () => (await other.get())!.version === 2)
    expect(writer.counts.get('unknownWrites test')).toBe(1)
  })
})
