/**
 * Prepares what `npm pack` packs, as its `prepack`: a fresh build, so that no file of an earlier one is packed, the pages of docs,
 * and the README. Refuses a version that the changelog does not have.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changesOf } from './changelog.ts'

const ROOT = join(import.meta.dirname, '..')
const LIBRARY = join(ROOT, 'libs/model-cache')

const manifest = readFileSync(join(LIBRARY, 'package.json'), 'utf8')
changesOf(
  (JSON.parse(manifest) as { version: string }).version,
  readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
)

for (const folder of ['dist', 'docs']) rmSync(join(LIBRARY, folder), { recursive: true, force: true })
const { status } = spawnSync('npm run --silent build:library', { cwd: ROOT, stdio: 'inherit', shell: true })
if (status !== 0) process.exit(status ?? 1)

/** What makes a site of the pages, and what its build writes. */
const siteOnly = ['.vitepress', 'reference', 'index.md', '[page].md', '[page].paths.ts']
const unpackedFiles = siteOnly.map((name) => join(ROOT, 'docs', name))
cpSync(join(ROOT, 'docs'), join(LIBRARY, 'docs'), {
  recursive: true,
  filter: (path) => !unpackedFiles.includes(path),
})

/** Links to files that are not packed. */
const unpacked = /\[([^\]]+)\]\((?!docs\/|LICENSE|https:)[^)]+\)/g
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
writeFileSync(join(LIBRARY, 'README.md'), readme.replaceAll(unpacked, '$1'))
