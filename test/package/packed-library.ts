import { mkdir, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildLibrary } from '../../scripts/build-library.ts'
import { buildOnce } from '../support/build-library.ts'
import { execute } from './execute.ts'

const LIBRARY = join(import.meta.dirname, '../../libs/model-cache')

/** Packs the library as it is now, once for all tests. Returns the path of the tarball. */
export async function packedLibrary(): Promise<string> {
  const { scripts: _, ...manifest } = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8')) as {
    scripts: object
    name: string
    version: string
  }
  const folder = await buildOnce('package', async (empty) => {
    const library = join(empty, 'library')
    await mkdir(library)
    await writeFile(join(library, 'package.json'), JSON.stringify(manifest))
    // `npx tsc -p .` has checked the types.
    await buildLibrary(join(library, 'dist'), '--noCheck')
    await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', empty], library)
    await rm(library, { recursive: true })
  })
  return join(folder, `${manifest.name}-${manifest.version}.tgz`)
}
