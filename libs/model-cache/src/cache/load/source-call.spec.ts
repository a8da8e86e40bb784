import { jest } from '@jest/globals'
import { currentCalls, forCalls, isPastDeadline, outsiders, runningCalls, SourceCall } from './source-call.js'

const rows = (...rowIds: string[]) => rowIds.map((rowId) => ({ rowId }))
const call = (cache = 'Lot', loader: object = {}, ...rowIds: string[]): SourceCall =>
  new SourceCall(cache, loader, rows(...rowIds))
const timeout = expect.objectContaining({ code: 'E_LOAD_TIMEOUT' }) as unknown
const giveUp = (one: SourceCall): Promise<unknown> =>
  one.run(() => new Promise(() => {}), 1).catch((error: unknown) => error)

describe('a call of a source', () => {
  it('gives what its source gives, and is over then', async () => {
    const one = call('Lot', {}, 'a', 'b')
    expect([one.size, one.isOver, one.isGivenUp]).toEqual([2, false, false])
    expect(await one.run(async () => 'rows', 1_000)).toBe('rows')
    expect([one.size, one.isOver, one.isGivenUp]).toEqual([0, true, false])
  })

  it('fails with the error of its source, and is over then', async () => {
    const one = call()
    await expect(one.run(() => Promise.reject(new Error('no database')), 1_000)).rejects.toThrow(
      'no database',
    )
    expect([one.isOver, one.isGivenUp]).toEqual([true, false])
  })

  it('is the current one for its source alone', async () => {
    const one = call()
    expect(await one.run(async () => currentCalls(), 1_000)).toEqual([one])
    expect(currentCalls()).toBeUndefined()
  })
})

describe('the deadline of a call', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  it('passes one poll after its time', async () => {
    const one = call()
    const outcome = one.run(() => new Promise(() => {}), 10).catch((error: unknown) => error)
    await jest.advanceTimersByTimeAsync(9)
    expect(one.isGivenUp).toBe(false)
    await jest.advanceTimersByTimeAsync(2)
    expect([one.isGivenUp, one.isOver]).toEqual([true, false])
    expect(await outcome).toEqual(timeout)
  })

  it('does not pass for rows that arrive in that poll', async () => {
    const one = call()
    const source = Promise.withResolvers<string>()
    const outcome = one.run(() => source.promise, 10)
    // The event loop was blocked: the timer of the deadline has run, and the rows have been read since.
    setTimeout(() => source.resolve('rows'), 10)
    await jest.advanceTimersByTimeAsync(20)
    expect(await outcome).toBe('rows')
    expect([one.isGivenUp, one.isOver]).toEqual([false, true])
  })

  it('leaves no timer behind that keeps the process', async () => {
    await call().run(async () => 'rows', 30_000)
    await call()
      .run(() => Promise.reject(new Error('failed')), 30_000)
      .catch(() => {})
    expect(jest.getTimerCount()).toBe(0)
  })

  it('ends the reads of its source, and of those that are nested in it', async () => {
    const loader = {}
    const one = new SourceCall('Lot', loader, rows('a'))
    const nested = new SourceCall('Bid', {}, rows('b'), one)
    const gate = Promise.withResolvers<void>()
    const seen = [isPastDeadline()]
    const read = () => {
      seen.push(isPastDeadline())
      return currentCalls()
    }
    const later = nested.run(() => gate.promise.then(read), 60_000)
    const outcome = one.run(() => new Promise(() => {}), 10).catch((error: unknown) => error)
    await jest.advanceTimersByTimeAsync(11)
    expect(await outcome).toEqual(timeout)
    gate.resolve()
    await expect(later).rejects.toEqual(timeout)
    expect(seen).toEqual([false, true])
  })

  it('names what the call still waits for', async () => {
    const [one, other, ended] = [call('a'), call('b'), call('c')]
    one.await(ended)
    one.await(other)
    await ended.run(async () => {}, 1_000)
    const outcome = one.run(() => new Promise(() => {}), 10).catch((error: unknown) => error)
    await jest.advanceTimersByTimeAsync(11)
    const { message } = (await outcome) as Error
    expect(message).toContain('waited for "b"')
    expect(message).not.toContain('"c"')
  })
})

describe('a nested call that others wait for as well', () => {
  it.each([
    ['callers outside of calls', outsiders],
    ['another call', call()],
  ])('goes on when the call around it has been given up: %s', async (_, other) => {
    const one = call()
    const nested = new SourceCall('Bid', {}, rows('b'), one, [one, other])
    const deeper = new SourceCall('Item', {}, rows('c'), nested)
    await giveUp(one)
    expect(nested.isWanted).toBe(true)
    expect(await deeper.run(async () => currentCalls(), 60_000)).toEqual([deeper])
  })

  it('ends with the last of them, with the error of the first', async () => {
    const [one, other] = [call('Lot'), call('User')]
    const nested = new SourceCall('Bid', {}, rows('b'), one, [one, other])
    const deeper = new SourceCall('Item', {}, rows('c'), nested)
    await giveUp(other)
    expect(deeper.isWanted).toBe(true)
    await giveUp(one)
    expect([nested.isWanted, deeper.isWanted]).toEqual([false, false])
    await expect(deeper.run(async () => currentCalls(), 60_000)).rejects.toThrow('"Lot"')
  })

  it('goes on for code that one of them has started, when that has ended', async () => {
    const [one, other] = [call(), call()]
    const nested = new SourceCall('Bid', {}, rows('b'), one, [one, other])
    await giveUp(one)
    await other.run(async () => {}, 1_000)
    expect(nested.isWanted).toBe(true)
  })
})

describe('calls that wait for each other', () => {
  it('lead to those that they wait for, directly or not', () => {
    const [one, other, last, stranger] = [call(), call(), call(), call()]
    one.await(other)
    other.await(last)
    last.await(one)
    expect([one, other, last, stranger].map((to) => one.leadsTo(to))).toEqual([true, true, true, false])
    expect(stranger.leadsTo(one)).toBe(false)
    outsiders.await(one)
    expect(outsiders.leadsTo(one)).toBe(false)
  })

  it('do not lead to one that has ended, nor by way of it', async () => {
    const [one, ended, last] = [call(), call(), call()]
    one.await(ended)
    ended.await(last)
    expect(one.leadsTo(last)).toBe(true)
    await ended.run(async () => {}, 1_000)
    expect([one.leadsTo(ended), one.leadsTo(last)]).toEqual([false, false])
  })
})

describe('a row that is read for a call', () => {
  it('may be one that the nearest call around it loads', () => {
    const [lots, bids] = [{}, {}]
    const outer = new SourceCall('Lot', lots, rows('a', 'b'))
    const inner = new SourceCall('Bid', bids, rows('a', 'c'), outer)
    expect(inner.nearestLoading('Lot', lots, 'a')).toBe(outer)
    expect(inner.nearestLoading('Bid', bids, 'a')).toBe(inner)
    expect(inner.nearestLoading('Lot', lots, 'c')).toBeUndefined()
    // Ids mean nothing to another cache.
    expect(inner.nearestLoading('Bid', {}, 'a')).toBeUndefined()
  })

  it('needs itself if that call has no other row', () => {
    const lots = {}
    const outer = new SourceCall('Lot', lots, rows('a'))
    const inner = new SourceCall('Bid', {}, rows('b', 'c'), outer)
    expect(() => inner.nearestLoading('Lot', lots, 'a')).toThrow(
      expect.objectContaining({
        code: 'E_LOAD_CYCLE',
        message: expect.stringContaining('Lot → Bid → Lot') as unknown,
      }),
    )
  })
})

describe('the calls that code runs for', () => {
  it('are those that run, whoever waits for them', async () => {
    const [running, ended, late] = [call(), call(), call()]
    await ended.run(async () => {}, 1_000)
    expect(await giveUp(late)).toEqual(timeout)
    const nested = new SourceCall('Bid', {}, [], late)
    expect(runningCalls([ended, late, nested, running])).toEqual([nested, running])
    expect(runningCalls([ended, late])).toBeUndefined()
    expect(runningCalls(undefined)).toBeUndefined()
    expect(runningCalls([late, outsiders, running])).toEqual([outsiders, running])
    expect(runningCalls([late, outsiders])).toBeUndefined()
  })

  it('read as long as somebody waits for one of them', async () => {
    const [late, running] = [call(), call()]
    await giveUp(late)
    const nested = new SourceCall('Bid', {}, [], late)
    expect(forCalls([nested, running], currentCalls)).toEqual([nested, running])
    expect(() => forCalls([nested], currentCalls)).toThrow(timeout as Error)
  })

  it('are set for work, or none', async () => {
    const [one, other] = [call(), call()]
    expect(forCalls([one, other], currentCalls)).toEqual([one, other])
    expect(forCalls(undefined, currentCalls)).toBeUndefined()
    expect(await one.run(async () => forCalls(undefined, currentCalls), 1_000)).toBeUndefined()
  })
})
