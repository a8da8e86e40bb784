import { createCacheMetrics } from 'model-cache/advanced'
import { Registry } from 'prom-client'
import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { defineLots, getStored, keepInMemory, lotId, useWorlds, type Pod } from './world.js'

const newWorld = useWorlds()

describe('explain', () => {
  const stateOf = async (pod: Pod) => {
    const { stored, guard } = await pod.cache.explain(lotId)
    return [stored.isHit ? 'hit' : stored.reason, guard]
  }

  it('shows the state of a row in each step of its life', async () => {
    const { database, openPod } = newWorld()
    const [reader, writer] = [await openPod(), await openPod()]
    expect(await stateOf(reader)).toEqual(['not_cached', 'none'])
    const load = database.hold()
    const row = getStored(reader)
    await load.begun
    expect(await stateOf(reader)).toEqual(['not_cached', 'lease'])
    load.release()
    await row
    expect(await stateOf(reader)).toEqual(['hit', 'none'])
    const unit = writer.begin()
    await unit.fence()
    expect(await stateOf(reader)).toEqual(['not_cached', 'fences'])
    await unit.end()
    expect(await stateOf(reader)).toEqual(['not_cached', 'released'])
  })

  it('names the holder of the lease, and each fence', async () => {
    const { database, openPod } = newWorld()
    const [reader, writer] = [await openPod(), await openPod()]
    const load = database.hold()
    const row = getStored(reader)
    await load.begun
    expect((await reader.cache.explain(lotId)).holders).toHaveLength(1)
    const units = [writer.begin(), writer.begin()]
    for (const unit of units) await unit.fence()
    const { holders } = await reader.cache.explain(lotId)
    expect(holders).toEqual([expect.stringMatching(/@\d+$/), expect.stringMatching(/@\d+$/)])
    for (const unit of units) await unit.end()
    expect((await reader.cache.explain(lotId)).holders).toEqual([])
    load.release()
    await row
  })

  it('shows that all rows were invalidated, and that writes of unknown rows are running', async () => {
    const { openPod } = newWorld()
    const pod = await openPod()
    await getStored(pod)
    await pod.cache.invalidateAll()
    expect(await stateOf(pod)).toEqual(['invalidated', 'none'])
    const unit = pod.writes.begin()
    unit.markAllWritten('Lot', 'test')
    await unit.fence()
    expect(await pod.cache.explain(lotId)).toMatchObject({ epoch: null, mayFill: false })
    await unit.end()
    expect(await pod.cache.explain(lotId)).toMatchObject({ epoch: expect.any(String), mayFill: true })
  })

  it('shows a value that cannot be read, and one whose ttl has ended', async () => {
    const { admin, openPod } = newWorld()
    const pod = await openPod({ model: defineLots({ ttl: '20ms', staleFor: '1h' }) })
    await getStored(pod)
    await eventuallyEqual(async () => (await stateOf(pod))[0], 'expired')
    const { key } = await pod.cache.explain(lotId)
    await admin.set(key, 'damaged')
    expect(await stateOf(pod)).toEqual(['undecodable', 'none'])
  })

  it('shows what is in memory, and when the row was last missed and written', async () => {
    const { openPod } = newWorld()
    const pod = await openPod({ model: defineLots({ l1: { ttl: '1h' } }) })
    expect(await pod.cache.explain(lotId)).toMatchObject({
      l1: { isHeld: false },
      lastMiss: undefined,
      lastWrite: undefined,
    })
    await keepInMemory(pod)
    const { l1, lastMiss } = await pod.cache.explain(lotId)
    expect([l1, lastMiss?.reason]).toEqual([{ isHeld: true, isTrusted: true }, 'not_cached'])
    await pod.write()
    const written = await pod.cache.explain(lotId)
    expect([written.l1!.isHeld, written.lastWrite !== undefined]).toEqual([false, true])
  })
})

describe('the auditor', () => {
  const consistency = { fenceMs: 60 }
  const audited = (pod: Pod): string[] =>
    [...pod.counts.keys()].filter((counted) => counted.startsWith('audits'))

  it('finds a row that was changed without an invalidation', async () => {
    const { database, openPod } = newWorld()
    const logged: string[] = []
    const warn = (message: string): void => void logged.push(message)
    const pod = await openPod({ consistency, audit: { rate: 1 }, warn })
    await getStored(pod)
    database.write(lotId)
    expect((await pod.get())!.version).toBe(1)
    await eventually(() => audited(pod).length > 0)
    expect(audited(pod)).toEqual(['audits stale'])
    expect(logged).toEqual([
      expect.stringMatching(/^ModelCache "Lot": an audit found the stored row of id lot-1/),
    ])
  })
})

describe('metrics of writes', () => {
  it('count fences, how long they stood, and commits that took too long', async () => {
    const { openPod } = newWorld()
    const registry = new Registry()
    const pod = await openPod({ observer: createCacheMetrics(registry), consistency: { fenceMs: 1 } })
    const unit = pod.begin()
    unit.markWritten('Lot', [{ id: 'lot-2' }])
    await unit.fence()
    await unit.end()
    await pod.cache.invalidate(lotId)
    const text = await registry.metrics()
    expect(text).toContain('model_cache_fences_total{model="Lot",outcome="fenced"} 2')
    expect(text).toContain('model_cache_fences_total{model="Lot",outcome="released"} 3')
    expect(text).toContain('model_cache_fence_seconds_count{model="Lot"} 1')
    expect(text).toContain('model_cache_slow_commits_total{model="Lot"} 1')
  })

  it('count no slow commit if there was none', async () => {
    const { openPod } = newWorld()
    const pod = await openPod()
    await pod.write()
    expect([pod.counts.get('fences fenced'), pod.counts.has('slowCommits')]).toEqual([1, false])
  })
})

describe('the register of a model', () => {
  it('is created again after FLUSHALL, and no value from before counts', async () => {
    const { admin, namespace, openPod } = newWorld()
    const [pod, other] = [await openPod(), await openPod()]
    await getStored(pod)
    const { epoch, key } = await pod.cache.explain(lotId)
    const value = (await admin.get(key))!
    await admin.flushall()
    // As if a fill from before arrived late.
    await admin.set(key, value)
    await getStored(other)
    expect(other.counts.get('misses invalidated')).toBe(1)
    expect(await admin.get(`${namespace}:{Lot}:register`)).toContain(';;')
    const after = await pod.cache.explain(lotId)
    expect([after.stored.isHit, after.epoch === epoch]).toEqual([true, false])
  })

  it('keeps all rows out until a write of unknown rows has ended', async () => {
    const { database, openPod } = newWorld()
    const [pod, writer] = [await openPod(), await openPod()]
    await getStored(pod)
    const units = [writer.writes.begin(), writer.writes.begin()]
    for (const unit of units) {
      unit.markAllWritten('Lot', 'test')
      await unit.fence()
    }
    await units[0]!.end()
    const loads = database.loads.length
    for (let i = 0; i < 2; i++) await getStored(pod)
    expect(database.loads.length).toBe(loads + 2)
    await units[1]!.end()
    for (let i = 0; i < 2; i++) await getStored(pod)
    expect(database.loads.length).toBe(loads + 3)
  })

  it('keeps them out only until the fence expires if the writer is gone', async () => {
    const { database, openPod } = newWorld()
    const [pod, writer] = [await openPod(), await openPod({ consistency: { fenceMs: 200 } })]
    const unit = writer.writes.begin()
    unit.markAllWritten('Lot', 'test')
    await unit.fence()
    database.write(lotId)
    await eventually(async () => {
      expect(await getStored(pod)).toStrictEqual(database.row(lotId))
      return (await pod.cache.explain(lotId)).stored.isHit
    })
  })
})

it('two caches of one model are invalidated by the same writes', async () => {
  const { database, openPod } = newWorld()
  const card = await openPod({ model: defineLots({ name: 'LotCard' }) })
  const { store, writes } = card
  const page = await openPod({ writes, wrap: () => store, model: defineLots({ name: 'LotPage' }) })
  const caches = [card, page]
  for (const cache of caches) await getStored(cache)
  await caches[0]!.write()
  for (const cache of caches) expect(await cache.get()).toStrictEqual(database.row(lotId))
})
