import { ChangeQueue } from './change-queue.js'
import type { LoggedChange } from './logged-change.js'

const change: LoggedChange = { kind: 'truncate', tables: [] }
const at = (committedAtMs: number, id = 1) => ({ id, committedAtMs })

function newQueue() {
  const calls: string[] = []
  const queue = new ChangeQueue({ pause: () => calls.push('pause'), resume: () => calls.push('resume') })
  return { calls, queue }
}

it('gives the changes of complete transactions together, with the end of the last one and the time of the first', async () => {
  const { queue } = newQueue()
  queue.add(change, at(1, 7))
  queue.commit(10n, at(1, 7))
  queue.add(change, at(2, 8))
  queue.commit(20n, at(2, 8))
  expect(await queue.take(60_000)).toEqual({
    changes: [change, change],
    transactions: new Set([7, 8]),
    position: 20n,
    committedAtMs: 1,
  })
})

it('is empty when what was taken has been worked off, and no earlier', async () => {
  const { queue } = newQueue()
  expect(queue.isEmpty).toBe(true)
  queue.add(change, at(5))
  expect(queue.isEmpty).toBe(false)
  queue.commit(10n, at(5))
  await queue.take(60_000)
  expect([queue.isEmpty, queue.oldestMs]).toEqual([false, 5])
  queue.done()
  expect([queue.isEmpty, queue.oldestMs]).toEqual([true, undefined])
})

it('is not empty with the end of a transaction that has no changes', () => {
  const { queue } = newQueue()
  queue.commit(10n, at(5))
  expect(queue.isEmpty).toBe(false)
})

it('gives nothing of a transaction that is not complete, after the time', async () => {
  const { queue } = newQueue()
  queue.add(change, at(1))
  expect(await queue.take(1)).toBeUndefined()
})

it('has the database wait from 20,000 changes on, until it has given them, before their transaction is complete', async () => {
  const { calls, queue } = newQueue()
  for (let n = 0; n < 19_999; n++) queue.add(change, at(1))
  expect([calls, queue.isPaused]).toEqual([[], false])
  queue.add(change, at(1))
  expect([calls, queue.isPaused]).toEqual([['pause'], true])
  queue.add(change, at(1))
  const taken = await queue.take(60_000)
  expect([taken!.changes.length, taken!.position]).toEqual([20_001, undefined])
  expect([calls, queue.isPaused]).toEqual([['pause', 'resume'], false])
})

it.each(['wake', 'close'] as const)('ends a wait by %s', async (method) => {
  const { queue } = newQueue()
  const taking = queue.take(600_000)
  queue[method]()
  expect(await taking).toBeUndefined()
})

it('ends a wait when a transaction is complete', async () => {
  const { queue } = newQueue()
  const taking = queue.take(600_000)
  queue.add(change, at(1))
  queue.commit(10n, at(1))
  expect((await taking)!.position).toBe(10n)
})

it('does not have a database go on that does not wait', async () => {
  const { calls, queue } = newQueue()
  queue.commit(10n, at(1))
  await queue.take(60_000)
  expect(calls).toEqual([])
})

it('does not wait once it is closed', async () => {
  const { queue } = newQueue()
  queue.close()
  expect(await queue.take(600_000)).toBeUndefined()
})

it('wakes nobody if nobody waits', () => {
  const { queue } = newQueue()
  expect(() => queue.wake()).not.toThrow()
})
