/** The example application with the lowest, or the highest, versions of all peers that the library declares. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packages, peersOf } from '../../../scripts/packages.ts'
import { execute } from '../execute.ts'
import { dependenciesOn, type Tarballs } from '../packed-packages.ts'

const ROOT = join(import.meta.dirname, '../../..')
const EXAMPLE = join(ROOT, 'test/package/example')

export type Bound = 'floor' | 'ceiling'

/** Compilers that check the declarations of the library: the oldest that it supports, and the newest. */
const compilers = {
  'oldest-typescript': 'npm:typescript@~5.9.0',
  'newest-typescript': 'npm:typescript@latest',
}

export interface BoundApplication {
  readonly folder: string
  /** The versions of the peers that npm installed. */
  readonly versions: Readonly<Record<string, string>>
}

/**
 * Installs the example application.
 *
 * @param folder does not exist yet; outside the repository
 * @throws Error if npm finds no versions that fit together, or installs others than those of the bound
 */
export async function installBound(
  bound: Bound,
  tarballs: Tarballs,
  folder: string,
): Promise<BoundApplication> {
  const peers = Object.entries(peersOf(packages))
  const wanted = peers.map(([name, range]) => [name, boundOf(range, bound)] as const)
  mkdirSync(folder)
  cpSync(EXAMPLE, folder, { recursive: true })
  const dependencies = {
    ...dependenciesOn(tarballs),
    ...Object.fromEntries(wanted),
    ...compilers,
    '@types/node': bound === 'floor' ? '^22.15.0' : 'latest',
    '@types/pg': '^8.0.0',
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  await execute('npm', ['install', '--strict-peer-deps', ...quietly], folder)
  const versions = Object.fromEntries(
    wanted.map(([name, range]) => {
      const version = manifestOf(join(folder, 'node_modules', name)).version!
      const isWanted = bound === 'floor' ? version === range : majorOf(version) === majorOf(range)
      if (!isWanted) throw new Error(`npm installed ${name} ${version} for ${range}`)
      return [name, version]
    }),
  )
  return { folder, versions }
}

/** Compiles the application without checking its types. */
export async function compile({ folder }: BoundApplication): Promise<void> {
  const tsc = join(folder, 'node_modules/oldest-typescript/bin/tsc')
  await execute('node', [tsc, '--project', folder, '--noCheck'], folder)
}

/** Compiles the application, and checks all declarations that it uses. @returns the versions of TypeScript that accept them */
export async function checkTypes(
  { folder }: BoundApplication,
  names: readonly (keyof typeof compilers)[],
): Promise<string[]> {
  for (const name of names) {
    const tsc = join(folder, 'node_modules', name, 'bin/tsc')
    await execute('node', [tsc, '--project', folder, '--skipLibCheck', 'false'], folder)
  }
  return names.map((name) => manifestOf(join(folder, 'node_modules', name)).version!)
}

/**
 * Runs the compiled application.
 *
 * @param node an executable
 * @throws Error if it fails, or prints something else than it has to
 */
export async function runExample({ folder }: BoundApplication, node: string): Promise<void> {
  const { stdout } = await promisify(execFile)(node, ['main.js'], { cwd: folder })
  const expected = readFileSync(join(EXAMPLE, 'expected-output.txt'), 'utf8')
  if (stdout !== expected) throw new Error(`main.js printed\n${stdout}\ninstead of\n${expected}`)
}

/** `11.0.0` or `^12.0.0` of `^11.0.0 || ^12.0.0` */
function boundOf(range: string, bound: Bound): string {
  const majors = range.split('||').map((part) => part.trim())
  return bound === 'floor' ? majors[0]!.replace('^', '') : majors.at(-1)!
}

function majorOf(version: string): string {
  return /\d+/.exec(version)![0]
}

function manifestOf(folder: string): { version?: string; peerDependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
}
