/** The packages of libs/, by their package.json. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export interface Package {
  readonly name: string
  /** Relative to the root: `libs/event-loop`. */
  readonly folder: string
  readonly manifest: Manifest
  /** The modules of its entry points below src/, without extension, by what is imported: `nest/index` by `model-cache/nest`. */
  readonly entries: Readonly<Record<string, string>>
  /** The names of the packages of libs/ that it imports. */
  readonly imports: readonly string[]
}

const ROOT = join(import.meta.dirname, '..')
/** Where a build has what is imported, and what `main` runs. */
const BUILT = /^\.?\/?dist\/esm\/(.+)\.js$/

/** Each after those that it imports. */
export const packages: readonly Package[] = inOrder(
  globSync('libs/*/package.json', { cwd: ROOT }).toSorted().map(read),
)

export function packageOf(name: string): Package {
  return packages.find((one) => one.name === name)!
}

/** The module that a file of a build is made of: `cli/main` for `dist/esm/cli/main.js`. */
export function moduleOf(built: string): string {
  return BUILT.exec(built)![1]!
}

/** The ranges of the packages of others that these want to be installed. */
export function peersOf(ours: readonly Package[]): Readonly<Record<string, string>> {
  const peers = ours.flatMap(({ manifest }) => Object.entries(manifest.peerDependencies ?? {}))
  return Object.fromEntries(peers.filter(([name]) => packages.every((one) => one.name !== name)))
}

/** Their source files, relative to the root, by what is imported. */
export function sourcesOfEntries(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    packages.flatMap(({ entries, folder }) =>
      Object.entries(entries).map(([specifier, module]) => [specifier, `${folder}/src/${module}.ts`]),
    ),
  )
}

function read(path: string): Omit<Package, 'imports'> {
  const manifest = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest
  const { exports, name } = manifest
  const entries = Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'string' ? [] : [[name + entry.slice(1), moduleOf(target.default)] as const],
  )
  return { name, manifest, folder: dirname(path).replaceAll(sep, '/'), entries: Object.fromEntries(entries) }
}

function inOrder(found: readonly Omit<Package, 'imports'>[]): Package[] {
  const ordered: Package[] = []
  const add = (one: Omit<Package, 'imports'>): void => {
    const { dependencies = {}, peerDependencies = {} } = one.manifest
    const own = found.filter(({ name }) => name in dependencies || name in peerDependencies)
    for (const imported of own) add(imported)
    if (ordered.every(({ name }) => name !== one.name))
      ordered.push({ ...one, imports: own.map(({ name }) => name) })
  }
  for (const one of found) add(one)
  return ordered
}
