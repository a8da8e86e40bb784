import { type Hint, replayAll } from './hints.js'
import { Pace } from './pace.js'
import { type WarmCounts, warmCountsOf } from './warm-counts.js'

const hints = (count: number): Hint[] =>
  Array.from({ length: count }, (_, i) => ({ cache: 'Lot', id: `${i}` }))

describe('replayAll', () => {
  it('replays a hundred hints at a time, in their order', async () => {
    const batches: (readonly Hint[])[] = []
    const progress: number[] = []
    const replay = async (batch: readonly Hint[]) => {
      batches.push(batch)
      return warmCountsOf({ stored: batch.length })
    }
    const all = hints(250)
    const onProgress = (_: WarmCounts, replayed: number): void => void progress.push(replayed)
    expect(await replayAll(all, { perSecond: 1_000, replay, onProgress })).toEqual({
      counts: warmCountsOf({ stored: 250 }),
      end: 'done',
    })
    expect(batches.map(({ length }) => length)).toEqual([100, 100, 50])
    expect(batches.flat()).toEqual(all)
    expect(progress).toEqual([100, 200, 250])
  })

  it.each([
    [0, []],
    [200, [100, 100]],
  ])('replays %d hints without an empty batch', async (count, expected) => {
    const sizes: number[] = []
    const replay = async ({ length }: readonly Hint[]) => {
      sizes.push(length)
      return warmCountsOf({ stored: length })
    }
    expect((await replayAll(hints(count), { perSecond: 1_000, replay })).end).toBe('done')
    expect(sizes).toEqual(expected)
  })

  it('replays no more at a time than in a second', async () => {
    const sizes: number[] = []
    const replay = async ({ length }: readonly Hint[]) => {
      sizes.push(length)
      return warmCountsOf({ present: length })
    }
    await replayAll(hints(7), { perSecond: 3, replay })
    expect(sizes).toEqual([3, 3, 1])
  })

  it('ends when the last hundred were in vain, and not for some that are', async () => {
    const replayWith = (counts: Partial<WarmCounts>) =>
      replayAll(hints(1_000), { perSecond: 50, replay: async () => warmCountsOf(counts) })
    expect(await replayWith({ refused: 40, failed: 10 })).toEqual({
      counts: warmCountsOf({ refused: 80, failed: 20 }),
      end: 'in vain',
    })
    for (const useful of ['stored', 'present', 'not_found'])
      expect((await replayWith({ refused: 49, [useful]: 1 })).end).toBe('done')
    expect((await replayWith({ skipped: 50 })).end).toBe('done')
  })

  it('stops when nobody replays any more', async () => {
    const answers = [warmCountsOf({ stored: 100 }), undefined]
    expect(await replayAll(hints(300), { perSecond: 100, replay: async () => answers.shift() })).toEqual({
      counts: warmCountsOf({ stored: 100 }),
      end: 'stopped',
    })
  })
})

describe('a pace', () => {
  it('lets the next ones wait for the time that those before them have', async () => {
    const pace = new Pace(200)
    const { signal } = new AbortController()
    const beganMs = performance.now()
    const begun: number[] = []
    for (const count of [10, 20, 1]) {
      await pace.next(count, signal)
      begun.push(performance.now() - beganMs)
    }
    expect(Math.round(begun[1]!)).toBeGreaterThanOrEqual(50)
    expect(Math.round(begun[2]!)).toBeGreaterThanOrEqual(150)
  })

  it('ends with its signal', async () => {
    const pace = new Pace(1)
    const ending = new AbortController()
    await pace.next(3_600, ending.signal)
    const waiting = pace.next(1, ending.signal)
    ending.abort()
    await expect(waiting).rejects.toThrow('aborted')
  })
})
