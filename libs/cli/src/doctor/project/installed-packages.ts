import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The part of a package.json that is read. */
export interface Manifest {
  readonly version?: string
  readonly engines?: { readonly node?: string }
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** The manifest of a package as a project has installed it; undefined if it has not. */
export function installedManifest(folder: string, name: string): Manifest | undefined {
  for (let current = folder; ; current = dirname(current)) {
    const manifest = readManifest(join(current, 'node_modules', name, 'package.json'))
    if (manifest || dirname(current) === current) return manifest
  }
}

/** The manifest of this library. */
export function ownManifest(): Manifest {
  const path = createRequire(import.meta.url).resolve('model-cache/package.json')
  return readManifest(path) ?? {}
}

function readManifest(path: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch {
    return undefined
  }
}

const combined = ['@nestjs/core', '@prisma/client', 'ioredis'] as const

/** Majors of these that docs/compatibility.md has together. */
const tested: ReadonlySet<string> = new Set(['12 7 6', '12 7 5', '12 6 6', '11 7 6', '11 6 5'])

/**
 * Returns the installed versions of Nest, Prisma and ioredis for people, if each is supported and nothing was tested with all of them.
 *
 * @param versionOf undefined for a package that is not installed
 */
export function untestedCombination(versionOf: (name: string) => string | undefined): string | undefined {
  const versions = combined.map(versionOf)
  if (versions.includes(undefined)) return undefined
  const majors = versions.map((version) => numbersOf(version!)[0]).join(' ')
  if (tested.has(majors)) return undefined
  return combined.map((name, i) => `${name} ${versions[i]}`).join(', ')
}

/** Whether a version is in a range such as `^22.12 || >=24`. @param range of the two forms that this library uses */
export function isInRange(version: string, range: string): boolean {
  const given = numbersOf(version)
  return range.split('||').some((part) => {
    const least = numbersOf(part)
    const isEnough = compare(given, least) >= 0
    return part.trim().startsWith('^') ? isEnough && given[0] === least[0] : isEnough
  })
}

function numbersOf(text: string): number[] {
  const numbers = (/\d+(\.\d+)*/.exec(text)?.[0] ?? '').split('.').map(Number)
  return [0, 1, 2].map((i) => numbers[i] ?? 0)
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, number] of a.entries()) if (number !== b[i]) return number - b[i]!
  return 0
}
