import { Redis } from 'ioredis'
import { ValkeyStore } from 'model-cache/advanced'
import { patientMs } from '../support/patience.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'
import { getStored, lotId, useWorlds } from './consistency/world.js'

const newWorld = useWorlds()

describe('a key of another type than string', () => {
  let server: ValkeyServer
  let admin: Redis
  beforeAll(async () => {
    server = await startValkey()
    admin = new Redis(server.port)
  })
  afterAll(async () => {
    admin.disconnect()
    await server.stop()
  })

  const open = async () => {
    const counted: number[] = []
    const store = new ValkeyStore({ url: server.url, deadlineMs: patientMs }, undefined, {
      onForeignKeys: (count) => void counted.push(count),
    })
    await store.connect()
    return { store, counted }
  }
  const row = { key: 'row', guard: 'row:l' }
  const request = { token: 'reader', leaseMs: 60_000, onlyAbsent: true, onlyUnmarked: false }
  const occupy = (key: string) => admin.multi().del(key).hset(key, 'field', 'value').exec()

  it.each(['a row', 'its guard', 'both'])('is replaced where %s belongs, and counted', async (place) => {
    const { store, counted } = await open()
    if (place !== 'its guard') await occupy(row.key)
    if (place !== 'a row') await occupy(row.guard)
    const [answer] = await store.leaseMany([row], request)
    expect(await store.fillMany([{ ...row, token: answer!.token!, value: 'A', ttlMs: 60_000 }])).toEqual([
      true,
    ])
    expect(await store.getMany([row.key])).toEqual(['A'])
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(place === 'both' ? 2 : 1)
    await store.close()
    await admin.del(row.key, row.guard)
  })

  it.each(['fenceMany', 'releaseFences'] as const)('is replaced by %s', async (method) => {
    const { store, counted } = await open()
    await occupy(row.key)
    await occupy(row.guard)
    await (method === 'fenceMany'
      ? store.fenceMany([row], { token: 'w', fenceMs: 60_000, markMs: 60_000 })
      : store.releaseFences([row], { token: '', holdMs: 0, markMs: 60_000 }))
    expect(await admin.type(row.guard)).toBe('string')
    expect(await admin.exists(row.key)).toBe(0)
    expect(counted).toEqual([1])
    await store.close()
    await admin.del(row.guard)
  })

  it('is replaced where the register belongs, and counted', async () => {
    const { store, counted } = await open()
    await occupy('register')
    const join = { kind: 'join', listing: 'p:d', lifeMs: 60_000, markMs: 1 } as const
    const { text } = await store.change('register', join)
    expect(await store.getMany(['register'])).toEqual([text])
    expect(counted).toEqual([1])
    await store.close()
  })

  it('counts as an expired guard when its numbers are too long', async () => {
    const { store } = await open()
    await admin.set(row.guard, `${'9'.repeat(400)};;w@${'9'.repeat(400)}`)
    await store.fenceMany([row], { token: 'w2', fenceMs: 60_000, markMs: 60_000 })
    expect(await admin.get(row.guard)).toMatch(/^\d+;;w2@\d+$/)
    await store.releaseFences([row], { token: 'w2', holdMs: 0, markMs: 1 })
    await admin.del(row.guard)
    await store.close()
  })

  it('is removed from a row that is released', async () => {
    const { store, counted } = await open()
    await occupy(row.guard)
    await store.releaseLeases([row], 'any')
    expect(await admin.exists(row.guard)).toBe(0)
    expect(counted).toEqual([1])
    await store.close()
  })

  it('costs each read one load, then rows are hits again', async () => {
    const { admin, database, namespace, openPod } = newWorld()
    const pod = await openPod()
    await getStored(pod)
    const { key } = await pod.cache.explain(lotId)
    for (const occupied of [key, `${key}:l`, `${namespace}:{Lot}:register`]) {
      await admin.multi().del(occupied).rpush(occupied, 'value').exec()
    }
    await getStored(pod)
    await getStored(pod)
    const loads = database.loads.length
    await getStored(pod)
    expect(database.loads).toHaveLength(loads)
    expect((await pod.cache.explain(lotId)).stored.isHit).toBe(true)
  })

  it('is replaced as well when it holds a foreign string', async () => {
    const { admin, database, namespace, openPod } = newWorld()
    const pod = await openPod()
    await getStored(pod)
    const { key } = await pod.cache.explain(lotId)
    for (const occupied of [key, `${key}:l`, `${namespace}:{Lot}:register`])
      await admin.set(occupied, 'value')
    await getStored(pod)
    await getStored(pod)
    const loads = database.loads.length
    await getStored(pod)
    expect(database.loads).toHaveLength(loads)
  })
})
