import { jest } from '@jest/globals'
import { DatabaseClock } from './database-clock.js'

describe('the clock of a database', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 10_000 }))
  afterEach(() => void jest.useRealTimers())

  it('shows what its fastest answer of late said, and goes on with that of the process', () => {
    const clock = new DatabaseClock()
    expect(clock.nowMs).toBe(10_000)
    clock.note(10_105, 10_000)
    clock.note(10_102, 10_000)
    clock.note(10_109, 10_000)
    expect(clock.nowMs).toBe(10_102)
    jest.setSystemTime(11_000)
    expect(clock.nowMs).toBe(11_102)
  })

  it('follows a clock that was set', () => {
    const clock = new DatabaseClock()
    clock.note(10_000, 10_000)
    for (let answer = 0; answer < 8; answer++) clock.note(15_000, 10_000)
    expect(clock.nowMs).toBe(15_000)
  })
})
