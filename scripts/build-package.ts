/**
 * The `prepack` script of the library: a clean build, and a copy of the pages that messages and comments refer to.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const LIBRARY = join(ROOT, 'libs/model-cache')

for (const folder of ['dist', 'docs']) rmSync(join(LIBRARY, folder), { recursive: true, force: true })
const { status } = spawnSync('npm run --silent build:library', { cwd: ROOT, stdio: 'inherit', shell: true })
if (status !== 0) process.exit(status ?? 1)
const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
for (const page of pages) cpSync(join(ROOT, 'docs', page), join(LIBRARY, 'docs', page))
