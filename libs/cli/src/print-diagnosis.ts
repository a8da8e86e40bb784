import { styleText } from 'node:util'
import type { Diagnosis } from './doctor/doctor.js'
import type { Finding, Severity } from './doctor/finding.js'
import type { Output } from './command.js'

/** The groups of findings by the first part of their ids, in the order in which they are printed. */
const groups: Readonly<Record<string, string>> = {
  valkey: 'Valkey',
  caches: 'Caches',
  follow: 'Following',
  postgres: 'PostgreSQL',
  mysql: 'MariaDB or MySQL',
  project: 'Project',
  results: 'Results of queries',
}

const colours = { error: 'red', warning: 'yellow', note: 'cyan', ok: 'green' } as const satisfies Record<
  Severity,
  string
>

const width = 'warning'.length + 2

/** Prints findings for people, grouped; coloured on a terminal only. */
export function printDiagnosis({ findings, summary }: Diagnosis, { line }: Output): void {
  for (const [group, title] of Object.entries(groups)) {
    const own = findings.filter(({ id }) => id.startsWith(`${group}.`))
    if (own.length === 0) continue
    line(styleText('bold', title))
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
