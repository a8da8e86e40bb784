import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')

export interface BuiltLibrary {
  /** Its entry point, for processes that a test starts. */
  entry: string
  remove: () => Promise<void>
}

/** Compiles the library as it is now into a folder of its own, below node_modules so that it finds its dependencies. */
export async function buildLibrary(): Promise<BuiltLibrary> {
  const folder = await mkdtemp(join(ROOT, 'node_modules/.model-cache-'))
  const swc = join(ROOT, 'node_modules/.bin/swc')
  const args = [
    'libs/model-cache/src',
    '--out-dir',
    folder,
    '--ignore',
    '**/*.spec.ts',
    '--strip-leading-paths',
  ]
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await promisify(execFile)(swc, args, { cwd: ROOT })
  return {
    entry: join(folder, 'model-cache/src/index.js'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
