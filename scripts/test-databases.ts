/**
 * `npm run test:databases`: runs the tests of databases on each of them, and compares 2,000 random writes and 1,000 reads on each.
 * `npm run test:databases -- mysql sqlite` does so on these. `--writes 20000 --reads 20000` compares more. MYSQL_URL names a server of your own.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { writes: { type: 'string', default: '2000' }, reads: { type: 'string', default: '1000' } },
})

const ROOT = join(import.meta.dirname, '..')
const ALL = ['postgresql', 'mysql', 'mysql-binary', 'sqlite', 'sqlite-shared']
const SPECS = [
  'test/integration/databases/',
  'test/integration/differential/differential.spec.ts',
  'test/integration/differential/reads/reads.spec.ts',
]

/** @returns whether the program has succeeded */
function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean {
  const options = { cwd: ROOT, env: { ...process.env, ...env }, stdio: 'inherit' } as const
  return spawnSync(process.execPath, args, options).status === 0
}

const unknown = positionals.filter((name) => !ALL.includes(name))
if (unknown.length > 0) throw new Error(`There is no database ${unknown.join(', ')}, only ${ALL.join(', ')}.`)

const lines = (positionals.length > 0 ? positionals : ALL).map((name) => {
  console.log(`\n=== ${name} ===`)
  const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--passWithNoTests', ...SPECS]
  const fuzz = (kind: 'writes' | 'reads') => [
    'scripts/fuzz.ts',
    kind,
    '--database',
    name,
    `--${kind}`,
    values[kind],
  ]
  const isPassed = run(jest, { DATABASES: name }) && run(fuzz('writes')) && run(fuzz('reads'))
  if (!isPassed) process.exitCode = 1
  return `${name}: ${isPassed ? 'passed' : 'FAILED'}`
})
console.log(`\n${lines.join('\n')}`)
