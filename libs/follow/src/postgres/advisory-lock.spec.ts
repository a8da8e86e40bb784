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

it('an election fails if the server does not say what it is, and gives the lock back', async () => {
  const { address, server } = await serverOf([
    ['pg_try_advisory_lock', [{ held: true }]],
    ['pg_control_system', new Error('no answer')],
  ])
  const others = { slot: undefined, publication: 'shop', replica: undefined, primary: undefined }
  const log = new PostgresLog({ ...address, ...others })
  await expect(log.elect('mc:1', signal)).rejects.toThrow('no answer')
  await eventually(() => server.open() === 0)
})
