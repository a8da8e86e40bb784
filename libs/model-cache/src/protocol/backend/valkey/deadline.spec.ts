import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { StoreError } from '../../../errors.js'
import { answerWithin, withDeadline } from './deadline.js'
import { reasonOf } from './error-reason.js'

const never = new Promise<never>(() => {})
const within = (reply: Promise<unknown>, deadlineMs = 60_000) =>
  answerWithin(reply, 'valkey', 'GET', deadlineMs)
const failure = (reply: Promise<unknown>) => within(reply).catch((error: unknown) => error as StoreError)

describe('a command with a deadline', () => {
  it('rejects with the error of its reply', async () => {
    const error = new Error('lost')
    await expect(withDeadline(Promise.reject(error), 'valkey', 'GET', 60_000)).rejects.toBe(error)
  })

  it('rejects at its deadline', async () => {
    await expect(withDeadline(never, 'valkey', 'GET', 5)).rejects.toMatchObject({ code: 'E_STORE_TIMEOUT' })
    await expect(within(never, 5)).rejects.toMatchObject({ code: 'E_STORE_TIMEOUT' })
    await expect(within(never, 5)).rejects.toThrow('valkey: GET took longer than its deadline of 5 ms')
  })

  it('has its reply if that came while the event loop was blocked beyond the deadline', async () => {
    const setting = jest.spyOn(globalThis, 'setTimeout')
    const answered = within(new Promise((resolve) => setImmediate(resolve, 'in time')))
    const [expire] = setting.mock.calls[0] as [() => void]
    setting.mockRestore()
    // Timers come first in a turn of the event loop, and what was received comes next.
    expire()
    expect(await answered).toBe('in time')
  })

  it('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    await within(Promise.resolve(1))
    await failure(Promise.reject(new Error('lost')))
    await delay(1)
    expect(timers()).toBeLessThanOrEqual(before)
  })
})

describe('the error of a command', () => {
  it('has a code of its own if the user may not run the command', async () => {
    expect(await failure(Promise.reject(new Error("NOPERM no permission to run 'get'")))).toMatchObject({
      code: 'E_STORE_FORBIDDEN',
    })
    expect(await failure(Promise.reject(new Error('no NOPERM')))).toMatchObject({ code: 'E_STORE' })
  })

  it('ends with advice: to add the right that is missing, or about a missing connection, or a cluster', async () => {
    const messageOf = (reason: string, advice?: string) =>
      answerWithin(Promise.reject(new Error(reason)), 'valkey', 'GET', 60_000, advice).catch(
        ({ message }: Error) => message,
      )
    const unsent = "Stream isn't writeable and enableOfflineQueue options is false"
    expect(await messageOf(unsent)).toBe('model-cache: valkey: GET failed: there is no connection')
    expect(await messageOf(unsent, 'Open it.')).toBe(
      'model-cache: valkey: GET failed: there is no connection. Open it.',
    )
    expect(await messageOf('OOM', 'Open it.')).toBe('model-cache: valkey: GET failed: OOM')
    const elsewhere = 'MOVED 7 10.0.0.1:6379'
    expect(await messageOf(elsewhere, 'Open it.')).toMatch(
      `${elsewhere}. The server is a node of a cluster. `,
    )
    const refusal = "NOPERM User app has no permissions to run the 'cluster|slots' command"
    for (const advice of [undefined, 'Open it.']) {
      expect(await messageOf(refusal, advice)).toMatch(`${refusal}. Add +cluster|slots to the rule`)
      expect(await messageOf(refusal, advice)).not.toContain('Open it.')
    }
  })

  it('stays what it is if it is one of a store', async () => {
    const error = new StoreError('valkey', 'is bypassed')
    expect(await failure(Promise.reject(error))).toBe(error)
  })
})

describe('the reason of an error', () => {
  const coded = Object.assign(new Error(''), { code: 'ECONNREFUSED' })

  it.each([
    ['is its message', new Error('BUSY'), 'BUSY'],
    ['is on one line', new Error('BUSY\r\n  script'), 'BUSY script'],
    ['is its code without a message', coded, 'ECONNREFUSED'],
    ['is its name without either', Object.assign(new TypeError(''), { code: 5 }), 'TypeError'],
    ['is not that of other values', 'secret', 'unknown error'],
    ['is not that of objects', { message: 'secret' }, 'unknown error'],
    [
      'does not name options of ioredis',
      new Error("Stream isn't writeable and enableOfflineQueue options is false"),
      'there is no connection',
    ],
    [
      'names no option of ioredis for a lost connection, either',
      new Error(
        'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
      ),
      'the connection was lost',
    ],
    [
      'does not repeat the arguments of a command',
      new Error("ERR unknown command 'x', with args beginning with: 'secret'\n 'too'"),
      "ERR unknown command 'x'",
    ],
    [
      'does not repeat them without a comma, either',
      new Error("ERR unknown command 'x' with args beginning with: 'secret'"),
      "ERR unknown command 'x'",
    ],
    [
      'is that of the node of a cluster that was not reached',
      Object.assign(new Error('Failed to refresh slots cache.'), { lastNodeError: new Error('BUSY') }),
      'BUSY',
    ],
    [
      'says what to do about a password that is missing',
      new Error('NOAUTH HELLO must be called with the client already authenticated, otherwise'),
      expect.stringMatching(/^NOAUTH: the server requires a password, and none is configured\. Put/),
    ],
    [
      'says what to do about a password that is wrong',
      new Error('WRONGPASS invalid username-password pair or user is disabled.'),
      expect.stringMatching(/^WRONGPASS: the server does not accept .* Correct them in the URL/),
    ],
    ['has 200 characters at most', new Error('x'.repeat(300)), 'x'.repeat(200)],
  ])('%s', (_, error, reason) => {
    expect(reasonOf(error)).toEqual(reason)
  })
})

describe('the error of a SELECT', () => {
  const refused = (message: string, name = 'ReplyError') =>
    Object.assign(new Error(message), { name, command: { name: 'select', args: [99] } })

  it('says what to do if the server does not have the database', () => {
    for (const answer of ['ERR DB index is out of range', 'ERR SELECT is not allowed in cluster mode'])
      expect(reasonOf(refused(answer))).toMatch(
        new RegExp(`^${answer}: the server does not have the database .* Use 0, or another number`),
      )
    expect(reasonOf(refused('BUSY'))).toBe('BUSY')
  })
})
