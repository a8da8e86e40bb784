/**
 * Adds the optional packages of other platforms to the lock files. npm leaves them out if the registry does not have
 * them, and `npm ci` then rejects the lock file on every platform. Run it after `npm install` with such a registry. With
 * --check it changes nothing and fails if packages are missing.
 *
 * Added entries have no integrity hash, because computing it needs the missing package.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PARTS } from './install-parts.ts'

interface Lock {
  packages: Record<string, LockEntry>
}

interface LockEntry {
  version?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const PLATFORM =
  /-(android|darwin|freebsd|linux|openbsd|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64)(?:-(\w+))?$/

for (const folder of ['.', ...PARTS]) complete(join(folder, 'package-lock.json'))

/** @param name of a lock file, relative to the root */
function complete(name: string): void {
  const path = join(import.meta.dirname, '..', name)
  const lock = JSON.parse(readFileSync(path, 'utf8')) as Lock
  const missing = Object.entries(lock.packages).flatMap(([dependent, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([optional]) => !isLocked(lock, optional, dependent))
      .map(([optional, version]) => ({ name: optional, entry: stubOf(optional, version, entry) })),
  )
  if (missing.length === 0) {
    console.log(`${name} is complete.`)
  } else if (process.argv.includes('--check')) {
    console.error(`${name} lacks ${missing.map((stub) => stub.name).join(', ')}.`)
    console.error('npm ci would reject it. Run node scripts/complete-lock.ts')
    process.exitCode = 1
  } else {
    for (const stub of missing) lock.packages[`node_modules/${stub.name}`] = stub.entry
    const inOrder = Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(inOrder) }, null, 2)}\n`)
    console.log(`Added ${missing.length} packages of other platforms to ${name}.`)
  }
}

/** Follows the lookup of Node: the node_modules of the dependent, then of all folders above it. */
function isLocked({ packages }: Lock, name: string, dependent: string): boolean {
  for (
    let folder = dependent;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  ) {
    if (packages[`${folder}/node_modules/${name}`]) return true
    if (!folder.includes('/node_modules/')) return packages[`node_modules/${name}`] !== undefined
  }
}

function stubOf(name: string, version: string, dependent: LockEntry): LockEntry {
  const [, os, cpu, abi] = PLATFORM.exec(name) ?? []
  if (!os || !cpu || !/^\d/.test(version)) {
    throw new Error(
      `The platform of ${name}@${version} is unknown. Install from a registry that has the package.`,
    )
  }
  const libc = os === 'linux' && abi ? { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] } : {}
  return { version, cpu: [cpu], ...(dependent.dev ? { dev: true } : {}), ...libc, optional: true, os: [os] }
}
