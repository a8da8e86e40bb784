import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/model-cache')

/** Installs a version of the npm package `node` once, such as `22` or `22.12`. Returns the folder of its executable. */
export function installNode(version: string): string {
  const folder = join(CACHE, `node-${version}`)
  const bin = join(folder, 'node_modules/node/bin')
  if (existsSync(join(bin, 'node'))) return bin
  mkdirSync(folder, { recursive: true })
  // npm must allow the install script, which puts the executable in place.
  const manifest = { private: true, dependencies: { node: version }, allowScripts: { node: true } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund'], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm could not install node@${version}:\n${stderr}`)
  return bin
}
