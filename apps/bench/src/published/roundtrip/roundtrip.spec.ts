import { intervalsOf, sizeOf } from './roundtrip.ts'

it('v1 sets the load of all candidates at half of its pace', () => {
  const cell = { fixture: 'User', candidate: 'v1', perSecond: 100_000, spread: 0 }
  const cells = [
    { ...cell, operation: 'round trip' as const },
    { ...cell, candidate: 'v2', operation: 'round trip' as const },
  ]
  // 64 round trips of 10 µs take 640 µs.
  expect(intervalsOf(cells)).toEqual({ User: 1_280 })
})

it.each([
  [93, '0.1 kB'],
  [1_090, '1 kB'],
  [990_000, '1 MB'],
])('%d bytes are about %s', (bytes, name) => expect(sizeOf(bytes)).toBe(name))
