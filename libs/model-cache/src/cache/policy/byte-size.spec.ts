import { parseBytes } from './byte-size.js'

it.each<[unknown, number]>([
  [0, 0],
  [2_048, 2_048],
  ['0B', 0],
  ['500B', 500],
  ['2kB', 2_000],
  ['1.5MB', 1_500_000],
  ['0.0015kB', 2],
])('reads %p', (size, bytes) => expect(parseBytes(size, 'compress.above')).toBe(bytes))

it.each([undefined, null, -1, 1.5, Infinity, Number.NaN, '2', '2KB', '2 kB', '-1B', 'kB', {}, '1e3B'])(
  'refuses %p',
  (size) =>
    expect(() => parseBytes(size, 'compress.above')).toThrow(
      /"compress.above" is .*; expected bytes, as 2000, '2kB' or '1.5MB'/,
    ),
)
