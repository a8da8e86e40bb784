/** Installs and runs the applications of this folder, outside the repository, with what npm installs for them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { installNode } from '../../support/install-node.ts'
import { createDatabase, valkeyUrl } from '../../support/servers.ts'
import type { Tarballs } from '../packed-packages.ts'
import { readStack, type Stack, stackFolder } from './stack.ts'

export interface InstalledStack {
  readonly name: string
  readonly stack: Stack
  readonly folder: string
  /** The installed versions of its dependencies. */
  readonly versions: Readonly<Record<string, string>>
}

/** Of one command, such as tests that do not end. */
const LIMIT_MS = 600_000

/** The tarballs have these names in the folder of an application, so that packages of a monorepo can refer to them. */
const tarballOf = (packageName: string): string => `${basename(packageName)}.tgz`

/**
 * Installs an application.
 *
 * @param parent an empty folder outside the repository
 * @param versions other versions than those of its description, by package
 * @throws Error if npm does not find versions that fit together, or if a peer dependency is not met
 */
export async function installStack(
  name: string,
  tarballs: Tarballs,
  parent: string,
  versions: Readonly<Record<string, string>> = {},
): Promise<InstalledStack> {
  const stack = readStack(name)
  const folder = join(parent, 'app')
  if (stack.generate) await run(`npx --yes ${stack.generate}`, parent)
  else mkdirSync(folder)
  for (const file of stack.removes ?? []) rmSync(join(folder, file))
  for (const files of [stack.base, name]) if (files) cpSync(stackFolder(files), folder, { recursive: true })
  rmSync(join(folder, 'stack.json'))
  const { packages = Object.keys(tarballs) } = stack
  const copies = packages.map((name) => {
    copyFileSync(tarballs[name]!, join(folder, tarballOf(name)))
    return [name, `file:${tarballOf(name)}`]
  })
  const manifest = readManifest(folder)
  const own = {
    ...(Object.fromEntries(copies) as Record<string, string>),
    ...stack.dependencies,
    ...versions,
  }
  const others = Object.entries(manifest.devDependencies ?? {}).filter(([dependency]) => !(dependency in own))
  writeManifest(folder, {
    private: true,
    ...manifest,
    dependencies: { ...manifest.dependencies, ...own },
    devDependencies: Object.fromEntries(others),
  })
  // Peer dependencies that do not fit are errors.
  await run('npm install --strict-peer-deps --prefer-offline --no-audit --no-fund --loglevel error', folder)
  for (const command of stack.prepare ?? []) await run(command, folder)
  const installed = Object.keys(own).map((dependency) => [
    dependency,
    readManifest(join(folder, 'node_modules', dependency)).version,
  ])
  return { name, stack, folder, versions: Object.fromEntries(installed) as Record<string, string> }
}

/**
 * Runs the commands of an application on a version of Node, on the servers of this test run.
 *
 * @throws Error if a command fails, or prints something else than it has to
 */
export async function runStack({ folder, stack }: InstalledStack, node: string): Promise<void> {
  const database = await createDatabase()
  const valkey = new Redis(valkeyUrl().replace('valkey:', 'redis:'))
  try {
    await valkey.flushdb()
    await createTables(folder, database.url)
    const bin = node === '26' ? dirname(process.execPath) : installNode(node)
    const variables = { DATABASE_URL: database.url, VALKEY_URL: valkeyUrl() }
    for (const { run: command, prints } of stack.commands) {
      const output = await run(command, folder, { bin, variables })
      const expected = prints?.map((line) => `${line}\n`).join('')
      if (expected !== undefined && output !== expected) {
        throw new Error(`On Node ${node}, ${command} printed\n${output}\ninstead of\n${expected}`)
      }
    }
  } finally {
    await valkey.quit()
    await database.drop()
  }
}

async function createTables(folder: string, url: string): Promise<void> {
  const tables = join(folder, 'prisma/tables.sql')
  if (!existsSync(tables)) return
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(readFileSync(tables, 'utf8'))
  await client.end()
}

interface Surroundings {
  /** The folder of the Node that runs the command. */
  readonly bin: string
  readonly variables: Readonly<Record<string, string>>
}

/** @returns what the command printed on stdout */
async function run(command: string, cwd: string, { bin, variables }: Partial<Surroundings> = {}) {
  // Not what npm puts on PATH for scripts of this repository: the application has to bring what it runs.
  const inherited = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  const paths = [join(cwd, 'node_modules/.bin'), bin ?? dirname(process.execPath), ...inherited]
  const child = spawn(command, {
    cwd,
    env: { ...own(process.env), ...variables, PATH: paths.join(delimiter) },
    shell: true,
    timeout: LIMIT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let log = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += String(chunk)))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0) throw new Error(`${command} failed (exit ${signal ?? code}) in ${cwd}:\n${log}`)
  return output
}

/** Without what npm and Jest tell the processes of this repository. */
function own(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const inherited = Object.entries(variables).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS$|NODE_ENV$|JEST_)/.test(name),
  )
  // Generating a Prisma client never runs an engine, but downloads them unless these name a file.
  const engine = process.execPath
  return {
    ...Object.fromEntries(inherited),
    PRISMA_SCHEMA_ENGINE_BINARY: engine,
    PRISMA_QUERY_ENGINE_LIBRARY: engine,
  }
}

interface Manifest {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

function readManifest(folder: string): Manifest {
  const path = join(folder, 'package.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : {}
}

function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
}
