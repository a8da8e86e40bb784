import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packages } from '../../scripts/packages.ts'
import { fillOnce } from './fill-once.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Below node_modules, so that dependencies are found. */
const BUILDS = join(ROOT, 'node_modules/.cache/model-cache/library')
/** What a build is made of. */
const SOURCES = [...packages.map(({ folder }) => `${folder}/src`), 'prisma']
const SETTINGS = [
  '.swcrc',
  'package-lock.json',
  'tsconfig.json',
  ...packages.flatMap(({ folder }) => [`${folder}/package.json`, `${folder}/tsconfig.lib.json`]),
  'libs/tsconfig.lib.json',
  'scripts/build-library.ts',
  'scripts/compile.ts',
]
/** Where the packages of a build find each other. */
const MODULES = 'node_modules'
const OUTDATED_MS = 24 * 3_600_000

/**
 * Compiles the packages of libs/ and prisma/ as they are now, once for all tests. Returns the entry point of `model-cache`, for processes that
 * a test starts: those that import `apps/bench/src/harness/import-built.ts` first take these for the packages.
 */
export async function builtLibrary(): Promise<string> {
  return join(await buildOnce('modules', build), MODULES, 'model-cache/dist/esm/index.js')
}

/** The entry point of another package in the build that has this one of `model-cache`. */
export function builtEntry(library: string, specifier: string): string {
  return createRequire(library).resolve(specifier)
}

/** What `npx model-cache` runs, in that build. */
export function builtCommand(library: string): string {
  return join(builtEntry(library, '@model-cache/cli/package.json'), '../dist/esm/main.js')
}

/**
 * Has a folder filled from the library as it is now, once for all tests.
 *
 * @param kind distinguishes what is built
 */
export async function buildOnce(kind: string, fill: (empty: string) => Promise<void>): Promise<string> {
  const folder = join(BUILDS, `${kind}-${await fingerprint()}`)
  await fillOnce(folder, async (empty) => {
    await removeOutdated(empty)
    await fill(empty)
  })
  return folder
}

/** Of all that is compiled. */
async function fingerprint(): Promise<string> {
  const hash = createHash('sha256')
  const listed = await Promise.all(
    SOURCES.map(async (source) => {
      const entries = await readdir(join(ROOT, source), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).map(({ name, parentPath }) => join(parentPath, name))
    }),
  )
  const files = [...listed.flat().toSorted(), ...SETTINGS.map((name) => join(ROOT, name))]
  for (const file of files) {
    if (!file.endsWith('.spec.ts')) hash.update(`${file}\0`).update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Builds of other sources, which no run uses any more. */
async function removeOutdated(own: string): Promise<void> {
  for (const name of await readdir(BUILDS)) {
    const folder = join(BUILDS, name)
    if (folder === own) continue
    // Another process may be removing it.
    const changed = await stat(folder).catch(() => undefined)
    if (changed && Date.now() - changed.mtimeMs > OUTDATED_MS)
      await rm(folder, { recursive: true, force: true })
  }
}

async function build(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await Promise.all([
    compile('prisma', join(folder, 'prisma')),
    ...packages.map(async (one) => {
      const installed = join(folder, MODULES, one.name)
      await compile(`${one.folder}/src`, join(installed, 'dist/esm'))
      await copyFile(join(ROOT, one.folder, 'package.json'), join(installed, 'package.json'))
    }),
  ])
}

async function compile(source: string, target: string): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/compile.ts', source, target], { cwd: ROOT })
}
