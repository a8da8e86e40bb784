import { interleave } from './interleave.ts'

const effort = { warmUpMs: 4, rounds: 5, batchMs: 1 }

describe('interleave', () => {
  it('measures slow and fast tasks', () => {
    const spin = (times: number) => {
      let sum = 0
      for (let i = 0; i < times; i++) sum += Math.sqrt(i)
      return sum
    }
    const { fast, slow } = interleave(
      [
        { name: 'fast', inputs: [200], run: spin },
        { name: 'slow', inputs: [20_000], run: spin },
      ],
      effort,
    )
    expect(slow!.ns).toBeGreaterThan(fast!.ns * 10)
  })

  it('passes the inputs in turn', () => {
    const seen: string[] = []
    const run = (input: string) => seen.push(input)
    interleave([{ name: 'a', inputs: ['x', 'y', 'z'], run }], effort)
    expect(seen.slice(0, 7).join('')).toBe('xyzxyzx')
  })

  it('continues where a batch ended', () => {
    const seen = new Set<number>()
    const run = (input: number) => {
      seen.add(input)
      const end = performance.now() + 1
      while (performance.now() < end);
    }
    interleave([{ name: 'a', inputs: Array.from({ length: 12 }, (_, i) => i), run }], {
      ...effort,
      rounds: 15,
    })
    expect(seen.size).toBe(12)
  })
})
