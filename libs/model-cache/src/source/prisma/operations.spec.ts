import { isRead } from './operations.js'

it.each<[string, boolean]>([
  ['findUnique', true],
  ['findUniqueOrThrow', true],
  ['findFirst', true],
  ['findFirstOrThrow', true],
  ['findMany', true],
  ['count', true],
  ['aggregate', true],
  ['groupBy', true],
  ['findRaw', true],
  ['aggregateRaw', true],
  ['update', false],
  ['executeRaw', false],
  ['anOperationOfLaterVersions', false],
])('knows whether %s is a read: %s', (action, expected) => {
  expect(isRead(action)).toBe(expected)
})
