import { MemoryStore } from 'model-cache/advanced'
import type { Store } from 'model-cache'
import { inflict } from './defects.js'

const key = { key: 'mc:{User:1}:a:print', guard: 'mc:{User:1}:a:print:l' }
const minuteMs = 60_000

async function put(store: Store, value: string): Promise<void> {
  const request = { token: value, leaseMs: minuteMs, onlyAbsent: false, onlyUnmarked: false }
  const [lease] = await store.leaseMany([key], request)
  await store.fillMany([{ ...key, token: lease!.token!, value, ttlMs: minuteMs }])
}
const release = (store: Store) => store.releaseFences([key], { token: 'write', holdMs: 0, markMs: 0 })

describe('a defect of a store', () => {
  it('returns the first value of a row until it is mended', async () => {
    const store = new MemoryStore()
    const mend = inflict(store, 'stale entry')
    await put(store, 'one')
    expect(await store.getMany([key.key])).toEqual(['one'])
    await put(store, 'two')
    expect(await store.getMany([key.key])).toEqual(['one'])
    mend()
    expect(await store.getMany([key.key])).toEqual(['two'])
  })

  it('leaves the first of every four invalidations out', async () => {
    const store = new MemoryStore()
    inflict(store, 'change left out')
    const isLeft: boolean[] = []
    for (let turn = 0; turn < 5; turn++) {
      await put(store, 'one')
      await release(store)
      isLeft.push((await store.getMany([key.key]))[0] !== null)
    }
    expect(isLeft).toEqual([true, false, false, false, true])
  })

  it('ends fences before the write', async () => {
    const store = new MemoryStore()
    inflict(store, 'fence left out')
    await store.fenceMany([key], { token: 'write', fenceMs: minuteMs, markMs: 0 })
    await put(store, 'before COMMIT')
    await release(store)
    expect(await store.getMany([key.key])).toEqual(['before COMMIT'])
  })
})
