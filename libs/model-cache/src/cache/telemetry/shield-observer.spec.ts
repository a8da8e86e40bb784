import { observedEvents, silentObserver, type ModelObserver } from './observer.js'
import { shieldEvents } from './shield-observer.js'

it('hands on each event with its arguments', () => {
  const seen: unknown[] = []
  const silent = silentObserver.forModel('Lot')
  const names = Object.keys(silent) as (keyof ModelObserver)[]
  const observer = Object.fromEntries(
    names.map((name) => [name, (...args: unknown[]) => seen.push([name, ...args])]),
  ) as unknown as ModelObserver
  const shielded = shieldEvents(observer, observedEvents, () => {})
  for (const name of names) (shielded[name] as (...args: unknown[]) => void)('a', 'b', 'c')
  expect(seen).toEqual(names.map((name) => [name, 'a', 'b', 'c']))
})

it('calls each method on its observer', () => {
  const observer = {
    ...silentObserver.forModel('Lot'),
    count: 0,
    audits() {
      this.count++
    },
  }
  shieldEvents<ModelObserver>(observer, observedEvents, () => {}).audits('fresh')
  expect(observer.count).toBe(1)
})

it.each<[string, (outcome: string) => void]>([
  [
    'reports the first error alone, and throws none',
    (outcome) => {
      throw new Error(outcome)
    },
  ],
  ['reports the first error of asynchronous methods', (outcome) => Promise.reject(new Error(outcome))],
])('%s', async (_, audits) => {
  const errors: unknown[] = []
  const observer = { ...silentObserver.forModel('Lot'), audits }
  const shielded = shieldEvents(observer, observedEvents, (error) => errors.push(error))
  shielded.audits('stale')
  shielded.audits('fresh')
  await new Promise(setImmediate)
  expect(errors).toEqual([new Error('stale')])
})
