import { eventually } from '../../support/eventually.js'
import { itHolds } from './race.js'
import * as sabotage from './sabotage.js'
import { defineLots, getStored, isStored, lotId, type Pod, useWorlds } from './world.js'

const newWorld = useWorlds()
const consistency = { fenceMs: 100 }

const epochOf = async ({ cache }: Pod): Promise<string | null> => (await cache.explain(lotId)).epoch

describe('a process that writes to a model without having its cache', () => {
  itHolds(newWorld, {
    holds: 'invalidates rows in the caches of other processes',
    async play({ database, openPod, openWorker }) {
      const reader = await openPod()
      await getStored(reader)
      const unit = await (await openWorker()).begin()
      await unit.fence()
      database.write(lotId)
      // The writer dies here.
      return reader.get()
    },
    without: { 'no sight of other entries of the catalogue': sabotage.blindToOtherEntries },
  })

  itHolds(newWorld, {
    holds: 'invalidates rows of a cache that was described after it read the catalogue',
    async play({ database, openPod, openWorker }) {
      const unit = await (await openWorker({ consistency })).begin()
      const reader = await openPod({ consistency })
      await eventually(() => isStored(reader))
      await unit.fence()
      database.write(lotId)
      return reader.get()
    },
    without: { 'asking once only': sabotage.askedOnce },
  })

  itHolds(newWorld, {
    holds: 'leaves no row in a cache that was described during its write',
    async play({ database, openPod, openWorker }) {
      const unit = await (await openWorker()).begin()
      await unit.fence()
      const reader = await openPod()
      await getStored(reader)
      database.write(lotId)
      return reader.get()
    },
    without: { 'no wait for writers that asked before': sabotage.noWaitForOtherWriters },
  })
})

describe('a deploy that keeps rows of a cache under other keys', () => {
  for (const [who, buckets] of [
    ['older', [64, 16]],
    ['newer', [16, 64]],
  ] as const) {
    itHolds(newWorld, {
      holds: `has its rows invalidated by writes of the ${who} processes`,
      async play({ database, openPod }) {
        const writer = await openPod({ buckets: buckets[0], consistency })
        await eventually(() => isStored(writer))
        const reader = await openPod({ buckets: buckets[1], consistency })
        await eventually(() => isStored(reader))
        await writer.begin().fence()
        // The first write began before the reader existed, so a second one checks that rows are invalidated one by one.
        const unit = writer.begin()
        await unit.fence()
        database.write(lotId)
        return reader.get()
      },
      without: { 'no sight of other entries of the catalogue': sabotage.blindToOtherEntries },
    })
  }
})

describe('a catalogue that is lost', () => {
  for (const [what, suffix] of [
    ['its entries', ''],
    ['its epoch', ':epoch'],
  ] as const) {
    itHolds(newWorld, {
      holds: `invalidates every row that was stored before: ${what}`,
      async play({ admin, database, namespace, openPod, openWorker }) {
        const reader = await openPod()
        await getStored(reader)
        expect(await admin.del(`${namespace}:{catalogue}${suffix}`)).toBe(1)
        const unit = await (await openWorker()).begin()
        await unit.fence()
        database.write(lotId)
        return reader.get()
      },
      without: suffix
        ? {
            'an epoch that never changes': sabotage.all(
              sabotage.oneCatalogueEpoch,
              sabotage.blindToOtherEntries,
            ),
          }
        : { 'an epoch that never changes': sabotage.oneCatalogueEpoch },
    })
  }

  itHolds(newWorld, {
    holds: 'is lost together with a fence: no row is stored that was read before the write ends',
    async play({ admin, database, namespace, openPod, openWorker }) {
      const reader = await openPod()
      await getStored(reader)
      const unit = await (await openWorker()).begin()
      await unit.fence()
      await admin.del(await admin.keys(`${namespace}:*`))
      await reader.get()
      await reader.get()
      database.write(lotId)
      return reader.get()
    },
    without: { 'no wait for writers that asked before': sabotage.noWaitForOtherWriters },
  })

  it('exists again after a read, and rows are stored under its new epoch', async () => {
    const { admin, namespace, openPod } = newWorld()
    const reader = await openPod({ consistency })
    expect(await isStored(reader)).toBe(true)
    const epoch = await epochOf(reader)
    await admin.del(`${namespace}:{catalogue}`, `${namespace}:{catalogue}:epoch`)
    await eventually(() => isStored(reader))
    expect(await epochOf(reader)).not.toBe(epoch)
  })
})

describe('entries of the catalogue', () => {
  const fieldsIn = async ({ admin, namespace }: ReturnType<typeof newWorld>): Promise<string[]> =>
    (await admin.hkeys(`${namespace}:{catalogue}`)).filter((field) => !field.startsWith('='))

  it('are removed by a process that joins the cache once no process uses them', async () => {
    const world = newWorld()
    const { admin, namespace, openPod } = world
    await getStored(await openPod({ model: defineLots({ version: 1 }) }))
    await getStored(await openPod({ model: defineLots({ version: 2 }) }))
    expect(await fieldsIn(world)).toHaveLength(2)
    // As if the ttl of the rows had ended.
    const key = `${namespace}:{Lot}:register`
    const [epoch, existence, since, ...others] = (await admin.get(key))!.split(';')
    const anHourAgo = String(Number(since) - 3_600_000)
    await admin.set(key, [epoch, existence, anHourAgo, ...others.slice(0, -1), ''].join(';'))
    await getStored(await openPod({ model: defineLots({ version: 3 }) }))
    await eventually(async () => (await fieldsIn(world)).length === 1)
  })

  it('stay when the register was lost, because processes that run are not in it yet', async () => {
    const world = newWorld()
    await getStored(await world.openPod({ model: defineLots({ version: 1 }) }))
    await world.admin.del(`${world.namespace}:{Lot}:register`)
    await getStored(await world.openPod({ model: defineLots({ version: 2 }) }))
    expect(await fieldsIn(world)).toHaveLength(2)
  })

  it('stay while their cache is in use', async () => {
    const world = newWorld()
    const first = await world.openPod({ model: defineLots({ version: 1 }) })
    await getStored(first)
    await getStored(await world.openPod({ model: defineLots({ version: 2 }) }))
    expect(await fieldsIn(world)).toHaveLength(2)
    await getStored(first)
    expect(await fieldsIn(world)).toHaveLength(2)
  })
})
