import { eventually } from '../../support/eventually.js'
import { defineLots, getStored, lotId, useWorlds, type Pod } from './world.js'

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

  it('wait no longer than leaseWaitMs for a process that never stores the row', async () => {
    const { database, openPod } = newWorld()
    const [holder, other] = [await openPod(), await openPod({ consistency: { leaseWaitMs: 50 } })]
    const load = database.hold()
    const held = holder.get()
    await load.begun
    expect(await getStored(other)).toStrictEqual(database.row(lotId))
    expect(database.loadsOf(lotId)).toBe(2)
    // Without a lease it has not stored the row.
    expect(other.counts.get('fills stored')).toBeUndefined()
    expect(other.counts.get('fills not_leased')).toBe(1)
    load.release()
    await held
  })

  it('do not wait at all if leaseWaitMs is 0', async () => {
    const { database, openPod } = newWorld()
    const [holder, other] = [await openPod(), await openPod({ consistency: { leaseWaitMs: 0 } })]
    const load = database.hold()
    const held = holder.get()
    await load.begun
    expect(await other.get()).toStrictEqual(database.row(lotId))
    expect(other.counts.get('reads store miss')).toBe(1)
    load.release()
    await held
  })

  it('do not wait for a load of their own process either if leaseWaitMs is 0', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod({ consistency: { leaseWaitMs: 0 } })
    const load = database.hold()
    const held = pod.get()
    await load.begun
    expect(await pod.get()).toStrictEqual(database.row(lotId))
    expect(database.loadsOf(lotId)).toBe(2)
    load.release()
    await held
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

describe('a row that is due for refresh-ahead', () => {
  const model = defineLots({ ttl: '1h', refreshAhead: '3599999ms' })

  it('is loaded once, and the store answers all reads meanwhile', async () => {
    const { database, openPod } = newWorld()
    const pods = [await openPod({ model }), await openPod({ model })]
    await getStored(pods[0]!)
    const load = database.hold()
    for (let i = 0; i < 10; i++) for (const pod of pods) expect((await pod.get())!.version).toBe(1)
    await load.begun
    expect(database.loadsOf(lotId)).toBe(2)
    expect(pods.map((pod) => pod.counts.get('reads store hit'))).toEqual([10, 10])
    load.release()
    for (const pod of pods) await pod.cache.drain()
  })

  it('has a new ttl afterwards', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod({ model })
    await getStored(pod)
    const { stored: before } = await pod.cache.explain(lotId)
    // No write announces the change, so only the refresh finds it.
    database.write(lotId)
    await getStored(pod)
    expect(await pod.get()).toStrictEqual(database.row(lotId))
    const { stored: after } = await pod.cache.explain(lotId)
    expect(before.isHit && after.isHit && after.ageMs <= before.ageMs + 1_000).toBe(true)
  })

  it('stays if the source fails', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod({ model })
    await getStored(pod)
    database.hold().fail()
    expect(await getStored(pod)).toStrictEqual(database.row(lotId))
    expect(await getStored(pod)).toStrictEqual(database.row(lotId))
  })
})

/** Whether the store has dropped the row, which happens a moment after its life ends. */
async function isGone(pod: Pod): Promise<boolean> {
  const { stored } = await pod.cache.explain(lotId)
  return !stored.isHit && stored.reason === 'not_cached'
}

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

  it('is not served stale without staleFor', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod({ model: defineLots({ ttl: '20ms' }) })
    await getStored(pod)
    await eventually(() => isGone(pod))
    database.hold().fail()
    await expect(pod.get()).rejects.toThrow('the database has failed')
  })

  it('is not served stale once staleFor has ended, too', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod({ model: defineLots({ ttl: '20ms', staleFor: '20ms' }) })
    await getStored(pod)
    await eventually(() => isGone(pod))
    database.hold().fail()
    await expect(pod.get()).rejects.toThrow('the database has failed')
  })
})
