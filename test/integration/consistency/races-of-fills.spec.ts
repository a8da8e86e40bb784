import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { newGate } from './gates.js'
import { itHolds, type Race } from './race.js'
import * as sabotage from './sabotage.js'
import { withMethods } from './sabotage.js'
import { defineLots, getStored, keepInMemory, lotId, type Pod, useWorlds, type World } from './world.js'

const newWorld = useWorlds()

/** What happens while a process loads a row, with a name of the race and its sabotaged guards. */
type DuringLoad = readonly [
  holds: string,
  happens: (at: World & { writer: Pod; evict(): Promise<void> }) => Promise<void>,
  without: Race['without'],
]

/** Has one process load the row while something happens, and another one read it. */
async function readAfterLoad(world: World, happens: DuringLoad[1]) {
  const { admin, database, namespace, openPod } = world
  const [reader, writer] = [await openPod(), await openPod()]
  const load = database.hold()
  const before = getStored(reader)
  await load.begun
  const evict = async () => expect(await admin.del(await admin.keys(`${namespace}:*:l`))).toBe(1)
  await happens({ ...world, writer, evict })
  load.release()
  await before
  return writer.get()
}

describe('R1, a load from before an invalidation that ends after it,', () => {
  for (const [holds, invalidate, without] of [
    [
      'is not stored',
      ({ writer }) => writer.write(),
      { 'fills that are not compared with their lease': sabotage.forcedFills },
    ],
    [
      'is not stored after a manual invalidation of the row',
      ({ database, writer }) => {
        database.write(lotId)
        return writer.cache.invalidate(lotId)
      },
      { 'fills that are not compared with their lease': sabotage.forcedFills },
    ],
    [
      'does not count after all rows are invalidated',
      ({ database, writer }) => {
        database.write(lotId)
        return writer.cache.invalidateAll()
      },
      { 'one epoch for all times': sabotage.oneEpoch },
    ],
  ] satisfies readonly DuringLoad[])
    itHolds(newWorld, { holds, play: (world) => readAfterLoad(world, invalidate), without })
})

describe('R4, a row that is leased twice,', () => {
  itHolds(newWorld, {
    holds: 'is not stored by the fill of the first lease during the second one',
    async play({ database, openPod }) {
      const late = newGate()
      let fills = 0
      const pod = await openPod({
        wrap: (store) =>
          withMethods(store, {
            async fillMany(rows) {
              if (fills++ === 0) await late.pass()
              return store.fillMany(rows)
            },
          }),
      })
      const other = await openPod()
      await pod.get()
      await late.reached
      await pod.write()
      const second = database.hold()
      const again = pod.get()
      await second.begun
      late.open()
      await eventually(() => [...pod.counts.keys()].some((counted) => counted.startsWith('fills')))
      const row = await other.get()
      second.release()
      await again
      return row
    },
    without: { 'one token for all leases of a process': sabotage.oneTokenForAll },
  })
})

describe('R5, a guard that is lost during a load,', () => {
  for (const [holds, lose, without] of [
    [
      'lets no process store the row: evicted',
      async ({ evict, writer }) => {
        await writer.write()
        await evict()
      },
      { 'missing guards taken for one’s own': sabotage.missingGuardsTakenForOwn },
    ],
    [
      'lets no process store the row: evicted before the write',
      async ({ evict, writer }) => {
        await evict()
        await writer.write()
      },
      { 'fills that are not compared with their lease': sabotage.forcedFills },
    ],
    [
      'invalidates a row that is stored nevertheless: flushed',
      async ({ admin, writer }) => {
        await writer.write()
        await admin.flushall()
      },
      {
        'missing guards taken for one’s own, and one epoch for all times': sabotage.all(
          sabotage.missingGuardsTakenForOwn,
          sabotage.oneEpoch,
        ),
      },
    ],
  ] satisfies readonly DuringLoad[])
    itHolds(newWorld, { holds, play: (world) => readAfterLoad(world, lose), without })
})

describe('R7, a row that is older than its lease,', () => {
  itHolds(newWorld, {
    holds: 'is not stored: loaded from a lagging replica',
    async play({ database, openPod }) {
      const options = { source: database.replicaSource, consistency: { replicaLagMs: 60_000 } }
      const [reader, writer] = [await openPod(options), await openPod(options)]
      await writer.write()
      await getStored(reader)
      database.catchUp()
      return reader.get()
    },
    without: { 'replicaLagMs of 0': { consistency: { replicaLagMs: 0 } } },
  })

  itHolds(newWorld, {
    holds: 'is not stored: loaded from a lagging replica, after all rows were invalidated',
    async play({ database, openPod }) {
      const options = { source: database.replicaSource, consistency: { replicaLagMs: 60_000 } }
      const [reader, writer] = [await openPod(options), await openPod(options)]
      database.write(lotId)
      await writer.cache.invalidateAll()
      await getStored(reader)
      database.catchUp()
      return reader.get()
    },
    without: { 'replicaLagMs of 0': { consistency: { replicaLagMs: 0 } } },
  })

  itHolds(newWorld, {
    holds: 'is not stored: primed, and read before a write',
    async play({ database, openPod }) {
      const [reader, writer] = [await openPod(), await openPod()]
      const before = database.row(lotId)
      await writer.write()
      await reader.cache.prime([before])
      return reader.get()
    },
    without: { 'leases for rows that were loaded before': sabotage.leasesForWhatWasLoadedBefore },
  })
})

describe('R10, a read after a write, while a load from before it is running,', () => {
  for (const [memory, model] of [
    ['without L1', defineLots()],
    ['with L1', defineLots({ l1: { ttl: '1h' } })],
  ] as const) {
    it(`does not get the result of that load: written by the same process, ${memory}`, async () => {
      const { database, openPod } = newWorld()
      const pod = await openPod({ model })
      const load = database.hold()
      const before = pod.get()
      await load.begun
      await pod.write()
      const after = pod.get()
      await eventuallyEqual(() => database.loads.length, 2)
      load.release()
      expect(await after).toStrictEqual(database.row(lotId))
      expect((await before)!.version).toBe(1)
      await pod.cache.drain()
      expect(await pod.get()).toStrictEqual(database.row(lotId))
    })

    itHolds(newWorld, {
      holds: `does not get the result of that load: written by another process, ${memory}`,
      async play({ database, openPod }) {
        const [pod, writer] = [await openPod({ model }), await openPod()]
        if (model.l1) await keepInMemory(pod, 'lot-2')
        const load = database.hold()
        const before = pod.get()
        await load.begun
        await writer.write()
        const misses = pod.counts.get('misses not_cached')
        const after = pod.get()
        // It waits for the load then, and reads the store again.
        await eventually(() => pod.counts.get('misses not_cached') !== misses)
        load.release()
        await before
        return after
      },
      without: {
        'fills that are not compared with their lease, and messages that are not heard': sabotage.all(
          sabotage.forcedFills,
          sabotage.deaf,
        ),
      },
    })
  }

  it('does not get the result of that load: all rows invalidated by the same process', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod()
    const load = database.hold()
    const before = pod.get()
    await load.begun
    database.write(lotId)
    await pod.cache.invalidateAll()
    const after = pod.get()
    await eventuallyEqual(() => database.loads.length, 2)
    load.release()
    expect(await after).toStrictEqual(database.row(lotId))
    await before
  })
})
