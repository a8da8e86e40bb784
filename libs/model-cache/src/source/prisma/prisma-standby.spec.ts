import { setImmediate } from 'node:timers/promises'
import { isOwnQuery } from '../own-queries.js'
import { PrismaStandby } from './prisma-standby.js'

/** A position in the log; null is that of a server that has been promoted. */
type Position = bigint | null
type Answer = Position | Error | Promise<Position>

const primary = 'pg_current_wal_insert_lsn'
const standby = 'pg_last_wal_replay_lsn'

/** Two servers. The standby answers in order, and what it is asked after that aborts the wait. */
function servers(written: Answer, replayed: readonly Answer[], patienceMs?: number) {
  const asked: string[] = []
  const abort = new AbortController()
  const left = [...replayed]
  const clientOf = (answerOf: () => Answer): object => {
    const $queryRawUnsafe = async (sql: string): Promise<readonly object[]> => {
      asked.push([primary, standby].find((name) => isOwnQuery() && sql.includes(name)) ?? sql)
      const answer = answerOf()
      if (answer instanceof Error) throw answer
      return [{ position: await answer }]
    }
    return { _originalClient: { _appliedParent: { $queryRawUnsafe } } }
  }
  const nextAnswer = (): Answer => {
    const answer = left.shift()
    if (answer === undefined) abort.abort()
    return answer === undefined ? 0n : answer
  }
  const region = new PrismaStandby(
    clientOf(() => written),
    clientOf(nextAnswer),
    patienceMs,
  )
  return { abort, asked, passed: () => region.passed(abort.signal) }
}

it.each<[string, boolean, Answer, readonly Answer[], asked?: number]>([
  ['passes once the standby has replayed what the primary had written', true, 10n, [2n, 9n, 10n]],
  ['passes if the standby is further', true, 10n, [11n]],
  ['passes once the standby has been promoted', true, 10n, [2n, null]],
  ['does not pass while the standby is behind', false, 10n, [2n, 9n], 3],
  ['does not pass if the standby cannot be asked', false, 10n, [2n, new Error('lost')]],
  ['does not pass if the primary cannot be asked', false, new Error('lost'), []],
])('%s', async (_, isPassed, written, replayed, times = replayed.length) => {
  const { asked, passed } = servers(written, replayed)
  expect(await passed()).toBe(isPassed)
  expect(asked).toEqual([primary, ...Array<string>(times).fill(standby)])
})

it.each<[string, number | undefined, (abort: AbortController) => void]>([
  ['its patience is over', 0, () => {}],
  ['the wait is aborted', undefined, (abort) => abort.abort()],
])('asks the standby nothing once %s', async (_, patienceMs, prepare) => {
  const { abort, asked, passed } = servers(10n, [10n], patienceMs)
  prepare(abort)
  expect(await passed()).toBe(false)
  expect(asked).toEqual([primary])
})

it('asks the standby one question for all that wait', async () => {
  const { promise, resolve } = Promise.withResolvers<Position>()
  const { asked, passed } = servers(10n, [promise])
  const waiting = Promise.all([passed(), passed()])
  await setImmediate()
  resolve(10n)
  expect(await waiting).toEqual([true, true])
  expect(asked).toEqual([primary, primary, standby])
})
