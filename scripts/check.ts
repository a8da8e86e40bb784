/** `npm run check`: all checks of CI, cheapest first. Stops at the first failure. */
import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { PARTS } from './install-parts.ts'

const ROOT = join(import.meta.dirname, '..')

/** Folders of their own tsconfig.json. */
const CHECKED = ['apps/bench', 'docs', 'scripts/mutate', 'test/integration/stacked']

const STEPS: [heading: string, ...commands: string[]][] = [
  ['Format', 'prettier --check .'],
  ['Lint', 'oxlint'],
  ['Lock files', 'node scripts/complete-lock.ts --check'],
  ['Types', 'npm run --silent generate', 'tsc --noEmit'],
  // What `npm ci` of the root leaves out.
  [
    'Parts',
    `node scripts/install-parts.ts ${PARTS.join(' ')}`,
    ...CHECKED.map((folder) => `tsc --noEmit -p ${folder}`),
  ],
  ['Build', 'npm run --silent build'],
  ['Tests', 'npm test --silent', 'npm run test:all --silent'],
  // What each change should pass, and these leave out to be quick.
  [
    'Slow tests',
    'npm run test:deep --silent -- site page-bursts inspector-phone adoption allocations floor bench-suites special-tables',
  ],
  ['Package', 'node scripts/publish/check-package.ts'],
]

const env = { ...process.env, PATH: join(ROOT, 'node_modules/.bin') + delimiter + process.env.PATH }
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

const start = performance.now()
for (const [heading, ...commands] of STEPS) {
  console.log(`\n=== ${heading} ===`)
  const stepStart = performance.now()
  for (const command of commands) {
    const { status, signal } = spawnSync(command, { cwd: ROOT, env, stdio: 'inherit', shell: true })
    if (status !== 0) {
      console.error(`\n${heading} failed after ${seconds(stepStart)}: ${command} (exit ${signal ?? status})`)
      process.exit(status || 1)
    }
  }
  console.log(`${heading}: ${seconds(stepStart)}`)
}
console.log(`\nAll checks passed in ${seconds(start)}.`)
