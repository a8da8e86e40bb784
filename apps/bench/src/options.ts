import { parseArgs } from 'node:util'
import type { RunOptions } from './run-options.ts'

export interface Options extends RunOptions {
  /** Undefined when only the list of suites and commands is wanted. */
  readonly suite: string | undefined
  /** One JSON document on stdout and nothing else. */
  readonly json: boolean
  /** False to measure what was built before. */
  readonly build: boolean
  /** Where the result is stored; undefined for where a result of its kind belongs. */
  readonly out?: string
}

/** @throws when there is an option or a word that nothing knows */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      minutes: { type: 'string' },
      'semi-space': { type: 'string' },
      out: { type: 'string' },
      'skip-build': { type: 'boolean', default: false },
    },
  })
  const [suite, ...others] = positionals
  if (others.length > 0) throw new Error(`One suite at a time: what is "${others.join(' ')}"?`)
  const minutes = Number(values.minutes ?? 1)
  if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: it takes a number of minutes, above 0.`)
  const semiSpaceMb = Number(values['semi-space'] ?? 1)
  if (!(Number.isInteger(semiSpaceMb) && semiSpaceMb > 0)) {
    throw new Error(`--semi-space ${values['semi-space']}: it takes a whole number of megabytes, above 0.`)
  }
  return {
    suite,
    json: values.json,
    quick: values.quick,
    only: values.only,
    build: !values['skip-build'],
    ...(values.out !== undefined && { out: values.out }),
    ...(values.minutes !== undefined && { minutes }),
    ...(values['semi-space'] !== undefined && { semiSpaceMb }),
  }
}
