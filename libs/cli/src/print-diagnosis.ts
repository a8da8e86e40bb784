import { styleText } from 'node:util'
import type { Diagnosis } from './doctor/doctor.js'
import type { Finding, Severity } from './doctor/finding.js'
import type { Output } from './command.js'

/** The titles of groups of findings, in the order in which they are printed. Others come after them, by the names in their ids. */
const titles: ReadonlyMap<string, string> = new Map([
  ['valkey', 'Valkey'],
  ['caches', 'Caches'],
  ['follow', 'Following'],
  ['postgres', 'PostgreSQL'],
  ['mysql', 'MariaDB or MySQL'],
  ['project', 'Project'],
  ['results', 'Results of queries'],
])

const colours = { error: 'red', warning: 'yellow', note: 'cyan', ok: 'green' } as const satisfies Record<
  Severity,
  string
>

const width = 'warning'.length + 2

/** Prints findings for people, grouped; coloured on a terminal only. */
export function printDiagnosis({ findings, summary }: Diagnosis, { line }: Output): void {
  const groups = Map.groupBy(findings, ({ id }) => id.split('.', 1)[0]!)
  for (const group of new Set([...titles.keys(), ...groups.keys()])) {
    const own = groups.get(group)
    if (!own) continue
    line(styleText('bold', titles.get(group) ?? group))
    for (const finding of own) printFinding(finding, line)
    line('')
  }
  line(`${counted(summary.error, 'error')}, ${counted(summary.warning, 'warning')}`)
}

function printFinding({ found, id, meaning, remedy, severity }: Finding, line: Output['line']): void {
  const label = styleText(colours[severity], severity.padEnd(width))
  const indent = ' '.repeat(width + 2)
  line(`  ${label}${found}${severity === 'ok' ? '' : ` [${id}]`}`)
  if (meaning !== undefined) line(`${indent}${meaning}`)
  if (remedy !== undefined) line(`${indent}${styleText('bold', `-> ${remedy}`)}`)
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
