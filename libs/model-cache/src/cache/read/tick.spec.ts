import { jest } from '@jest/globals'
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

  it.each([
    [0, ['job', 'other']],
    [1, ['job', 'other']],
    [1.5, ['other', 'job']],
  ])('takes requests of up to a millisecond for a turn that is not filled (%d ms)', async (tookMs, order) => {
    const times = [5, 5 + tookMs]
    const now = jest.spyOn(performance, 'now').mockImplementation(() => times.shift() ?? 5 + tookMs)
    const seen: string[] = []
    try {
      new Tick().schedule(() => seen.push('job'))
      setImmediate(() => seen.push('other'))
      for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    } finally {
      now.mockRestore()
    }
    expect(seen).toEqual(order)
  })
})
