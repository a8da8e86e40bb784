import { suites } from '../suites.ts'
import { all } from './all.ts'
import { compare } from './compare.ts'
import { readme } from './readme.ts'
import { report } from './report.ts'

/** A word that `npm run bench --` takes beside the suites. `run` takes the arguments after the name, and returns the exit code. */
export const commands = [
  {
    name: 'all',
    usage: 'all [--list] [--skip SUITE]… [--quick]',
    purpose:
      'Measures each suite whose stored result is of other sources or of another machine; --list only lists these.',
    run: all,
  },
  {
    name: 'report',
    usage: 'report [--from FOLDER] [--out FILE]',
    purpose: 'Writes all stored results with charts and tables: dist/bench/report.html and report.md.',
    run: report,
  },
  {
    name: 'compare',
    usage: 'compare BASE [SUITE…] [--rounds N] [--threshold PERCENT] [--only NAME]…',
    purpose: 'Runs suites of another revision and of the working tree in turn; exits with 1 on a regression.',
    run: compare,
  },
  {
    name: 'readme',
    usage: 'readme [--check]',
    purpose: 'Writes figures of stored results into README and docs; --check only compares.',
    run: readme,
  },
]

/** What `npm run bench` prints: one line for each suite and each command. */
export function usage(): string {
  const width = Math.max(...[...suites, ...commands].map(({ name }) => name.length))
  const line = (name: string, about: string): string => `  ${name.padEnd(width)}  ${about}`
  return [
    'npm run bench -- SUITE [--cluster] [--database NAME] [--at-rest] [--json] [--quick] [--only NAME]… [--minutes N | --hours N] [--semi-space MB] [--out FILE] [--skip-build]',
    '',
    ...suites.map(({ name, question }) => line(name, question)),
    '',
    ...commands.map(({ usage }) => `npm run bench -- ${usage}`),
    '',
    ...commands.map(({ name, purpose }) => line(name, purpose)),
    '',
    'chaos --cluster is chaos-cluster: the same checks on a Valkey Cluster, and on Sentinel.',
    'chaos --database mariadb is chaos-mariadb, and so with pgbouncer and sqlite.',
    'chaos --at-rest is chaos-at-rest: the same checks while keys of encrypted values are rotated.',
    'follow --database mariadb is follow-mariadb.',
    'A full run, without options or of an hour, is stored in apps/bench/results; --out stores any run.',
    'npm run --silent bench -- SUITE --json prints the JSON document alone.',
  ].join('\n')
}
