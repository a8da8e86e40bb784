import { reasonIn, shieldLog } from './operator-log.js'

it.each([
  ['the last line of an error', new Error('Invalid call in\n  x.ts:7\n\nno answer\n'), 'no answer'],
  ['the message of an error of one line', new Error('no answer'), 'no answer'],
  ['what else was thrown', 'no answer', 'no answer'],
  ['what has no text', undefined, 'undefined'],
])('the reason for a log is %s', (_, error, reason) => {
  expect(reasonIn(error)).toBe(reason)
})

it('handles what a log throws, or rejects with', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  const log = shieldLog({
    async warn() {
      throw new Error('the chat does not answer')
    },
    info() {
      throw new Error('the worker has exited')
    },
  })
  for (const write of [log.warn, log.info]) expect(() => write('Valkey evicts keys.')).not.toThrow()
  await new Promise(setImmediate)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
