import { setTimeout as delay } from 'node:timers/promises'
import { ModelCacheWrites } from 'model-cache'
import { createModelCache, ValkeyStore } from 'model-cache/advanced'
import { eventually, eventuallyEqual } from '../support/eventually.js'
import { patientMs } from '../support/patience.js'
import { startServerProxy } from '../support/server-proxy.js'
import { startValkey } from '../support/valkey-server.js'
import { type L1Row, l1Rows } from './l1-rows.js'

/** A process of its own, and how often its memory answered. */
async function openPod(url: string, load: () => L1Row) {
  const store = new ValkeyStore({ url, deadlineMs: patientMs })
  await store.connect()
  const writes = new ModelCacheWrites()
  const source = { load: async () => [load()], mayBlameOneId: () => false }
  const cache = createModelCache(l1Rows, { store, source, writes })
  let fromStore = 0
  const { getManyBytes } = store
  store.getManyBytes = (keys) => (fromStore++, getManyBytes.call(store, keys))
  return {
    cache,
    writes,
    /** Whether the row comes from memory, where it is kept if it may be. */
    async remembers(): Promise<boolean> {
      const before = fromStore
      await cache.get('a')
      await cache.drain()
      return fromStore === before
    },
    async close(): Promise<void> {
      await cache.close()
      await store.close()
    },
  }
}

it('drops L1 when the subscription to invalidations was lost for a moment', async () => {
  const valkey = await startValkey()
  const proxy = await startServerProxy(valkey.port)
  let row: L1Row = { id: 'a', version: 1 }
  const load = (): L1Row => ({ ...row })
  const writer = await openPod(valkey.url, load)
  const url = `valkey://127.0.0.1:${proxy.port}`
  // They listen to their hearts at different times, so at most one of them misses a beat.
  const readers = [await openPod(url, load)]
  await readers[0]!.remembers()
  await delay(400)
  readers.push(await openPod(url, load))
  for (const reader of readers) await eventually(() => reader.remembers())

  await proxy.refuse()
  const unit = writer.writes.begin()
  unit.markWritten('Row', [{ ...row }])
  await unit.fence()
  row = { id: 'a', version: 2 }
  await unit.end()
  await proxy.accept()

  for (const { cache } of readers) await eventuallyEqual(async () => (await cache.get('a'))?.version, 2)
  await Promise.all([writer, ...readers].map((pod) => pod.close()))
  await proxy.stop()
  await valkey.stop()
})
