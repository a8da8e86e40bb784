/**
 * Adds to package-lock.json the optional packages of other platforms that npm left out because the registry in
 * use does not carry them. `npm ci` refuses a lock file without them, on every platform, also where they would
 * not be installed. Run it after an `npm install` there; with --check it changes nothing and fails instead.
 *
 * An added entry has no integrity hash: it can be had only from the package that is not there.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface LockEntry {
  version?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const LOCK_FILE = join(import.meta.dirname, '../package-lock.json')
const PLATFORM =
  /-(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64)(?:-(\w+))?$/

const lock = JSON.parse(readFileSync(LOCK_FILE, 'utf8')) as { packages: Record<string, LockEntry> }
const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !isLocked(name, path))
    .map(([name, version]) => ({ name, entry: stubOf(name, version, entry) })),
)

if (missing.length === 0) {
  console.log('package-lock.json is complete.')
} else if (process.argv.includes('--check')) {
  console.error(`package-lock.json lacks ${missing.map(({ name }) => name).join(', ')}.`)
  console.error('npm ci would refuse it: run node scripts/complete-lock.ts')
  process.exitCode = 1
} else {
  for (const { name, entry } of missing) lock.packages[`node_modules/${name}`] = entry
  const inOrder = Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  writeFileSync(LOCK_FILE, `${JSON.stringify({ ...lock, packages: Object.fromEntries(inOrder) }, null, 2)}\n`)
  console.log(`Added ${missing.length} packages of other platforms to package-lock.json.`)
}

/** Looks where Node would, in the node_modules of the dependent and of all folders above it. */
function isLocked(name: string, dependent: string): boolean {
  for (
    let folder = dependent;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  ) {
    if (lock.packages[`${folder}/node_modules/${name}`]) return true
    if (!folder.includes('/node_modules/')) return lock.packages[`node_modules/${name}`] !== undefined
  }
}

function stubOf(name: string, version: string, dependent: LockEntry): LockEntry {
  const [, os, cpu, abi] = PLATFORM.exec(name) ?? []
  if (!os || !cpu || !/^\d/.test(version)) {
    throw new Error(
      `Cannot tell which platform ${name}@${version} is for. Install from a registry that has it.`,
    )
  }
  const libc = os === 'linux' && abi ? { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] } : {}
  return { version, cpu: [cpu], ...(dependent.dev ? { dev: true } : {}), ...libc, optional: true, os: [os] }
}
