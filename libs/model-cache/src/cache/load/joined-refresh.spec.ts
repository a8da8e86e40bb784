import { Slicer } from '@model-cache/event-loop/internal'
import { Leases, MemoryStore } from '../../protocol/index.js'
import { silentObserver } from '../telemetry/observer.js'
import type { CacheContext } from '../context.js'
import { InvalidationClock } from '../invalidation-clock.js'
import { addWaiter, backgroundRead, moveWaiters, newBatch, newRead } from '../read/read.js'
import { newLoad } from './load.js'
import { createLoadPermits } from './load-permits.js'
import { Loader, type LoadHandler } from './loader.js'

interface Lot {
  readonly id: string
}
const lot = { id: 'a' }
const readOfLot = () => newRead<Lot, string>('a', 'a', 0, newBatch())

/** A loader whose only permit is taken until `free` is called. */
function busyLoader() {
  const permits = createLoadPermits(1).ofCache()
  const busy = Promise.withResolvers<void>()
  void permits.execute(() => busy.promise)
  const handler: LoadHandler<Lot, string> = {
    loaded: ({ read }, row) => {
      read.waiter.resolve(row)
      for (const other of read.others ?? []) other.resolve(row)
    },
    coalesced: () => {},
    waiting: () => {},
    failed: () => {},
    ended: () => Promise.resolve(),
  }
  const context = {
    model: {
      name: 'Lot',
      keys: { rowIdOf: ({ id }: Lot) => id },
      source: { load: () => Promise.resolve([lot]), mayBlameOneId: () => false },
    },
    policy: { leaseWaitMs: 0 },
    runtime: { permits, slicer: new Slicer() },
    coherence: {
      clock: new InvalidationClock(),
      pending: { isEmpty: true },
      leases: new Leases(new MemoryStore(), 1_000),
    },
    telemetry: { observer: silentObserver.forModel('Lot') },
  } as unknown as CacheContext<Lot, string>
  const loader = new Loader(context, handler)
  return { loader, free: busy.resolve }
}

it('delivers to callers who joined a refresh that joins another load', async () => {
  const { free, loader } = busyLoader()
  const caller = Promise.withResolvers<Lot | null>()
  const requested = readOfLot()
  addWaiter(requested, caller)
  const refresh = backgroundRead(readOfLot())
  moveWaiters(requested, refresh)
  const loading = loader.load([newLoad(readOfLot())])
  await loader.load([newLoad(refresh)])
  free()
  await loading
  expect(await Promise.race([caller.promise, 'forgotten'])).toEqual(lot)
})

it('lets a refresh go that nobody joined, if the row is being loaded', async () => {
  const { free, loader } = busyLoader()
  const read = readOfLot()
  const loading = loader.load([newLoad(read)])
  await loader.load([newLoad(backgroundRead(readOfLot()))])
  expect(read.others).toBeUndefined()
  free()
  await loading
})
