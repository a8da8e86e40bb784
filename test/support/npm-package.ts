import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface NpmPackage {
  /** What npm is to pack: a name and a version, `axe-core@4.11.0`, or the path of a folder. */
  spec: string
  /** What `npm view SPEC dist.integrity` answers: `sha512-` and a hash in base64. */
  integrity: string
}

/**
 * Downloads a package into an empty folder and unpacks it there; returns the folder of its files. Installs nothing,
 * runs none of its scripts. Throws when it is not the package that was meant.
 */
export async function downloadPackage({ spec, integrity }: NpmPackage, folder: string): Promise<string> {
  await run('npm', ['pack', spec, '--ignore-scripts', '--pack-destination', folder])
  const name = (await readdir(folder)).find((file) => file.endsWith('.tgz'))
  if (!name) throw new Error(`npm downloaded no ${spec}`)
  const archive = join(folder, name)
  const actual = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`
  if (actual !== integrity) throw new Error(`${spec} should have the integrity ${integrity}, not ${actual}`)
  await run('tar', ['-xzf', archive, '--no-same-owner', '-C', folder])
  await rm(archive)
  return join(folder, 'package')
}
