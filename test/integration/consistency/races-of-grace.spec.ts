import { createLoadPermits } from 'model-cache/advanced'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { itHolds } from './race.js'
import * as sabotage from './sabotage.js'
import { defineLots, getStored, lotId, useWorlds, type Pod } from './world.js'

const newWorld = useWorlds()

describe('R11, a row whose ttl has ended,', () => {
  const model = defineLots({ ttl: '20ms', staleFor: '1h' })
  const expired = async (pod: Pod): Promise<void> => {
    await getStored(pod)
    await eventually(async () => {
      const { stored } = await pod.cache.explain(lotId)
      return !stored.isHit && stored.reason === 'expired'
    })
  }
  const orNothing = (pod: Pod) => pod.get().catch(() => undefined)

  itHolds(newWorld, {
    holds: 'is not served stale after it was invalidated',
    gives: 'no row',
    async play({ database, openPod }) {
      const [reader, writer] = [await openPod({ model }), await openPod({ model })]
      await expired(reader)
      await writer.write()
      database.hold().fail()
      return orNothing(reader)
    },
    without: { 'writes that leave what is stored': sabotage.writesThatLeaveValues },
  })

  itHolds(newWorld, {
    holds: 'is not served stale if it is invalidated during the load that fails',
    gives: 'no row',
    async play({ database, openPod }) {
      const [reader, writer] = [await openPod({ model }), await openPod({ model })]
      await expired(reader)
      const load = database.hold()
      const row = orNothing(reader)
      await load.begun
      await writer.write()
      load.fail()
      return row
    },
    without: { 'writes that leave what is stored': sabotage.writesThatLeaveValues },
  })

  itHolds(newWorld, {
    holds: 'is not served stale if all rows are invalidated during the load that fails',
    gives: 'no row',
    async play({ database, openPod }) {
      const [reader, writer] = [await openPod({ model }), await openPod({ model })]
      await expired(reader)
      const load = database.hold()
      const row = orNothing(reader)
      await load.begun
      database.write(lotId)
      await writer.cache.invalidateAll()
      load.fail()
      return row
    },
    without: { 'one epoch for all times': sabotage.oneEpoch },
  })

  itHolds(newWorld, {
    holds: 'is not served stale after it was invalidated, while another process loads it',
    async play({ database, openPod }) {
      const [reader, other] = [await openPod({ model }), await openPod({ model })]
      await expired(reader)
      await other.write()
      const load = database.hold()
      const loaded = other.get()
      await load.begun
      const row = await reader.get()
      load.release()
      await loaded
      return row
    },
    without: { 'writes that leave what is stored': sabotage.writesThatLeaveValues },
  })

  it('is not served stale to a read after the invalidation that waits together with one from before it', async () => {
    const { database, openPod } = newWorld()
    const reader = await openPod({ model, loads: createLoadPermits(1) })
    const other = await openPod({ model })
    await expired(reader)
    const [busy, loading] = [database.hold(), database.hold()]
    const neighbour = reader.get('lot-2')
    await busy.begun
    const before = reader.get()
    await eventuallyEqual(() => reader.counts.get('misses expired'), 1)
    await other.write()
    const loaded = other.get()
    await loading.begun
    const after = reader.get()
    await eventuallyEqual(() => reader.counts.get('misses not_cached'), 3)
    busy.release()
    await neighbour
    await before
    loading.release()
    expect(await after).toStrictEqual(database.row(lotId))
    await loaded
  })

  it('is served stale if nobody has written it', async () => {
    const { database, openPod } = newWorld()
    const reader = await openPod({ model })
    await expired(reader)
    database.hold().fail()
    expect(await reader.get()).toStrictEqual(database.row(lotId))
    expect(reader.counts.get('reads store stale')).toBe(1)
  })

  itHolds(newWorld, {
    holds: 'or is about to end, is not stored again by a load from before a write',
    async play({ database, openPod }) {
      const early = defineLots({ ttl: '1h', refreshAhead: '59m' })
      const [reader, writer] = [await openPod({ model: early }), await openPod({ model: early })]
      await dueSoon(reader)
      const load = database.hold()
      expect((await reader.get())!.version).toBe(1)
      await load.begun
      await writer.write()
      load.release()
      await reader.cache.drain()
      return writer.get()
    },
    without: { 'fills that are not compared with their lease': sabotage.forcedFills },
  })

  /** Repeats until the jitter of its ttl makes the row due at once. */
  async function dueSoon(pod: Pod): Promise<void> {
    await eventually(async () => {
      await pod.cache.invalidate(lotId)
      await getStored(pod)
      const { stored } = await pod.cache.explain(lotId)
      return stored.isHit && stored.expiresInMs < 59 * 60_000
    })
  }
})
