import { duplicatePackageError } from './errors.js'

interface LoadedPackage {
  readonly name: string
  readonly version: string
  /** Such as `at file:///app/node_modules/model-cache/dist/esm/index.js:7:1`. */
  readonly at: string
}

/** Beside the modules, of which each copy has its own. */
const everywhere = globalThis as { [loadedKey]?: LoadedPackage[] }
const loadedKey: unique symbol = Symbol.for('model-cache.packages')

/**
 * Notes that a package of the library is loaded, for {@link verifyPackages}.
 *
 * @param version undefined in this repository, which has one of each
 * @param error made by the caller, for its place: test runners evaluate one file again, which makes no copy
 */
export function registerPackage(
  name: string,
  version = 'unpublished',
  { stack = '' }: Error,
  loaded: LoadedPackage[] = (everywhere[loadedKey] ??= []),
): void {
  const at = stack.split('\n')[1]?.trim() ?? 'at an unknown place'
  const isKnown = loaded.some((other) => other.name === name && other.version === version && other.at === at)
  if (!isKnown) loaded.push({ name, version, at })
}

/** @throws EventLoopError if a package of the library is loaded twice, or another one has another version */
export function verifyPackages(loaded: readonly LoadedPackage[] = everywhere[loadedKey] ?? []): void {
  const names = [...new Set(loaded.map(({ name }) => name))]
  const versions = new Set(loaded.map(({ version }) => version))
  if (names.length === loaded.length && versions.size <= 1) return
  throw duplicatePackageError(
    loaded.map(({ name, version, at }) => `${name} ${version} ${at}`),
    names,
  )
}

/** Written by scripts/build-library.ts. */
declare const PACKAGE_VERSION: string | undefined
registerPackage(
  '@model-cache/event-loop',
  typeof PACKAGE_VERSION === 'undefined' ? undefined : PACKAGE_VERSION,
  new Error('Here'),
)
