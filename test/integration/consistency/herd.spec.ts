import { eventually } from '../../support/eventually.js'
import { defineLots, getStored, lotId, useWorlds } from './world.js'

const newWorld = useWorlds()

describe('processes that miss the same rows at once', () => {
  it('load each row once, all processes together', async () => {
    const { database, openPod } = newWorld()
    const consistency = { leaseWaitMs: 5_000 }
    const pods = [await openPod({ consistency }), await openPod({ consistency })]
    const ids = Array.from({ length: 500 }, (_, i) => `lot-${i}`)
    const rows = await Promise.all(pods.map((pod) => pod.cache.getMany(ids)))
    for (const row of rows) expect(row).toStrictEqual(ids.map((id) => database.row(id)))
    expect(database.loads.flat().toSorted()).toEqual(ids.toSorted())
  })

  it('load the row if the load of the other process has failed', async () => {
    const { database, openPod } = newWorld()
    const consistency = { leaseWaitMs: 5_000 }
    const [holder, other] = [await openPod({ consistency }), await openPod({ consistency })]
    const load = database.hold()
    const held = holder.get()
    await load.begun
    const row = getStored(other)
    await eventually(() => other.counts.get('misses not_cached') !== undefined)
    load.fail()
    await expect(held).rejects.toThrow('the database has failed')
    expect(await row).toStrictEqual(database.row(lotId))
    expect(other.counts.get('fills stored')).toBe(1)
  })

  it('get an abandoned lease once it has expired', async () => {
    const { database, openPod } = newWorld()
    const consistency = { leaseMs: 100, leaseWaitMs: 5_000 }
    const [holder, other] = [await openPod({ consistency }), await openPod({ consistency })]
    const load = database.hold()
    const held = getStored(holder)
    await load.begun
    await getStored(other)
    expect(other.counts.get('fills stored')).toBe(1)
    load.release()
    await held
    expect(holder.counts.get('fills lease_lost')).toBe(1)
  })
})

describe('a row whose ttl has ended', () => {
  const model = defineLots({ ttl: '20ms', staleFor: '1h' })

  it('is served stale while another process loads it, and if the source fails', async () => {
    const { database, openPod } = newWorld()
    const [one, other] = [await openPod({ model }), await openPod({ model })]
    await getStored(one)
    await eventually(async () => !(await one.cache.explain(lotId)).stored.isHit)
    const load = database.hold()
    const loaded = one.get()
    await load.begun
    expect(await other.get()).toStrictEqual(database.row(lotId))
    expect(database.loadsOf(lotId)).toBe(2)
    load.fail()
    expect(await loaded).toStrictEqual(database.row(lotId))
    expect([one, other].map((pod) => pod.counts.get('reads store stale'))).toEqual([1, 1])
  })
})
