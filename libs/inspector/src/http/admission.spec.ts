import { jest } from '@jest/globals'
import { InspectionError } from '../inspection-error.js'
import { Admission } from './admission.js'

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('Admission', () => {
  it('has a number of requests in work at once, and refuses others until one has ended', async () => {
    const admission = new Admission({ maxAtOnce: 2 })
    const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    const [first, second] = gates.map(({ promise }) => admission.admit(() => promise))
    const refused = await rejection(admission.admit(async () => 'never'))
    expect(refused).toBeInstanceOf(InspectionError)
    expect(refused).toMatchObject({ code: 'too_many_requests', status: 429 })
    gates[0]!.resolve('one')
    expect(await first).toBe('one')
    expect(await admission.admit(async () => 'three')).toBe('three')
    gates[1]!.reject(new Error('two'))
    await expect(second).rejects.toThrow('two')
    expect(await Promise.all([admission.admit(async () => 4), admission.admit(async () => 5)])).toEqual([
      4, 5,
    ])
  })

  it('leaves no timer when the work has ended', async () => {
    jest.useFakeTimers()
    try {
      const admission = new Admission()
      await admission.admit(async () => 1)
      await rejection(admission.inTime(() => Promise.reject(new Error('failed'))))
      expect(jest.getTimerCount()).toBe(0)
    } finally {
      jest.useRealTimers()
    }
  })

  it('gives a place back after work that throws at once', async () => {
    const admission = new Admission({ maxAtOnce: 1 })
    const fail = (): never => {
      throw new Error('at once')
    }
    await expect(admission.admit(fail)).rejects.toThrow('at once')
    expect(await admission.admit(async () => 1)).toBe(1)
  })

  it('answers at the deadline, and counts the work until it ends', async () => {
    const admission = new Admission({ maxAtOnce: 1, deadlineMs: 1 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const late = await rejection(admission.admit(() => promise))
    expect(late).toMatchObject({
      code: 'deadline_exceeded',
      status: 503,
      message: expect.stringContaining('1 ms'),
    })
    expect(await rejection(admission.admit(async () => 1))).toMatchObject({ code: 'too_many_requests' })
    resolve()
    await new Promise(setImmediate)
    expect(await admission.admit(async () => 1)).toBe(1)
    expect(await rejection(admission.inTime(() => new Promise(() => {})))).toMatchObject({ status: 503 })
  })
})
