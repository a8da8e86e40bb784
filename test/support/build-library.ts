import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')

export interface BuiltLibrary {
  /** Its entry point, for processes that a test starts. Those that import `apps/bench/src/harness/import-built.ts` first take it for `model-cache`. */
  entry: string
  remove: () => Promise<void>
}

/** Compiles the library and prisma/ as they are now into a folder of their own, below node_modules so that dependencies are found. */
export async function buildLibrary(): Promise<BuiltLibrary> {
  const folder = await mkdtemp(join(ROOT, 'node_modules/.model-cache-'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await Promise.all([
    // Also the page of the inspector, and the version of the library.
    compile('libs/model-cache/src', folder, '--strip-leading-paths', '--copy-files'),
    cp(join(ROOT, 'libs/model-cache/package.json'), join(folder, 'model-cache/package.json')),
    compile('prisma', folder),
  ])
  return {
    entry: join(folder, 'model-cache/src/index.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function compile(source: string, folder: string, ...options: string[]): Promise<void> {
  const swc = join(ROOT, 'node_modules/.bin/swc')
  const args = [source, '--out-dir', folder, '--ignore', '**/*.spec.ts', ...options]
  await promisify(execFile)(swc, args, { cwd: ROOT })
}
