/** Programs of Debian's packages for machines that lack them: downloaded with apt-get and unpacked, not installed. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fillOnce } from './fill-once.ts'

const run = promisify(execFile)

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/model-cache')

export interface DebianPackage {
  /** The folder of its programs. */
  bin: string
  /** What they need in their environment, to find libraries that the machine has not installed. */
  env: Record<string, string>
}

/** The package, with all it needs that this machine lacks; downloaded on the first call ever. Throws when it is unavailable. */
export async function debianPackage(name: string): Promise<DebianPackage> {
  const folder = join(CACHE, `debian-${name}`)
  await fillOnce(folder, (empty) => download(name, empty))
  return { bin: join(folder, 'usr/bin'), env: { LD_LIBRARY_PATH: (await libraryFolders(folder)).join(':') } }
}

async function download(name: string, target: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'debian-package-'))
  try {
    // The lists of packages that the machine has may be old, or none, and only root may renew them: so lists of our own.
    await mkdir(join(folder, 'lists/partial'), { recursive: true })
    await mkdir(join(folder, 'archives/partial'), { recursive: true })
    const own = ['-o', `Dir::State::Lists=${folder}/lists`, '-o', `Dir::Cache=${folder}`]
    const unlocked = ['-o', 'Debug::NoLocking=1', '-o', 'APT::Sandbox::User=']
    const aptGet = (...args: string[]) =>
      run('apt-get', ['-qq', ...own, ...unlocked, ...args], { cwd: folder })
    await aptGet('update')
    await aptGet('install', '--download-only', '--reinstall', '--no-install-recommends', '--yes', name)
    const archives = join(folder, 'archives')
    const files = (await readdir(archives)).filter((file) => file.endsWith('.deb'))
    if (files.length === 0) throw new Error(`apt-get downloaded no package for ${name}`)
    for (const file of files) await run('dpkg-deb', ['--extract', join(archives, file), target])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** `usr/lib/x86_64-linux-gnu` and its like. */
async function libraryFolders(root: string): Promise<string[]> {
  const folders: string[] = []
  for (const parent of [join(root, 'lib'), join(root, 'usr/lib')]) {
    if (!existsSync(parent)) continue
    const names = await readdir(parent)
    folders.push(...names.filter((name) => name.includes('-linux-')).map((name) => join(parent, name)))
  }
  return folders
}
