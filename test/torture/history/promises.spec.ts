import { promisedOf } from './promises.ts'

const write = { pod: 1, fencedAt: 100, committedAt: 110, releasedAt: 120, isReleased: true }
const calm = { fenceMs: 1_000, hearingMs: 0, losses: [] }
const caughtUp = new Map([[1, [50, 400, 500]]])
const flush = { from: 104, to: 105 }

describe('promisedOf', () => {
  it('promises a fenced write to all when it has returned, even if Valkey did not take its end', () => {
    expect(promisedOf(write, calm, caughtUp)).toEqual({ byWriter: 120, byAll: 120, isFenced: true })
    expect(promisedOf({ ...write, isReleased: false }, calm, caughtUp).byAll).toBe(120)
  })

  it('promises a fenced write of a killed pod to the others from its commit on', () => {
    const killed = { ...write, releasedAt: undefined, isReleased: false }
    expect(promisedOf(killed, calm, caughtUp)).toEqual({ byWriter: Infinity, byAll: 110, isFenced: true })
  })

  it.each([
    ['without a fence', { fencedAt: undefined }, []],
    ['whose fence ran out before the commit', { fencedAt: -900 }, []],
    ['whose fence may have been lost before the commit', {}, [flush]],
  ])('promises a write %s when Valkey has taken its invalidation', (_, change, losses) => {
    const unfenced = { ...write, ...change }
    const circumstances = { ...calm, losses }
    const promised = { byWriter: 120, byAll: 120, isFenced: false }
    expect(promisedOf(unfenced, circumstances, caughtUp)).toEqual(promised)
    const refused = { ...unfenced, isReleased: false }
    expect(promisedOf(refused, circumstances, caughtUp).byAll).toBe(400)
    expect(promisedOf({ ...refused, pod: 2 }, circumstances, caughtUp).byAll).toBe(Infinity)
  })

  it('ignores losses after the commit', () => {
    const losses = [{ from: 111, to: 112 }]
    expect(promisedOf(write, { ...calm, losses }, caughtUp).isFenced).toBe(true)
  })

  it('gives other pods with an L1 time to hear of the write', () => {
    expect(promisedOf(write, { ...calm, hearingMs: 30 }, caughtUp)).toEqual({
      byWriter: 120,
      byAll: 150,
      isFenced: true,
    })
  })
})
