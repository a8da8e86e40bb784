import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const enoughBytes = 4 * 1024 ** 3
/** Of Linux's `statfs`. */
const tmpfsType = 0x01_02_19_94

/**
 * Makes a folder for the data of a server that makes many files: in memory where there is plenty of it, as a file system on
 * disk takes most of the time of such a server.
 */
export async function makeDataFolder(prefix: string): Promise<string> {
  return mkdtemp(join((await hasMemory()) ? memory : tmpdir(), prefix))
}

async function hasMemory(): Promise<boolean> {
  const system = await statfs(memory).catch(() => undefined)
  return system?.type === tmpfsType && system.bavail * system.bsize >= enoughBytes
}
