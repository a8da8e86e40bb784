import { FenceError } from '../../errors.js'
import { FenceSet } from './fence-set.js'
import type { RowFences } from './row-fences.js'

/** The writes of a cache whose store answers when it is told to. */
function openWrites() {
  const fence = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const observed: string[] = []
  const writes = {
    fence: () => fence.promise,
    release: () => release.promise,
    hold: () => {},
    observeFence: () => observed.push('fence'),
  } as Partial<RowFences> as RowFences
  return { fence, observed, release, writes }
}

/** Whether a promise is still pending when everything that has been answered is done. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let ended = false
  const end = (): void => void (ended = true)
  promise.then(end, end)
  await new Promise(setImmediate)
  return !ended
}

describe('the fences of a write to two caches', () => {
  const open = () => {
    const [one, other] = [openWrites(), openWrites()]
    const fences = new FenceSet()
    fences.markWritten(one.writes, ['a'])
    fences.markWritten(other.writes, ['b'])
    return { fences, one, other }
  }

  it('stand once both stores have answered', async () => {
    const { fences, one, other } = open()
    const fencing = fences.fence()
    one.fence.resolve()
    expect(await isPending(fencing)).toBe(true)
    other.fence.resolve()
    await fencing
    expect(fences.isFenced).toBe(true)
    expect(await isPending(fences.fence())).toBe(false)
  })

  it.each(['one', 'other'] as const)('refuse the write if one is refused: %s', async (refused) => {
    const caches = open()
    const fencing = caches.fences.fence()
    caches[refused].fence.reject(new FenceError('Lot', new Error('no answer')))
    expect(await isPending(fencing)).toBe(true)
    caches[refused === 'one' ? 'other' : 'one'].fence.resolve()
    await expect(fencing).rejects.toThrow(FenceError)
  })

  it('refuse it again, as long as the store does not take those that it has refused', async () => {
    const { fences, one, other } = open()
    other.fence.resolve()
    one.fence.reject(new FenceError('Lot', new Error('no answer')))
    await expect(fences.fence()).rejects.toThrow(FenceError)
    expect(fences.isFenced).toBe(false)
    await expect(fences.fence()).rejects.toThrow(FenceError)
    one.writes.fence = async () => {}
    await fences.fence()
    expect(fences.isFenced).toBe(true)
  })

  it('are waited for by all that ask for them', async () => {
    const { fences, one, other } = open()
    const fencing = [fences.fence(), fences.fence()]
    one.fence.resolve()
    expect(await isPending(fencing[1]!)).toBe(true)
    other.fence.resolve()
    await Promise.all(fencing)
  })

  it('that are held have stood until then, as long as the write took', async () => {
    const { fences, one, other } = open()
    void fences.fence()
    fences.hold()
    expect([one.observed, other.observed, fences.isOver]).toEqual([['fence'], ['fence'], true])
    for (const { release } of [one, other]) release.resolve()
    await fences.end()
    expect([one.observed, other.observed]).toEqual([['fence'], ['fence']])
  })
})
