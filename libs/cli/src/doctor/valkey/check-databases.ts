import type { ListedProcesses } from 'model-cache/internal'
import { fault, type Finding, ok } from '../finding.js'

/** Whether all processes of a namespace read one database. */
export function checkDatabases({ processes }: ListedProcesses, namespace: string): readonly Finding[] {
  const running = processes.filter(({ isRunning }) => isRunning)
  const names = [...new Set(running.map(({ entry }) => entry.name))]
  const hosts = (name: string): string =>
    [...new Set(running.filter(({ entry }) => entry.name === name).map(({ entry }) => entry.host))].join(', ')
  if (names.length < 2)
    return names.map((name) => ok('caches.databases', `The processes of ${namespace} read ${name}.`))
  return [
    fault(
      'error',
      'caches.databases',
      `The processes of ${namespace} read different databases: ${names.map((name) => `${name} on ${hosts(name)}`).join('; ')}.`,
      'They are not served rows of each other, but each removes those of the others from the store. A process that starts is refused.',
      'Give each database a namespace of its own, in ModelCacheModule.forRoot.',
    ),
  ]
}
