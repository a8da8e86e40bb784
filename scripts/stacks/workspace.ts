/**
 * A copy of this repository with other versions of some packages. All other packages are those of the repository, through symbolic links.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { packagesIn } from '../../test/package/packages-in.ts'
import { packages } from '../packages.ts'

const ROOT = join(import.meta.dirname, '../..')
const COPIED = [
  'apps',
  'docs',
  'libs',
  'prisma',
  'scripts',
  'test',
  '.swcrc',
  'jest.config.js',
  'nest-cli.json',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
]
/** What a build or `npm run generate` writes. */
const WRITTEN = /\/(dist|node_modules|client)$/
/** Where schemas are whose clients tests use. */
const SCHEMAS = ['prisma', 'test/integration']

export interface Workspace {
  /** Runs a command with the programs of the packages first. @throws if it fails */
  run(command: string, ...args: readonly string[]): void
  /** The version of a package that tests import. */
  versionOf(name: string): string
}

/**
 * @param folder is emptied, except for packages that are there in the versions wanted
 * @param versions ranges of the packages that differ, by name
 */
export function createWorkspace(folder: string, versions: Readonly<Record<string, string>>): Workspace {
  const others = join(folder, 'others')
  install(others, versions)
  const copy = join(folder, 'repository')
  rmSync(copy, { recursive: true, force: true })
  for (const name of COPIED) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: (path) => !WRITTEN.test(path) })
  }
  linkPackages(join(copy, 'node_modules'), join(others, 'node_modules'), Object.keys(versions))
  const versionOf = (name: string): string => manifestOf(join(copy, 'node_modules', name)).version
  if (versionOf('prisma').startsWith('6.')) {
    for (const schema of SCHEMAS.flatMap((name) => schemasIn(join(copy, name)))) adaptSchema(schema)
  }
  skipTypes(join(copy, 'libs/tsconfig.lib.json'))
  const env = {
    // Adapters of other databases are those of this repository's Prisma.
    DATABASES: 'postgresql',
    ...process.env,
    PATH: join(copy, 'node_modules/.bin') + delimiter + process.env.PATH,
  }
  return {
    versionOf,
    run(command, ...args) {
      const { status } = spawnSync(command, args, { cwd: copy, env, stdio: 'inherit' })
      if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed (exit ${status})`)
    },
  }
}

function install(folder: string, versions: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true })
  const manifest = JSON.stringify({ private: true, dependencies: versions })
  const path = join(folder, 'package.json')
  if (existsSync(join(folder, 'node_modules')) && readFileSync(path, 'utf8') === manifest) return
  writeFileSync(path, manifest)
  const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  const { status } = spawnSync('npm', ['install', ...quietly], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm could not install ${manifest}`)
}

/** Packages resolve their dependencies from where they are, so a package and those that need it have to be replaced together. */
function linkPackages(folder: string, others: string, replaced: readonly string[]): void {
  const own = join(ROOT, 'node_modules')
  for (const name of packagesIn(own)) {
    const from = replaced.includes(name) ? others : own
    const ofCopy = packages.find((one) => one.name === name)
    const target = ofCopy ? join(folder, '..', ofCopy.folder) : join(from, name)
    mkdirSync(join(folder, name, '..'), { recursive: true })
    symlinkSync(target, join(folder, name))
  }
  mkdirSync(join(folder, '.bin'))
  for (const name of readdirSync(join(own, '.bin'))) {
    const other = join(others, '.bin', name)
    symlinkSync(existsSync(other) ? other : join(own, '.bin', name), join(folder, '.bin', name))
  }
  // Except for the builds of the library, which need the packages of this folder.
  const cache = '.cache/model-cache'
  mkdirSync(join(folder, cache), { recursive: true })
  for (const name of readdirSync(join(own, cache))) {
    if (name !== 'library') symlinkSync(join(own, cache, name), join(folder, cache, name))
  }
}

function schemasIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files.filter((file) => file.endsWith('schema.prisma')).map((file) => join(folder, file))
}

/** Prisma 6 wants an address of the database in the schema, has no partial indexes, and needs `engineType` to run without its Rust engine. */
function adaptSchema(path: string): void {
  const text = readFileSync(path, 'utf8')
    .replace(/("prisma-client(-js)?")\n/, '$1\n  engineType = "client"\n')
    .replace('"postgresql"\n', '"postgresql"\n  url = env("DATABASE_URL")\n')
    .replace(', "partialIndexes"', '')
    .replace(/^(  @@index\(.*\]), where: .*$/m, '$1)')
  writeFileSync(path, text)
}

/** The library that is published was checked with the types of the versions that this repository has. */
function skipTypes(path: string): void {
  const settings = JSON.parse(readFileSync(path, 'utf8')) as { compilerOptions: object }
  writeFileSync(
    path,
    JSON.stringify({ ...settings, compilerOptions: { ...settings.compilerOptions, noCheck: true } }),
  )
}

function manifestOf(folder: string): { version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
}
