import { turns } from '../../../../../test/support/eventually.js'
import { type CachePermits, createLoadPermits } from './load-permits.js'

/** Begins loads that a test ends, and knows which of them run. */
function workers() {
  const running: string[] = []
  const gates = new Map<string, () => void>()
  const begin = (permits: CachePermits, name: string): Promise<string> =>
    permits.execute(async () => {
      running.push(name)
      await new Promise<void>((resolve) => gates.set(name, resolve))
      running.splice(running.indexOf(name), 1)
      return name
    })
  const end = async (name: string): Promise<void> => {
    gates.get(name)!()
    await turns(2)
  }
  return { running, begin, end }
}

describe('load permits', () => {
  it('let no more loads run than there are, whoever waits when one ends', async () => {
    const permits = createLoadPermits(2)
    const [a, b, c] = [permits.ofCache(), permits.ofCache(), permits.ofCache()]
    const { begin, end, running } = workers()
    const loads = [
      begin(a, 'a1'),
      begin(b, 'b1'),
      begin(a, 'a2'),
      begin(b, 'b2'),
      begin(c, 'c1'),
      begin(c, 'c2'),
    ]
    await turns(2)
    expect(running).toEqual(['a1', 'b1'])
    await end('a1')
    expect(running).toEqual(['b1', 'a2'])
    await end('a2')
    expect(running).toEqual(['b1', 'c1'])
    await end('b1')
    expect(running).toEqual(['c1', 'b2'])
    await end('c1')
    await end('b2')
    await end('c2')
    expect(await Promise.all(loads)).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'c2'])
  })

  it('leave a quarter to other caches when one of them ends, too', async () => {
    const permits = createLoadPermits(4)
    const [a, b] = [permits.ofCache(), permits.ofCache()]
    const { begin, end, running } = workers()
    for (const name of ['a1', 'a2', 'a3']) void begin(a, name)
    void begin(b, 'b1')
    for (const name of ['a4', 'a5']) void begin(a, name)
    await turns(2)
    await end('b1')
    expect(running).toEqual(['a1', 'a2', 'a3'])
    void begin(b, 'b2')
    await turns(2)
    expect(running).toEqual(['a1', 'a2', 'a3', 'b2'])
    await end('a1')
    expect(running).toEqual(['a2', 'a3', 'b2', 'a4'])
  })

  it('are returned by a load that fails, with its error', async () => {
    const permits = createLoadPermits(1).ofCache()
    await expect(permits.execute(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await permits.execute(async () => 'next')).toBe('next')
  })

  it('have the deadline of loads', () => {
    for (const timeoutMs of [1, 2 ** 31 - 1]) {
      const permits = createLoadPermits(1, timeoutMs)
      expect([permits.timeoutMs, permits.ofCache().timeoutMs]).toEqual([timeoutMs, timeoutMs])
    }
  })

  it.each([0, -1, 1.5, NaN, Infinity])('refuse %d loads at once', (count) => {
    expect(() => createLoadPermits(count)).toThrow('option "maxConcurrentLoads" is')
  })

  it.each([0, 0.5, -1, NaN, 2 ** 31, Infinity])('refuse a deadline of %d ms', (timeoutMs) => {
    expect(() => createLoadPermits(1, timeoutMs)).toThrow('option "loadTimeoutMs" is')
  })
})
