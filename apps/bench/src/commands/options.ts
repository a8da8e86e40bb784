import { parseArgs } from 'node:util'
import type { RunOptions } from '../harness/suite.ts'

export interface Options extends RunOptions {
  /** Undefined to list suites and commands. */
  readonly suite: string | undefined
  /** Prints one JSON document and nothing else. */
  readonly json: boolean
  /** False to measure the last build. */
  readonly build: boolean
  /** File to store the result in; full runs have a default. */
  readonly out?: string
}

/** @throws for unknown options and words */
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
  if (others.length > 0) throw new Error(`Only one suite runs at a time; unexpected "${others.join(' ')}".`)
  const minutes = Number(values.minutes ?? 1)
  if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: expected a number of minutes above 0.`)
  const semiSpaceMb = Number(values['semi-space'] ?? 1)
  if (!(Number.isInteger(semiSpaceMb) && semiSpaceMb > 0)) {
    throw new Error(`--semi-space ${values['semi-space']}: expected a whole number of megabytes above 0.`)
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
