import { runInNewContext } from 'node:vm'
import { isPlain } from './plain.js'

it.each<[string, unknown, boolean]>([
  ['an object literal', { a: 1 }, true],
  ['an object without a prototype', Object.create(null), true],
  ['an object literal of another realm', runInNewContext('({ a: 1 })'), true],
  ['an object that inherits from another one', Object.create({ a: 1 }), false],
  ['a date', new Date(0), false],
  ['a list', [], false],
  ['a text', 'a', false],
  ['null', null, false],
])('says whether %s is a plain object', (_, value, expected) => {
  expect(isPlain(value)).toBe(expected)
})
