import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildPackages } from '../../scripts/build-library.ts'
import { packages } from '../../scripts/packages.ts'
import { buildOnce } from '../support/build-library.ts'
import { execute } from './execute.ts'

/** Paths by the names of the packages. */
export type Tarballs = Readonly<Record<string, string>>

/** Packs the packages of libs/ as they are now, once for all tests. */
export async function packedPackages(): Promise<Tarballs> {
  const folder = await buildOnce('package', async (empty) => {
    const copyOf = (name: string): string => join(empty, name)
    for (const { folder: name, manifest } of packages) {
      await mkdir(copyOf(name), { recursive: true })
      const { scripts: _, ...published } = manifest as typeof manifest & { scripts: object }
      await writeFile(join(copyOf(name), 'package.json'), JSON.stringify(published))
    }
    // `npx tsc -p .` has checked the types.
    await buildPackages((name) => join(copyOf(name), 'dist'), '--noCheck')
    for (const { folder: name } of packages)
      await execute('npm', ['pack', '--ignore-scripts', '--pack-destination', empty], copyOf(name))
    await rm(copyOf('libs'), { recursive: true })
  })
  return Object.fromEntries(
    packages.map(({ manifest: { name, version } }) => [
      name,
      join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`),
    ]),
  )
}

/** What a package.json depends on to have them. */
export function dependenciesOn(tarballs: Tarballs): Record<string, string> {
  return Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]))
}
