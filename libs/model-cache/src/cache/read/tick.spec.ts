import { eventually } from '../../../../../test/support/eventually.js'
import { Tick } from './tick.js'

describe('a tick', () => {
  it('runs all jobs of a turn together, in order', async () => {
    const tick = new Tick()
    const seen: string[] = []
    tick.schedule(() => seen.push('first'))
    void Promise.resolve().then(() => tick.schedule(() => seen.push('second')))
    expect(seen).toEqual([])
    await eventually(() => seen.length > 0)
    expect(seen).toEqual(['first', 'second'])
  })

  it('runs at the end of the next turn when the requests have filled this one', async () => {
    const tick = new Tick()
    const seen: string[] = []
    tick.schedule(() => seen.push('job'))
    setImmediate(() => seen.push('other'))
    for (const end = performance.now() + 3; performance.now() < end;);
    await eventually(() => seen.includes('job'))
    expect(seen).toEqual(['other', 'job'])
  })
})
