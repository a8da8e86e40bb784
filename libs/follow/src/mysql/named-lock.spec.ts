import {
  type ServerAnswers,
  answeringMysql,
  stopAnswering,
} from '../../../../test/support/answering-server.js'
import { eventually } from '../../../../test/support/eventually.js'
import { breakNamedLock, takeNamedLock } from './named-lock.js'

afterEach(stopAnswering)

const { signal } = new AbortController()
async function serverOf(answers: ServerAnswers, database = 'shop') {
  const server = await answeringMysql(answers)
  return { server, address: { url: `mysql://app:secret@127.0.0.1:${server.port}/${database}` } }
}

describe('a lock by name', () => {
  it.each([
    ['is not free', [{ held: 0 }]],
    ['says nothing', []],
  ])('is asked for until it is taken, also if the server first %s', async (_, first) => {
    const held = [first, [{ held: 1 }]]
    const { address, server } = await serverOf([['GET_LOCK', () => held.shift()!]])
    const lock = await takeNamedLock(address, 'mc:1', signal)
    const [asked, again] = server.asked.slice(1)
    expect(asked).toMatch(/^SELECT GET_LOCK\('model-cache:follow:[0-9a-f]{32}', 0\) AS held$/)
    expect([again, server.open()]).toEqual([asked, 1])
    await lock.release()
    await eventually(() => server.open() === 0)
  })

  it('has a name for each key of each database', async () => {
    const names = new Set<string | undefined>()
    for (const [key, database] of [
      ['mc:1', 'shop'],
      ['mc:2', 'shop'],
      ['mc:1', 'archive'],
    ] as const) {
      const { address, server } = await serverOf([['GET_LOCK', [{ held: 1 }]]], database)
      await takeNamedLock(address, key, signal)
      names.add(server.asked.at(-1))
    }
    expect(names.size).toBe(3)
  })
})

describe('the connection that holds a lock', () => {
  const held: ServerAnswers = [['IS_USED_LOCK', [{ id: 42 }]]]

  it.each<[string, ServerAnswers, string | undefined, boolean]>([
    ['is none if nobody holds it', [['IS_USED_LOCK', [{ id: null }]]], undefined, false],
    ['is none if the server says nothing', [], undefined, false],
    [
      'is not ended while it works',
      [...held, ['PROCESSLIST', [{ TIME_MS: 2_999, TIME: 9 }]]],
      'alive',
      false,
    ],
    ['is ended if it is idle', [...held, ['PROCESSLIST', [{ TIME_MS: 3_000, TIME: 0 }]]], 'deposed', true],
    ['is ended if it is idle for seconds', [...held, ['PROCESSLIST', [{ TIME: 3 }]]], 'deposed', true],
    ['is not ended while it works by seconds', [...held, ['PROCESSLIST', [{ TIME: 2 }]]], 'alive', false],
  ])('%s', async (_, answers, found, isEnded) => {
    const { address, server } = await serverOf(answers)
    expect(await breakNamedLock(address, 'mc:1', 3_000)).toBe(found)
    expect(server.asked[1]).toMatch(/^SELECT IS_USED_LOCK\('model-cache:follow:[0-9a-f]{32}'\) AS id$/)
    if (found !== undefined)
      expect(server.asked[2]).toBe('SELECT * FROM information_schema.PROCESSLIST WHERE ID = 42')
    expect(server.asked.includes('KILL CONNECTION 42')).toBe(isEnded)
    await eventually(() => server.open() === 0)
  })

  it.each<[string, ServerAnswers, string]>([
    [
      'may not be seen',
      held,
      'it has another user, and this one lacks the privilege PROCESS. Give both the same user.',
    ],
    ['may not be ended', [...held, ['PROCESSLIST', [{ TIME: 9 }]], ['KILL', new Error('denied')]], 'denied.'],
  ])('%s', async (_, answers, reason) => {
    const { address, server } = await serverOf(answers)
    await expect(breakNamedLock(address, 'mc:1', 3_000)).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message: `model-cache: cannot end the connection of the follower that does not answer: ${reason}`,
    })
    await eventually(() => server.open() === 0)
  })
})
