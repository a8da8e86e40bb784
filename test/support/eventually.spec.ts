import { eventually, eventuallyEqual, eventuallyResolves } from './eventually.js'

/** Counts the calls. */
const counter = () => {
  let calls = 0
  return () => ++calls
}

it('waits until a condition is true', async () => {
  const next = counter()
  await eventually(() => next() > 3)
  expect(next()).toBe(5)
})

it('waits until what is read equals what is expected', async () => {
  const next = counter()
  await eventuallyEqual(async () => ({ calls: next() }), { calls: 4 })
  expect(next()).toBe(5)
})

it('tries until an attempt succeeds, and returns its result', async () => {
  const next = counter()
  const attempt = async (): Promise<number> => {
    const calls = next()
    if (calls < 4) throw new Error('too early')
    return calls
  }
  expect(await eventuallyResolves(attempt)).toBe(4)
})

it.each([
  ['is not true', () => eventually(() => [].at(0), 20), /^Not within 20 ms: .*at\(0\)\nIt is undefined\.$/],
  ['is not read', () => eventuallyEqual(() => [1, 2], [1, 3], 20), /\[\s*1,\s*2\s*\][^]*-   3,\n\+   2,/],
  ['does not succeed', () => eventuallyResolves(() => Promise.reject(new Error('no')), 20), /Error: no/],
  ['does not return', () => eventually(() => new Promise(() => {}), 20), /It has not returned/],
])('says what there is instead of what %s', async (_, wait, message) => {
  await expect(wait()).rejects.toThrow(message)
})

it('fails with the error of a condition at once', async () => {
  const next = counter()
  const failing = (): boolean => {
    next()
    throw new Error('stale')
  }
  await expect(eventually(failing)).rejects.toThrow('stale')
  expect(next()).toBe(2)
})
