import { eventually, eventuallyEqual } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { startValkey } from '../../support/valkey-server.js'
import { lotId, useWorlds } from './world.js'

const newWorld = useWorlds()

describe('a primed row', () => {
  it('is stored if nobody has written it', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod()
    await pod.cache.prime([database.row(lotId)])
    expect((await pod.cache.explain(lotId)).stored.isHit).toBe(true)
  })

  it.each(['released', 'left to its fence'])(
    'is not stored when it was read before a write to the whole model that was %s',
    async (end) => {
      const { database, openPod } = newWorld()
      const [pod, writer] = [await openPod(), await openPod({ consistency: { fenceMs: 100 } })]
      await pod.get('another')
      const before = database.row(lotId)
      const unit = writer.writes.begin()
      unit.markAllWritten('Lot', 'unknown rows')
      await unit.fence()
      database.write(lotId)
      if (end === 'released') await unit.end()
      else await eventually(async () => (await pod.cache.explain(lotId)).epoch !== null)
      await pod.cache.prime([before])
      expect(await pod.get()).toStrictEqual(database.row(lotId))
      expect(pod.counts.get('fills not_leased')).toBe(1)
    },
  )

  it('is not stored if another read has taken and released its lease since the write', async () => {
    const { database, openPod } = newWorld()
    const [pod, writer] = [await openPod(), await openPod()]
    const before = database.row(lotId)
    await writer.write()
    const row = { key: '', guard: '' }
    Object.assign(row, { key: (await pod.cache.explain(lotId)).key })
    row.guard = `${row.key}:l`
    const request = { token: 'reader', leaseMs: 60_000, onlyAbsent: true, onlyUnmarked: false }
    const [answer] = await pod.store.leaseMany([row], request)
    await pod.store.releaseLeases([row], answer!.token!)
    await pod.cache.prime([before])
    expect(await pod.get()).toStrictEqual(database.row(lotId))
  })

  it('is not stored if the write was released while another writer has a fence', async () => {
    const { database, openPod } = newWorld()
    const [pod, writer] = [await openPod(), await openPod({ consistency: { fenceMs: 100 } })]
    const before = database.row(lotId)
    const other = writer.begin()
    await other.fence()
    await writer.write()
    await eventuallyEqual(async () => (await pod.cache.explain(lotId)).guard, 'released')
    await pod.cache.prime([before])
    expect(await pod.get()).toStrictEqual(database.row(lotId))
    await other.end()
  })

  it('is not stored if the fence of the write has expired', async () => {
    const { database, openPod } = newWorld()
    const [pod, writer] = [await openPod(), await openPod({ consistency: { fenceMs: 100 } })]
    const before = database.row(lotId)
    await writer.begin().fence()
    const unit = writer.begin()
    await unit.fence()
    database.write(lotId)
    await eventually(async () => {
      await pod.cache.prime([before])
      return (pod.counts.get('fills not_leased') ?? 0) > 3
    })
    await eventually(async () => (await pod.cache.explain(lotId)).epoch !== null)
    await pod.cache.prime([before])
    expect(await pod.get()).toStrictEqual(database.row(lotId))
  })

  it('is not stored within a transaction, because others must not see its rows', async () => {
    const { database, openPod } = newWorld()
    const pod = await openPod()
    const unit = pod.begin('another')
    await pod.writes.within(unit, {}, () => pod.cache.prime([{ id: lotId, version: 7 }]))
    await unit.end()
    expect(await pod.get()).toStrictEqual(database.row(lotId))
    expect(pod.counts.get('fills not_leased')).toBe(1)
  })

  it('is not stored if the server may have evicted the mark of a write', async () => {
    const { database, openPod } = newWorld()
    const server = await startValkey({
      args: ['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-lru'],
    })
    const pod = await openPod({ valkey: { url: server.url, deadlineMs: patientMs } })
    await pod.cache.prime([database.row(lotId)])
    expect((await pod.cache.explain(lotId)).stored.isHit).toBe(false)
    expect(pod.counts.get('fills evicting')).toBe(1)
    await server.stop()
  })
})
