import { jest } from '@jest/globals'
import { withinDeadline } from './within-deadline.js'

const failing = (error: unknown) =>
  withinDeadline('row', async () => {
    throw error
  })

describe('withinDeadline', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  it('returns what is there in time, and leaves no timer', async () => {
    expect(await withinDeadline('row', async () => 7)).toEqual({ result: 7, error: null })
    expect(jest.getTimerCount()).toBe(0)
  })

  it('says that the source has not answered after three seconds', async () => {
    const waiting = withinDeadline('entry', () => new Promise(() => {}))
    let isOver = false
    void waiting.then(() => (isOver = true))
    await jest.advanceTimersByTimeAsync(2_999)
    expect(isOver).toBe(false)
    await jest.advanceTimersByTimeAsync(1)
    expect(await waiting).toEqual({ result: null, error: 'the entry was not read within 3 s' })
  })

  it.each([
    ['a message of the library', new Error('no rows'), 'no rows'],
    ['a class alone, whose message may have values of rows', new TypeError('secret'), 'TypeError'],
    [
      'a class and a code',
      Object.assign(new Error('secret'), { name: 'PrismaError', code: 'P2024' }),
      'PrismaError (P2024)',
    ],
    ['a class and a number', Object.assign(new TypeError('secret'), { code: 42 }), 'TypeError'],
    ['what is no error', { message: 'secret', name: 'Odd' }, 'Odd'],
    ['nothing', undefined, 'undefined'],
  ])('says of an error: %s', async (_, error, shown) => {
    expect(await failing(error)).toEqual({ result: null, error: shown })
    expect(jest.getTimerCount()).toBe(0)
  })

  it('takes an error that is thrown at once for one of the source', async () => {
    const fail = (): never => {
      throw new TypeError('secret')
    }
    expect(await withinDeadline('row', fail)).toEqual({ result: null, error: 'TypeError' })
    expect(jest.getTimerCount()).toBe(0)
  })
})
