import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Of the build: it says when the library beside it was built. */
const STAMP = 'benched'

/**
 * Gives a checkout the installed packages of another one. Each is a link, and not the folder as a whole, since npm has
 * links to the workspace's own packages in there, which must lead into the checkout.
 */
export function linkModules(from: string, to: string): void {
  const [source, target] = [join(from, 'node_modules'), join(to, 'node_modules')]
  mkdirSync(target)
  for (const name of readdirSync(source)) {
    if (name === '.cache' || name.startsWith('.model-cache-')) continue
    const path = join(source, name)
    symlinkSync(lstatSync(path).isSymbolicLink() ? readlinkSync(path) : path, join(target, name))
  }
  linkCache(join(source, '.cache/model-cache'), join(target, '.cache/model-cache'))
}

/** Servers that were fetched for tests and bench. */
function linkCache(source: string, target: string): void {
  mkdirSync(target, { recursive: true })
  for (const name of existsSync(source) ? readdirSync(source) : []) {
    if (name !== STAMP) symlinkSync(join(source, name), join(target, name))
  }
}
