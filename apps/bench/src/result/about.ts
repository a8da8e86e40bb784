import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../../..')

/** Where, when and of what something was measured, and the versions of the packages that took part. */
export interface About {
  readonly node: string
  readonly v8: string
  /** The processor's name and how many of them there are. */
  readonly cpu: string
  readonly machine: Machine
  readonly date: string
  readonly revision: Revision
  readonly packages: Readonly<Record<string, string>>
}

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly os: string
}

export interface Revision {
  /** Undefined where this is no clone. */
  readonly commit?: string
  /** Whether files were changed since that commit. */
  readonly dirty: boolean
}

export function aboutThis(packages: readonly string[]): About {
  const processors = cpus()
  const cpu = processors[0]?.model ?? 'unknown'
  return {
    node: process.version,
    v8: process.versions.v8,
    cpu: `${cpu} × ${processors.length}`,
    machine: {
      cpu,
      cores: processors.length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      os: `${type()} ${release()}, ${process.arch}`,
    },
    date: new Date().toISOString(),
    revision: revisionOf(ROOT),
    packages: Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
  }
}

function revisionOf(folder: string): Revision {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  const head = git('rev-parse', 'HEAD')
  if (head.status !== 0) return { dirty: false }
  // Results that this run or others have stored are no change of what is measured.
  const changes = git('status', '--porcelain', '--', '.', ':!apps/bench/results', ':!docs', ':!*.md')
  return { commit: head.stdout.trim(), dirty: changes.stdout !== '' }
}

function versionOf(name: string): string {
  const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
