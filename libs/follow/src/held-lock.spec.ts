import { EventEmitter } from 'node:events'
import { jest } from '@jest/globals'
import { HeldLock } from './held-lock.js'

/** A connection, and what becomes of it. */
class Connection extends EventEmitter {
  asked = 0
  isCut = false
}

/** @param answers whether the lock is taken, in sequence */
function lockOf(...answers: (boolean | (() => boolean))[]) {
  const connection = new Connection()
  const stop = new AbortController()
  const taking = HeldLock.take(
    {
      connect: async () => connection,
      isTaken: async ({ asked }) => {
        connection.asked++
        const answer = answers[asked]
        if (answer === undefined) throw new Error('it was asked too often')
        return typeof answer === 'function' ? answer() : answer
      },
      disconnect: async (client) => void (client.isCut = true),
    },
    stop.signal,
  )
  taking.catch(() => {})
  return { connection, stop, taking }
}

afterEach(() => jest.useRealTimers())

const messageOf = (error: unknown): string => (error as Error).message

describe('a lock', () => {
  it('is not taken by a process that is stopped', async () => {
    const { connection, stop, taking } = lockOf(true)
    const reason = new Error('stopped')
    stop.abort(reason)
    await expect(taking).rejects.toBe(reason)
    expect([connection.asked, connection.isCut]).toEqual([0, true])
  })

  it('is not asked for again once the process is stopped', async () => {
    const reason = new Error('stopped')
    const { connection, stop, taking } = lockOf(() => {
      setImmediate(() => stop.abort(reason))
      return false
    })
    await expect(taking).rejects.toBe(reason)
    expect([connection.asked, connection.isCut]).toEqual([1, true])
  })

  it('is not taken if the database refuses it', async () => {
    const { connection, taking } = lockOf()
    await expect(taking).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message: 'model-cache: cannot take the lock: it was asked too often.',
    })
    expect(connection.isCut).toBe(true)
  })

  it('is not taken by a process that is stopped while the database refuses it', async () => {
    const reason = new Error('stopped')
    const { stop, taking } = lockOf(() => {
      stop.abort(reason)
      throw new Error('the connection was cut')
    })
    await expect(taking).rejects.toBe(reason)
  })

  it('is not waited for on a connection that is lost', async () => {
    const { connection, taking } = lockOf(() => {
      connection.emit('error', new Error('reset'))
      return false
    }, true)
    await expect(taking).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message: 'model-cache: lost the connection that holds the lock: reset.',
    })
  })
})

describe('a lock that is held', () => {
  it.each([
    ['fails', 'error', new Error('reset'), 'reset'],
    ['ends', 'end', undefined, 'it was closed'],
  ])('is lost when its connection %s', async (_, event, error, reason) => {
    const { connection, taking } = lockOf(true)
    const lock = await taking
    connection.emit(event, error)
    expect(messageOf(await lock.lost)).toBe(
      `model-cache: lost the connection that holds the lock: ${reason}.`,
    )
  })

  it('runs queries in sequence, also after one that fails', async () => {
    const { connection, taking } = lockOf(true)
    const lock = await taking
    const first = Promise.withResolvers<number>()
    const order: string[] = []
    const results = [
      lock.run(async (client) => {
        order.push(client === connection ? 'first' : 'another connection')
        return first.promise
      }),
      lock.run(async () => {
        order.push('second')
        return 2
      }),
    ]
    await new Promise(setImmediate)
    expect([order, lock.isInUse]).toEqual([['first'], true])
    first.reject(new Error('denied'))
    const settled = await Promise.allSettled(results)
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    await new Promise(setImmediate)
    expect([order, lock.isInUse]).toEqual([['first', 'second'], false])
  })

  it('is not lost while a question waits for queries before it, however long these take', async () => {
    jest.useFakeTimers()
    const { connection, taking } = lockOf(true)
    const lock = await taking
    const slow = Promise.withResolvers<void>()
    const [running, asking] = [lock.run(() => slow.promise), lock.ask(async () => 'an answer')]
    asking.catch(() => {})
    await jest.advanceTimersByTimeAsync(3_000)
    slow.resolve()
    await running
    expect(await asking).toBe('an answer')
    expect(connection.isCut).toBe(false)
    const silent = lock.ask(() => new Promise(() => {}))
    silent.catch(() => {})
    await jest.advanceTimersByTimeAsync(1_600)
    await expect(silent).rejects.toThrow('no answer within 1500 ms')
  })

  it('is lost when the database does not answer', async () => {
    const { connection, taking } = lockOf(true)
    const lock = await taking
    expect(await lock.ask(async () => 'an answer')).toBe('an answer')
    expect(connection.isCut).toBe(false)
    const error = new Error('denied')
    await expect(lock.ask(() => Promise.reject(error))).rejects.toBe(error)
    expect(messageOf(await lock.lost)).toContain('holds the lock: denied.')
    expect(connection.isCut).toBe(true)
  })
})
