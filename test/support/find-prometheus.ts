import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface FoundPrometheus {
  prometheus: string
  promtool: string
  /** For example `2.42.0+ds`. */
  version: string
  /** Where it was found, in words, for people. */
  origin: string
}

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/model-cache/prometheus')

let found: Promise<FoundPrometheus> | undefined

/**
 * Finds a Prometheus to start: `prometheus` and `promtool` on PATH, else those in Debian's package, downloaded once and
 * unpacked, not installed. Throws a message that says how to get one.
 */
export function findPrometheus(): Promise<FoundPrometheus> {
  return (found ??= search())
}

async function search(): Promise<FoundPrometheus> {
  const onPath = await identify('', 'prometheus on PATH').catch(() => undefined)
  if (onPath) return onPath
  try {
    const bin = join(CACHE, 'usr/bin/')
    if (!existsSync(bin)) await download()
    return await identify(bin, "Debian's package prometheus")
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error)
    throw new Error(
      [
        'No Prometheus was found, and its tests do not run without one. Any of these helps:',
        '- put prometheus and promtool (2.42 or later) on PATH: apt-get install prometheus, brew install prometheus',
        '- have apt-get and dpkg-deb, so that the package prometheus can be downloaded. It could not be this time:',
        reason.replace(/^/gm, '    '),
      ].join('\n'),
      { cause: error },
    )
  }
}

async function identify(folder: string, origin: string): Promise<FoundPrometheus> {
  const [prometheus, promtool] = [`${folder}prometheus`, `${folder}promtool`]
  await run(promtool, ['--version'])
  // "prometheus, version 2.42.0+ds (branch: …"; older ones say it on stderr.
  const { stdout, stderr } = await run(prometheus, ['--version'])
  const version = /version (\S+)/.exec(stdout + stderr)?.[1]
  if (!version) throw new Error(`${prometheus} --version answered ${JSON.stringify(stdout + stderr)}`)
  return { prometheus, promtool, version, origin }
}

async function download(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-package-'))
  try {
    // The lists of packages that the machine has may be old, or none, and only root may renew them: so lists of our own.
    await mkdir(join(folder, 'lists/partial'), { recursive: true })
    await mkdir(join(folder, 'archives/partial'), { recursive: true })
    const own = ['-o', `Dir::State::Lists=${folder}/lists`, '-o', `Dir::Cache=${folder}`]
    const unlocked = ['-o', 'Debug::NoLocking=1', '-o', 'APT::Sandbox::User=']
    await run('apt-get', ['update', '-qq', ...own, ...unlocked], { cwd: folder })
    await run('apt-get', ['download', 'prometheus', ...own, ...unlocked], { cwd: folder })
    const file = (await readdir(folder)).find((name) => name.endsWith('.deb'))
    if (!file) throw new Error('apt-get downloaded no package')
    const unpacked = join(folder, 'unpacked')
    await run('dpkg-deb', ['--extract', join(folder, file), unpacked])
    await mkdir(join(CACHE, '..'), { recursive: true })
    // Renamed into place only when it is whole, and on the same file system: two processes may be downloading at the same time.
    const partial = `${CACHE}.${process.pid}`
    await run('cp', ['-R', unpacked, partial])
    await rename(partial, CACHE).catch(() => rm(partial, { recursive: true }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
