import { MemoryStore } from '../protocol/index.js'
import { FlakyStore } from './flaky-store.js'
import { writeValue } from './write-value.js'

/** A store that notes how it is used. */
class NotedStore extends MemoryStore {
  readonly notes: string[] = []
  override connect(): Promise<void> {
    this.notes.push('connect')
    return super.connect()
  }
  override ping(): Promise<void> {
    this.notes.push('ping')
    return super.ping()
  }
  override close(): Promise<void> {
    this.notes.push('close')
    return super.close()
  }
}

describe('a flaky store', () => {
  it('does what its store does, and counts the commands', async () => {
    const inner = new NotedStore()
    const store = new FlakyStore(inner)
    await store.connect()
    await store.ping()
    await writeValue(store, 'a', '1', 60_000)
    expect(await store.getMany(['a'])).toEqual(['1'])
    await store.close()
    expect(inner.notes).toEqual(['connect', 'ping', 'close'])
    expect(store.calls).toMatchObject({ ping: 1, leaseMany: 1, fillMany: 1, getMany: 1, fenceMany: 0 })
  })

  it('rejects the commands that should fail, until it recovers', async () => {
    const store = new FlakyStore(new MemoryStore())
    store.fail('ping')
    await expect(store.ping()).rejects.toThrow('ping fails on request')
    expect(await store.getMany(['a'])).toEqual([null])
    store.fail()
    await expect(store.getMany(['a'])).rejects.toThrow('getMany fails on request')
    store.recover()
    await store.ping()
    expect(store.calls).toMatchObject({ ping: 2, getMany: 2 })
  })
})

describe('writeValue', () => {
  const row = { key: 'a', guard: 'a:l' }

  it('replaces a value, also right after a write of the row', async () => {
    const store = new MemoryStore()
    await writeValue(store, 'a', '1', 60_000)
    await store.fenceMany([row], { token: 'writer', fenceMs: 60_000, markMs: 60_000 })
    await store.releaseFences([row], { token: 'writer', holdMs: 0, markMs: 60_000 })
    await writeValue(store, 'a', '2', 60_000)
    await writeValue(store, 'a', '3', 60_000)
    expect(await store.getMany(['a'])).toEqual(['3'])
  })

  it('says that a lease was refused or lost', async () => {
    const fenced = new MemoryStore()
    await fenced.fenceMany([row], { token: 'writer', fenceMs: 60_000, markMs: 60_000 })
    await expect(writeValue(fenced, 'a', '1', 60_000)).rejects.toThrow('could not be written: fenced')
    class Forgetful extends MemoryStore {
      override async fillMany(): Promise<boolean[]> {
        return [false]
      }
    }
    await expect(writeValue(new Forgetful(), 'a', '1', 60_000)).rejects.toThrow('the lease was lost')
  })
})
