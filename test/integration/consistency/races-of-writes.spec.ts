import type { Store } from 'model-cache'
import { eventually } from '../../support/eventually.js'
import { itHolds } from './race.js'
import * as sabotage from './sabotage.js'
import { withMethods } from './sabotage.js'
import { defineLots, getStored, isStored, lotId, useWorlds, type Wrap } from './world.js'

const newWorld = useWorlds()

describe('R2, a row that is read between its invalidation and COMMIT,', () => {
  itHolds(newWorld, {
    holds: 'is not stored',
    async play({ database, openPod }) {
      const [reader, writer] = [await openPod(), await openPod()]
      await getStored(reader)
      const unit = writer.begin()
      await unit.fence()
      expect((await getStored(reader))!.version).toBe(1)
      database.write(lotId)
      const row = await reader.get()
      await unit.end()
      return row
    },
    without: { 'fences that only remove what is stored': sabotage.fencesThatOnlyRemove },
  })

  itHolds(newWorld, {
    holds: 'is not stored if another write to it ends in between',
    async play({ database, openPod }) {
      const [reader, one, other] = [await openPod(), await openPod(), await openPod()]
      const unit = one.begin()
      await unit.fence()
      await other.write()
      await getStored(reader)
      database.write(lotId)
      const row = await reader.get()
      await unit.end()
      return row
    },
    without: { 'fences that the end of any write ends': sabotage.settlingThatEndsAllFences },
  })

  itHolds(newWorld, {
    holds: 'is not stored if the written rows are unknown',
    async play({ database, openPod }) {
      const [reader, writer] = [await openPod(), await openPod()]
      await getStored(reader)
      const unit = writer.writes.begin()
      unit.markAllWritten('Lot', 'test')
      await unit.fence()
      expect((await getStored(reader))!.version).toBe(1)
      database.write(lotId)
      const row = await reader.get()
      await unit.end()
      return row
    },
    without: { 'a register that knows of no fence': sabotage.noModelFences },
  })
})

describe('R3, a row whose writer dies between COMMIT and the release of its fence,', () => {
  itHolds(newWorld, {
    holds: 'is read in its new state by everybody',
    async play({ database, openPod }) {
      const [reader, writer] = [await openPod(), await openPod()]
      await getStored(reader)
      await writer.begin().fence()
      database.write(lotId)
      return reader.get()
    },
    without: { 'no fences': sabotage.noFences },
  })

  it('is stored again, in its new state, once the fence has expired', async () => {
    const { database, openPod } = newWorld()
    const consistency = { fenceMs: 800 }
    const [reader, writer] = [await openPod({ consistency }), await openPod({ consistency })]
    await getStored(reader)
    await writer.begin().fence()
    database.write(lotId)
    const loads = database.loads.length
    await getStored(reader)
    await getStored(reader)
    expect(database.loads.length).toBe(loads + 2)
    await eventually(() => isStored(reader))
    expect(await reader.get()).toStrictEqual(database.row(lotId))
  })
})

describe('R8, a command that is repeated late:', () => {
  itHolds(newWorld, {
    holds: 'FILL does not bring back the old row',
    async play({ openPod }) {
      const late = keepCalls('fillMany')
      const [reader, writer] = [await openPod({ wrap: late.wrap }), await openPod()]
      await getStored(reader)
      await writer.write()
      await late.repeat(reader.store)
      return reader.get()
    },
    without: { 'fills that are not compared with their lease': sabotage.forcedFills },
  })

  it('FENCE keeps the row out until it expires, and every read succeeds', async () => {
    const { database, openPod } = newWorld()
    const late = keepCalls('fenceMany')
    const reader = await openPod()
    const writer = await openPod({ wrap: late.wrap, consistency: { fenceMs: 800 } })
    await writer.write()
    await getStored(reader)
    await late.repeat(writer.store)
    const { guard, stored } = await reader.cache.explain(lotId)
    expect([guard, stored]).toEqual(['fences', { isHit: false, reason: 'not_cached' }])
    expect(await getStored(reader)).toStrictEqual(database.row(lotId))
    await eventually(() => isStored(reader))
    expect(await reader.get()).toStrictEqual(database.row(lotId))
  })

  itHolds(newWorld, {
    holds: 'RELEASE does not end the fence of another write',
    async play({ database, openPod }) {
      const late = keepCalls('releaseFences')
      const [reader, writer] = [await openPod(), await openPod({ wrap: late.wrap })]
      await writer.write()
      const unit = writer.begin()
      await unit.fence()
      await late.repeat(writer.store)
      await getStored(reader)
      database.write(lotId)
      const row = await reader.get()
      await unit.end()
      return row
    },
    without: { 'fences that the end of any write ends': sabotage.settlingThatEndsAllFences },
  })
})

describe('R9, while two versions of a schema run,', () => {
  const [older, newer] = [defineLots({ version: 1 }), defineLots({ version: 2 })]
  const consistency = { fenceMs: 100 }

  for (const [who, models] of [
    ['older', [older, newer]],
    ['newer', [newer, older]],
  ] as const) {
    itHolds(newWorld, {
      holds: `a write by the ${who} one reaches the rows of both`,
      async play({ openPod }) {
        const [model, other] = models
        const writer = await openPod({ model, consistency })
        await eventually(() => isStored(writer))
        const reader = await openPod({ model: other, consistency })
        await eventually(() => isStored(reader))
        await writer.write()
        return reader.get()
      },
      without: { 'no sight of other entries of the catalogue': sabotage.blindToOtherEntries },
    })
  }

  itHolds(newWorld, {
    holds:
      'a row of a version that is new is not stored while a write may be under way that does not know of it',
    async play({ database, openPod }) {
      const writer = await openPod({ model: older })
      await getStored(writer)
      await writer.begin().fence()
      const reader = await openPod({ model: newer })
      await getStored(reader)
      database.write(lotId)
      // The writer dies here.
      return reader.get()
    },
    without: { 'no wait for writers that asked before': sabotage.noWaitForOtherWriters },
  })

  it('a fence reaches the rows of a version that its process does not know', async () => {
    const { openPod } = newWorld()
    const writer = await openPod({ model: older })
    await getStored(writer)
    const reader = await openPod({ model: newer, consistency })
    await eventually(() => isStored(reader))
    // The process has not read the register since.
    await writer.begin().fence()
    expect((await reader.cache.explain(lotId)).stored).toEqual({ isHit: false, reason: 'not_cached' })
    expect((await reader.cache.explain(lotId)).guard).toBe('fences')
  })

  it('a new version stores rows as soon as no such write can be running', async () => {
    const { database, openPod } = newWorld()
    const longer = { fenceMs: 500 }
    await (await openPod({ model: older, consistency: longer })).write()
    const reader = await openPod({ model: newer, consistency: longer })
    await getStored(reader)
    expect((await reader.cache.explain(lotId)).mayFill).toBe(false)
    await eventually(() => isStored(reader))
    const loads = database.loads.length
    await reader.get()
    expect(database.loads.length).toBe(loads)
  })

  it('a version is dropped once none of its rows can exist', async () => {
    const { openPod, namespace } = newWorld()
    const pod = await openPod()
    const gone = { kind: 'join', listing: 'gone:d', lifeMs: 500, markMs: 1 } as const
    await pod.store.change(`${namespace}:{Lot}:register`, gone)
    await getStored(pod)
    const { fingerprint, fingerprints } = await pod.cache.explain(lotId)
    expect(fingerprints.toSorted()).toEqual([fingerprint, 'gone'].toSorted())
    await eventually(async () => {
      await pod.cache.invalidateAll()
      return (await pod.cache.explain(lotId)).fingerprints.length === 1
    })
  })
})

/** Records the calls of a method, to repeat them. */
function keepCalls(method: 'fillMany' | 'fenceMany' | 'releaseFences'): {
  wrap: Wrap
  repeat: (store: Store) => Promise<void>
} {
  const calls: unknown[][] = []
  const wrap: Wrap = (store) => {
    const run = (...args: unknown[]): unknown => {
      calls.push(args)
      return (store[method] as (...args: unknown[]) => unknown)(...args)
    }
    return withMethods(store, { [method]: run })
  }
  const repeat = async (store: Store): Promise<void> => {
    for (const args of calls.splice(0))
      await (store[method] as (...args: unknown[]) => Promise<unknown>)(...args)
  }
  return { wrap, repeat }
}
