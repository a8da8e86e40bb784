import {
  type ServerAnswer,
  type ServerAnswers,
  answeringPostgres,
  stopAnswering,
} from '../../../../test/support/answering-server.js'
import { eventually } from '../../../../test/support/eventually.js'
import { applicationOf, breakLock, takeAdvisoryLock } from './advisory-lock.js'
import { PostgresLog } from './postgres-log.js'

afterEach(stopAnswering)

const { signal } = new AbortController()
async function serverOf(answers: ServerAnswers) {
  const server = await answeringPostgres(answers)
  return { server, address: { url: `postgres://app:secret@127.0.0.1:${server.port}/shop` } }
}
const optionsOf = (url: string) => ({
  url,
  slot: undefined,
  publication: 'shop',
  replica: undefined,
  primary: undefined,
})

describe('an advisory lock', () => {
  it.each([
    ['is not free', [{ held: false }]],
    ['says nothing', []],
  ])('is asked for until it is taken, also if the server first %s', async (_, first) => {
    const held = [first, [{ held: true }]]
    const { address, server } = await serverOf([['pg_try_advisory_lock', () => held.shift()!]])
    const lock = await takeAdvisoryLock(address, 'mc:1', signal)
    const [named, asked, again] = server.asked
    expect(named).toBe(`SET application_name = '${applicationOf('mc:1')}'`)
    expect(asked).toMatch(/^SELECT pg_try_advisory_lock\(\$1, \$2\) AS held \["-?\d+","-?\d+"\]$/)
    expect([again, server.open()]).toEqual([asked, 1])
    await lock.release()
    await eventually(() => server.open() === 0)
  })

  it('has other numbers for another key', async () => {
    const numbers = new Set<string | undefined>()
    for (const key of ['mc:1', 'mc:2']) {
      const { address, server } = await serverOf([['pg_try_advisory_lock', [{ held: true }]]])
      const lock = await takeAdvisoryLock(address, key, signal)
      numbers.add(server.asked.at(-1))
      await lock.release()
    }
    expect(numbers.size).toBe(2)
  })

  it.each<[string, ServerAnswer, string | undefined]>([
    ['nobody holds it', [], undefined],
    ['its holder is idle', [{ isEnded: true }], 'deposed'],
    ['its holder works', [{ isEnded: false }], 'alive'],
  ])('is taken from its holder if that is idle: %s', async (_, answer, found) => {
    const { address, server } = await serverOf([['pg_terminate_backend', answer]])
    expect(await breakLock(address, 'mc:1', 3_000)).toBe(found)
    const values = JSON.parse(/\[.*\]$/.exec(server.asked[0]!)![0]) as string[]
    // Names of applications have up to 63 characters.
    expect(applicationOf('mc:1').length).toBeLessThan(64)
    expect([values.length, values[2], values[3]]).toEqual([4, applicationOf('mc:1'), '3000'])
    await eventually(() => server.open() === 0)
  })

  it('is not taken from a holder that may not be ended', async () => {
    const { address, server } = await serverOf([['pg_terminate_backend', new Error('denied')]])
    await expect(breakLock(address, 'mc:1', 3_000)).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message: 'model-cache: cannot end the connection of the follower that does not answer: denied.',
    })
    await eventually(() => server.open() === 0)
  })
})

describe('the election of a follower of PostgreSQL', () => {
  it('knows the database', async () => {
    const { address, server } = await serverOf([
      ['pg_try_advisory_lock', [{ held: true }]],
      ['pg_control_system', [{ system: '7', name: 'shop', branch: '' }]],
    ])
    const log = new PostgresLog(optionsOf(address.url))
    expect(log.name).toBe(`127.0.0.1:${server.port}/shop`)
    const leadership = await log.elect('mc:1', signal)
    expect(leadership.database).toBe('postgresql/7/shop')
    await leadership.resign()
    await eventually(() => server.open() === 0)
    expect(await log.depose('mc:1', 3_000)).toBeUndefined()
    expect(server.asked.at(-1)).toContain('pg_terminate_backend')
  })

  it('fails if the server does not say what it is, and gives the lock back', async () => {
    const { address, server } = await serverOf([
      ['pg_try_advisory_lock', [{ held: true }]],
      ['pg_control_system', new Error('no answer')],
    ])
    await expect(new PostgresLog(optionsOf(address.url)).elect('mc:1', signal)).rejects.toThrow('no answer')
    await eventually(() => server.open() === 0)
  })
})
