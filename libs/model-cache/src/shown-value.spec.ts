import { showValue, typeOf } from './shown-value.js'

const long = 'x'.repeat(60)

it.each([
  ['a', '"a"', 'a string of 1 characters'],
  [long, `"${long}"`, 'a string of 60 characters'],
  [`${long}y`, `"${long}"… (61 characters)`, 'a string of 61 characters'],
  [1.5, '1.5', 'a number'],
  [0, '0', 'a number'],
  [-0, '-0', '-0'],
  [Number.NaN, 'NaN', 'NaN'],
  [-Infinity, '-Infinity', '-Infinity'],
  [5n, '5n', 'a bigint'],
  [true, 'true', 'a boolean'],
  [undefined, 'undefined', 'undefined'],
  [null, 'null', 'null'],
  [[1, 'secret'], 'an array of 2', 'an array of 2'],
  [new Date(0), '1970-01-01T00:00:00.000Z', 'a Date'],
  [new Date(Number.NaN), 'an invalid Date', 'an invalid Date'],
  [{ password: 'secret' }, 'an object (Object)', 'an object (Object)'],
  [new Map(), 'an object (Map)', 'an object (Map)'],
  [Object.create(null), 'an object (null prototype)', 'an object (null prototype)'],
  [Symbol('one'), 'one', 'a symbol'],
  [Symbol(), 'a symbol', 'a symbol'],
  [isNaN, 'a function (isNaN)', 'a function'],
  [() => 1, 'a function', 'a function'],
])('messages show %p in one short line, without what objects hold: %s', (value, shown, type) => {
  expect([showValue(value), typeOf(value)]).toEqual([shown, type])
})
