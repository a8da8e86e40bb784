import { parseArgs } from 'node:util'

/** @throws for unknown options and words */
export function parseOptions(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      cluster: { type: 'boolean', default: false },
      database: { type: 'string', default: 'postgresql' },
      'at-rest': { type: 'boolean', default: false },
      minutes: { type: 'string' },
      hours: { type: 'string' },
      'semi-space': { type: 'string' },
      out: { type: 'string' },
      'skip-build': { type: 'boolean', default: false },
    },
  })
  const [suite, ...others] = positionals
  if (others.length > 0) throw new Error(`Only one suite runs at a time; unexpected "${others.join(' ')}".`)
  const minutes = minutesOf(values)
  const semiSpaceMb = Number(values['semi-space'] ?? 1)
  if (!(Number.isInteger(semiSpaceMb) && semiSpaceMb > 0)) {
    throw new Error(`--semi-space ${values['semi-space']}: expected a whole number of megabytes above 0.`)
  }
  return {
    /** Undefined to list suites and commands. */
    suite: suite === undefined ? undefined : nameOf(suite, values),
    /** Prints one JSON document and nothing else. */
    json: values.json,
    quick: values.quick,
    only: values.only,
    /** False to measure the last build. */
    build: !values['skip-build'],
    ...(values.out !== undefined && { out: values.out }),
    ...(minutes !== undefined && { minutes }),
    ...(values['semi-space'] !== undefined && { semiSpaceMb }),
  }
}

export type Options = ReturnType<typeof parseOptions>

/** Suites that run on other servers, or encrypted, are suites by themselves. */
function nameOf(
  suite: string,
  values: { readonly cluster: boolean; readonly database: string; readonly 'at-rest': boolean },
): string {
  const { 'at-rest': atRest, cluster, database } = values
  const ofDatabase = database === 'postgresql' ? suite : `${suite}-${database}`
  const ofServer = cluster ? `${ofDatabase}-cluster` : ofDatabase
  return atRest ? `${ofServer}-at-rest` : ofServer
}

function minutesOf({ hours, minutes }: { hours?: string; minutes?: string }): number | undefined {
  if (hours !== undefined && minutes !== undefined) throw new Error('Give --hours or --minutes, not both.')
  const [name, text, factor] = hours === undefined ? ['minutes', minutes, 1] : ['hours', hours, 60]
  if (text === undefined) return undefined
  const count = Number(text)
  if (count > 0) return factor * count
  throw new Error(`--${name} ${text}: expected a number of ${name} above 0.`)
}
