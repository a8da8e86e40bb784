/**
 * `node scripts/install-parts.ts docs scripts/mutate`: installs what only these folders need, by `npm ci` in each, unless it is installed.
 * They have a package.json of their own and are no workspaces, so that `npm ci` of the root is quick. What a part shares with the root,
 * such as Nest, Prisma and ioredis, it finds in the node_modules above it.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
export const PARTS = [
  'apps/bench/packages',
  'docs',
  'scripts/mutate',
  'scripts/publish',
  'test/integration/stacked',
  'test/package/adoption',
]
/** The bench imports `#prisma/…`, which the package.json of the root defines: one in apps/bench would hide that. */
const LINKED = { 'apps/bench/packages': 'apps/bench/node_modules' } as Readonly<Record<string, string>>

if (import.meta.main) {
  try {
    installParts(...process.argv.slice(2))
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}

/**
 * Prints to stderr alone.
 *
 * @param folders relative to the root
 * @throws Error if npm cannot install
 */
export function installParts(...folders: readonly string[]): void {
  for (const folder of folders.filter((name) => !isInstalled(name))) {
    const { path, lock, stamp, link } = filesOf(folder)
    console.error(`Installing the packages of ${folder} …`)
    const { status } = spawnSync('npm', ['ci', '--prefer-offline', '--loglevel', 'error'], {
      cwd: path,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    })
    if (status !== 0) {
      throw new Error(
        `npm could not install the packages of ${folder}, which \`npm ci\` of the root leaves out. ` +
          `Offline, it needs them in its cache: run \`npm ci\` in ${folder} once with a connection.`,
      )
    }
    if (link) {
      rmSync(link, { force: true })
      symlinkSync(relative(dirname(link), join(path, 'node_modules')), link, 'junction')
    }
    copyFileSync(lock, stamp)
  }
}

/** npm's own record in node_modules is no proof: `npm install --package-lock-only` writes it as well. */
function isInstalled(folder: string): boolean {
  const { lock, stamp, link } = filesOf(folder)
  return existsSync(stamp) && readFileSync(stamp).equals(readFileSync(lock)) && (!link || existsSync(link))
}

function filesOf(folder: string) {
  const path = join(ROOT, folder)
  return {
    path,
    lock: join(path, 'package-lock.json'),
    /** A copy of the lock file that was installed. */
    stamp: join(path, 'node_modules/.installed.json'),
    link: LINKED[folder] && join(ROOT, LINKED[folder]),
  }
}
