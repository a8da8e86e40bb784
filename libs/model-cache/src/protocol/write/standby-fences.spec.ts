import { jest } from '@jest/globals'
import { describedLots } from '../../../../../test/support/described-lots.js'
import { turns } from '../../../../../test/support/eventually.js'
import { FlakyStore } from '../../testing/flaky-store.js'
import { MemoryStore } from '../backend/memory-store.js'
import { entryOf } from '../registry/cache-description.js'
import { modelKeys } from '../format/key-space.js'
import { ModelCacheWrites } from './model-cache-writes.js'
import { NamespaceCaches } from './namespace-caches.js'

const lots = describedLots()
const { registerKey } = modelKeys('mc', 'Lot')

/** A standby that answers when the test says so: whether it has passed what was committed. */
function standbyOf() {
  const answer = Promise.withResolvers<boolean>()
  const signals: AbortSignal[] = []
  const passed = (signal: AbortSignal): Promise<boolean> => {
    signals.push(signal)
    signal.addEventListener('abort', () => answer.resolve(false))
    return answer.promise
  }
  return { passed, signals, answer: answer.resolve }
}

async function open() {
  const store = new FlakyStore(new MemoryStore())
  const writes = new ModelCacheWrites({ store })
  const { field, text } = entryOf(lots, 'print')
  await store.askCatalogue('mc:{catalogue}', { known: '', isWriter: false, put: new Map([[field, text]]) })
  await writes.prepare()
  const standby = standbyOf()
  writes.holdFor(standby)
  /** The fences of all rows, without their deadlines. */
  const fences = async (): Promise<string | undefined> => {
    const [register] = await store.getMany([registerKey])
    return register?.split(';')[4]
  }
  const write = async () => {
    const unit = writes.begin()
    unit.markAllWritten('Lot', 'raw')
    await unit.fence()
    return unit
  }
  return { fences, standby, store, write, writes }
}

/** Whether a promise has ended, once all that waits for nothing else has. */
async function hasEnded(promise: Promise<unknown>): Promise<boolean> {
  let ended = false
  void promise.then(() => (ended = true))
  await turns()
  return ended
}

describe('the fences of a committed write', () => {
  it('stand until the standby has it, which the write does not wait for', async () => {
    const { fences, standby, write, writes } = await open()
    const unit = await write()
    await unit.end()
    expect(unit.fences.isOver).toBe(true)
    expect(standby.signals).toHaveLength(1)
    const released = writes.released()
    expect([await hasEnded(released), await fences()]).toEqual([false, expect.stringContaining('@')])
    standby.answer(true)
    await released
    expect(await fences()).toBe('')
    await writes.close()
    expect(standby.signals[0]!.aborted).toBe(true)
  })

  it('stand for another time if the standby may not have it by then', async () => {
    const { fences, standby, write, writes } = await open()
    await (await write()).end()
    standby.answer(false)
    await writes.released()
    expect(await fences()).toMatch(/^held@/)
    await writes.close()
  })

  it('stand as long if the store has refused them, and answers again', async () => {
    const { fences, standby, store, write, writes } = await open()
    store.fail('change')
    const unit = await write()
    store.recover()
    await unit.fences.settled()
    expect(await fences()).toBe('')
    await unit.end()
    await unit.fences.settled()
    expect(await fences()).toMatch(/^held@/)
    standby.answer(true)
    await writes.released()
    expect(await fences()).toMatch(/^held@/)
    await writes.close()
  })

  it('wait for it as well if the catalogue did not answer which other caches have to be emptied', async () => {
    const { standby, store, writes } = await open()
    const unit = writes.begin()
    unit.noteWrite('Bid')
    store.fail('askCatalogue')
    await unit.fence()
    store.recover()
    const caught = jest.spyOn(NamespaceCaches.prototype, 'catchUp')
    await unit.end()
    await turns()
    expect(caught).not.toHaveBeenCalled()
    standby.answer(false)
    await writes.released()
    expect(caught).toHaveBeenCalledWith(expect.objectContaining({ end: 'unknown' }))
    await writes.close()
  })

  it('stand for another time if its end is unknown, whatever the standby has', async () => {
    const { fences, standby, write, writes } = await open()
    await (await write()).end('unknown')
    expect([await fences(), standby.signals]).toEqual([expect.stringMatching(/^held@/), []])
    await writes.close()
  })
})
