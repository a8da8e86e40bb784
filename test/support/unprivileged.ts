/** PostgreSQL refuses to run as root, and root is what containers and CI machines often are. */
import { execFile } from 'node:child_process'
import { chown, cp, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface Identity {
  uid: number
  gid: number
}

/** `nobody`, when this process is root; otherwise undefined: run as ourselves. */
export async function unprivilegedIdentity(): Promise<Identity | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const id = async (flag: string) => Number((await promisify(execFile)('id', [flag, 'nobody'])).stdout)
  return { uid: await id('-u'), gid: await id('-g') }
}

/**
 * The folder itself when everybody may enter it, else a copy that belongs to the identity: a clone below root's
 * home, or in a folder that `mktemp -d` made, is closed to anybody else.
 */
export async function accessibleCopy(folder: string, identity: Identity, copy: string): Promise<string> {
  if (await openToAll(folder)) return folder
  await cp(folder, copy, { recursive: true, verbatimSymlinks: true })
  await giveTo(identity, copy)
  return copy
}

/** Makes the identity the owner of a folder, and of all that is in it. */
export async function giveTo({ uid, gid }: Identity, folder: string): Promise<void> {
  await chown(folder, uid, gid)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chown(join(entry.parentPath, entry.name), uid, gid)
  }
}

async function openToAll(path: string): Promise<boolean> {
  const readableAndEnterable = 0o005
  if (((await stat(path)).mode & readableAndEnterable) !== readableAndEnterable) return false
  return enterableByAll(dirname(path))
}

async function enterableByAll(path: string): Promise<boolean> {
  if (((await stat(path)).mode & 0o001) === 0) return false
  return path === dirname(path) || enterableByAll(dirname(path))
}
