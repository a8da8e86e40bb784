import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { say } from './progress.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const SOURCES = ['package-lock.json', 'libs/*/src/**/*.ts', 'prisma/*.prisma', 'prisma/**/*.ts']
const BUILT = ['libs/model-cache/dist/esm/codec/index.js', 'dist/prisma/demo/demo-rows.js']
/** Its age is that of the last successful build from here. */
const STAMP = 'node_modules/.cache/model-cache/benched'

/**
 * Builds the library and the demo's row builders, unless nothing has changed.
 *
 * @throws with the output of the build when it fails
 */
export function buildBenched(): void {
  if (isBuilt()) return
  say('Building the library …')
  const { status, stdout, stderr } = spawnSync('npm run --silent build:library', {
    cwd: ROOT,
    shell: true,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The library does not build:\n${stdout}${stderr}`)
  mkdirSync(join(ROOT, dirname(STAMP)), { recursive: true })
  writeFileSync(join(ROOT, STAMP), '')
}

function isBuilt(): boolean {
  if (![STAMP, ...BUILT].every((path) => existsSync(join(ROOT, path)))) return false
  // The build itself generates the Prisma client.
  const sources = globSync(SOURCES, { cwd: ROOT, exclude: ['prisma/client/**'] })
  const newest = Math.max(...sources.map(ageOf))
  return newest <= ageOf(STAMP) && BUILT.every((path) => ageOf(path) <= ageOf(STAMP))
}

const ageOf = (path: string): number => statSync(join(ROOT, path)).mtimeMs
