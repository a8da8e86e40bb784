import { endOf, guardText, newLease, readGuard } from './guard.js'

const now = 1_000_000
const leaseUntil = (ms: number) => newLease('t', 0, ms * 1_000)
const fences = (...of: [string, number][]) => new Map(of)

describe('a guard', () => {
  it.each([undefined, '', 'x', ';;', '1;', 'x;;', '1;2;3;4'])('is none if its text is %j', (text) => {
    expect(readGuard(text, now, 10)).toEqual({ mark: 0, lease: '', fences: fences() })
  })

  it('loses what has expired; the writes of its fences stay marked', () => {
    const guard = {
      mark: 3,
      lease: leaseUntil(now),
      fences: fences(['old', now - 4], ['older', now - 9], ['w', now + 1]),
    }
    expect(readGuard(guardText(guard), now, 10)).toEqual({
      mark: now + 6,
      lease: '',
      fences: fences(['w', now + 1]),
    })
    expect(readGuard(guardText({ ...guard, mark: now + 7 }), now, 10).mark).toBe(now + 7)
    expect(readGuard(guardText({ mark: 0, lease: '', fences: fences(['w', now]) }), now, 10)).toMatchObject({
      mark: now + 10,
    })
  })

  it('lasts as long as the last of its parts', () => {
    const none = { mark: 0, lease: '', fences: fences() }
    expect(endOf(none, 10)).toBe(0)
    expect(endOf({ ...none, mark: now }, 10)).toBe(now)
    expect(endOf({ ...none, lease: newLease('t', 5, now * 1_000 + 1) }, 10)).toBe(now + 6)
    expect(endOf({ ...none, fences: fences(['a', now + 1], ['b', now]) }, 10)).toBe(now + 11)
    expect(endOf({ mark: now + 20, lease: leaseUntil(now + 15), fences: fences(['a', now]) }, 10)).toBe(
      now + 20,
    )
  })

  it('has a lease of its own for each microsecond', () => {
    expect(newLease('t', 5, 7)).toBe('t@5007')
    expect(newLease('t', 5, 7)).not.toBe(newLease('t', 5, 8))
  })
})

describe('the release of a fence', () => {})
