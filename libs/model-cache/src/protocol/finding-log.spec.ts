import { shieldLog } from './operator-log.js'
import { findingLog } from './write/namespace-caches.js'

it('tells operators each time that a server was old or empty, once that it hides when it started, and nothing else', () => {
  const messages: string[] = []
  const log = findingLog('mc', 400, shieldLog({ warn: (message) => messages.push(message) }))
  for (const finding of ['new', 'live'] as const) log(finding)
  expect(messages).toEqual([])
  for (const finding of ['new', 'live', 'unknown', 'old', 'unknown', 'empty', 'live', 'old'] as const)
    log(finding)
  expect(messages.map((message) => /does not say|old data|empty/.exec(message)?.[0])).toEqual([
    'does not say',
    'old data',
    'empty',
    'old data',
  ])
  expect(messages[1]).toContain('stored again in 0.4 s')
})
