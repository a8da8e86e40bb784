import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'

const MODULES = join(import.meta.dirname, '../../../node_modules')

/** Where and when something was measured, and the versions of the packages that took part. */
export interface About {
  readonly node: string
  readonly v8: string
  readonly cpu: string
  readonly date: string
  readonly packages: Readonly<Record<string, string>>
}

export function aboutThis(packages: readonly string[]): About {
  const processors = cpus()
  return {
    node: process.version,
    v8: process.versions.v8,
    cpu: `${processors[0]?.model ?? 'unknown'} × ${processors.length}`,
    date: new Date().toISOString(),
    packages: Object.fromEntries(packages.map((name) => [name, versionOf(name)])),
  }
}

function versionOf(name: string): string {
  const manifest = readFileSync(join(MODULES, name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
