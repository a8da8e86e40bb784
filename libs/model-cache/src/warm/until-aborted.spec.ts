import { getEventListeners } from 'node:events'
import { untilAborted } from './pace.js'

const never = new Promise<never>(() => {})

it('returns the outcome of work', async () => {
  const { signal } = new AbortController()
  expect(await untilAborted(Promise.resolve(7), signal)).toBe(7)
  await expect(untilAborted(Promise.reject(new Error('wrong')), signal)).rejects.toThrow('wrong')
})

it('rejects with the reason of a signal that ends first, also if it has ended before', async () => {
  const ending = new AbortController()
  const waiting = untilAborted(never, ending.signal)
  ending.abort(new Error('closed'))
  await expect(waiting).rejects.toThrow('closed')
  await expect(untilAborted(never, ending.signal)).rejects.toThrow('closed')
})

it('ignores how work ends after its signal', async () => {
  const work = Promise.withResolvers<never>()
  await expect(untilAborted(work.promise, AbortSignal.abort(new Error('closed')))).rejects.toThrow('closed')
  work.reject(new Error('too late'))
  await new Promise(setImmediate)
})

it('leaves no listener behind', async () => {
  const { signal } = new AbortController()
  await untilAborted(Promise.resolve(), signal)
  await untilAborted(Promise.reject(new Error('wrong')), signal).catch(() => {})
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
