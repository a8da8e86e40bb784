import { jest } from '@jest/globals'
import { answerIn } from './answer-in.js'

describe('an answer that has to come in time', () => {
  it('is returned, and so is the error in place of it', async () => {
    expect(await answerIn(Promise.resolve(1), 60_000)).toBe(1)
    const error = new Error('lost')
    await expect(answerIn(Promise.reject(error), 60_000)).rejects.toBe(error)
  })

  it('leaves no timer behind', async () => {
    jest.useFakeTimers()
    try {
      await answerIn(Promise.resolve(1), 60_000)
      expect(jest.getTimerCount()).toBe(0)
    } finally {
      jest.useRealTimers()
    }
  })

  it('fails if it does not come', async () => {
    await expect(answerIn(new Promise(() => {}), 5)).rejects.toThrow('no answer within 5 ms')
  })

  it('is returned if it came while the process was held up for longer', async () => {
    const setting = jest.spyOn(globalThis, 'setTimeout')
    const answer = answerIn(new Promise((resolve) => setImmediate(resolve, 'in time')), 60_000)
    const [expire] = setting.mock.calls[0] as [() => void]
    setting.mockRestore()
    // Timers come first in a turn of the event loop, and what was received comes next.
    expire()
    expect(await answer).toBe('in time')
  })
})
