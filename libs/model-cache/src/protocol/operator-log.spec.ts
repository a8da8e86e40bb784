import { reasonIn } from './operator-log.js'

it.each([
  ['the last line of an error', new Error('Invalid call in\n  x.ts:7\n\nno answer\n'), 'no answer'],
  ['the message of an error of one line', new Error('no answer'), 'no answer'],
  ['what else was thrown', 'no answer', 'no answer'],
  ['what has no text', undefined, 'undefined'],
])('the reason for a log is %s', (_, error, reason) => {
  expect(reasonIn(error)).toBe(reason)
})
