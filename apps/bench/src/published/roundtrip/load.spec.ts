import { CONCURRENCY, measureLatency } from './load.ts'

const busy = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('measureLatency', () => {
  it('includes the wait behind a stall', async () => {
    let calls = 0
    const stallsOnce = { inputs: [1], run: () => (++calls === CONCURRENCY * 10 ? busy(50) : undefined) }
    // A hundredth of all operations are due within the stall.
    const { p99Us, maxUs } = await measureLatency(stallsOnce, CONCURRENCY * 100, 1_000)
    expect(maxUs).toBeGreaterThanOrEqual(50_000)
    expect(p99Us).toBeGreaterThan(50_000 / 4)
  })

  it('runs every operation once', async () => {
    const seen: number[] = []
    const operation = { inputs: [1, 2, 3], run: (input: number) => seen.push(input) }
    await measureLatency(operation, 100, 1)
    expect(seen).toHaveLength(100)
    expect(seen.slice(0, 4)).toEqual([1, 2, 3, 1])
  })
})
