import type { Command } from './commands/command.ts'
import type { SuiteEntry } from './suite.ts'

/** What `npm run bench` prints: every suite and every command with one line each. */
export function usage(suites: readonly SuiteEntry[], commands: readonly Command[]): string {
  const width = Math.max(...[...suites, ...commands].map(({ name }) => name.length))
  const line = (name: string, about: string): string => `  ${name.padEnd(width)}  ${about}`
  return [
    'npm run bench -- SUITE [--json] [--quick] [--only NAME]… [--minutes N] [--semi-space MB] [--out FILE] [--skip-build]',
    '',
    ...suites.map(({ name, question }) => line(name, question)),
    '',
    ...commands.map(({ usage }) => `npm run bench -- ${usage}`),
    '',
    ...commands.map(({ name, purpose }) => line(name, purpose)),
    '',
    'A full run, without any of the options above, is stored in apps/bench/results; --out stores any run.',
    'npm prints its own two lines to stdout first; npm run --silent bench -- SUITE --json prints the document alone.',
  ].join('\n')
}
