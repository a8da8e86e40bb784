import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../../../test/support/eventually.js'
import { Confirmations } from './confirmations.js'

/** A log that takes a confirmation when it is let. */
function newLog() {
  const confirmed: bigint[] = []
  let taking = Promise.resolve()
  const over = new AbortController()
  const confirmations = new Confirmations(
    {
      confirm: (position) => {
        confirmed.push(position)
        return taking
      },
    },
    over.signal,
  )
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    taking = promise
    return resolve
  }
  return { add: (position: bigint) => confirmations.add(position), confirmed, hold, over }
}

it('confirms the last one of the positions that were added meanwhile, and each one once', async () => {
  const { add, confirmed, hold } = newLog()
  const release = hold()
  add(1n)
  add(2n)
  add(3n)
  expect(confirmed).toEqual([1n])
  release()
  await eventually(() => confirmed.length > 1)
  // A timer that was started later ends later.
  await delay(50)
  await delay(50)
  expect(confirmed).toEqual([1n, 3n])
  add(4n)
  expect(confirmed).toEqual([1n, 3n, 4n])
})

it('confirms nothing once it is over', async () => {
  const { add, confirmed, over } = newLog()
  over.abort()
  add(1n)
  expect(confirmed).toEqual([])
})
