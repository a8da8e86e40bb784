import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildLibrary } from '../../scripts/build-library.ts'
import { execute } from './execute.ts'

const ROOT = join(import.meta.dirname, '../..')
const LIBRARY = join(ROOT, 'libs/model-cache')

/** Packs a build of its own, as other specs may use libs/model-cache/dist meanwhile. Returns the path of the tarball in the folder. */
export async function packLibrary(folder: string): Promise<string> {
  const library = join(folder, 'library')
  mkdirSync(library)
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8')) as {
    scripts: object
    name: string
    version: string
  }
  writeFileSync(join(library, 'package.json'), JSON.stringify(manifest))
  // `npx tsc -p .` has checked the types.
  await buildLibrary(join(library, 'dist'), '--noCheck')
  await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], library)
  return join(folder, `${manifest.name}-${manifest.version}.tgz`)
}
