import { turns } from '../../../../test/support/eventually.js'
import { InFlight } from './in-flight.js'

/** Whether a promise has resolved after everything that waits for no timer. */
async function isResolved(promise: Promise<void>): Promise<boolean> {
  let resolved = false
  void promise.then(() => (resolved = true))
  await turns()
  return resolved
}

describe('work in flight', () => {
  it('has settled when each of it has ended, whatever has begun since', async () => {
    const inFlight = new InFlight()
    const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
    const tracked = inFlight.track(first.promise)
    const settled = inFlight.settled()
    void inFlight.track(second.promise)
    expect(await isResolved(settled)).toBe(false)
    first.resolve('done')
    expect(await tracked).toBe('done')
    expect(await isResolved(settled)).toBe(true)
    const drained = inFlight.drained()
    expect(await isResolved(drained)).toBe(false)
    second.resolve()
    expect(await isResolved(drained)).toBe(true)
  })

  it('ends with an error, which its caller gets', async () => {
    const inFlight = new InFlight()
    const work = Promise.withResolvers<void>()
    const tracked = inFlight.track(work.promise)
    work.reject(new Error('failed'))
    await expect(tracked).rejects.toThrow('failed')
    // Work that stayed would be waited for without end, and never let the event loop turn.
    expect(await Promise.race([inFlight.drained(), turns(2).then(() => 'waits')])).toBeUndefined()
  })
})
