import type { Suite } from '../harness/comparison.ts'
import type { Command } from './commands.ts'

/** What `npm run bench` prints: one line for each suite and each command. */
export function usage(suites: readonly Suite[], commands: readonly Command[]): string {
  const width = Math.max(...[...suites, ...commands].map(({ name }) => name.length))
  const line = (name: string, about: string): string => `  ${name.padEnd(width)}  ${about}`
  return [
    'npm run bench -- SUITE [--cluster] [--database NAME] [--json] [--quick] [--only NAME]… [--minutes N | --hours N] [--semi-space MB] [--out FILE] [--skip-build]',
    '',
    ...suites.map(({ name, question }) => line(name, question)),
    '',
    ...commands.map(({ usage }) => `npm run bench -- ${usage}`),
    '',
    ...commands.map(({ name, purpose }) => line(name, purpose)),
    '',
    'chaos --cluster is chaos-cluster: the same checks on a Valkey Cluster, and on Sentinel.',
    'chaos --database mariadb is chaos-mariadb, and chaos --database sqlite is chaos-sqlite.',
    'follow --database mariadb is follow-mariadb.',
    'A full run, without options or of an hour, is stored in apps/bench/results; --out stores any run.',
    'npm run --silent bench -- SUITE --json prints the JSON document alone.',
  ].join('\n')
}
