/**
 * Checks the packages before publishing: packs those of libs/, runs publint and attw on the tarballs, and installs them into an empty Nest
 * application outside the repository, which must compile and run.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { installParts } from '../install-parts.ts'
import { type Package, packageOf, packages, peersOf } from '../packages.ts'
import { repositoryProblem } from '../repository.ts'

interface Manifest {
  version: string
  repository?: { type?: string; url?: string; directory?: string }
}

const ROOT = join(import.meta.dirname, '../..')
/** publint and attw, and what the root has. */
const BIN = ['scripts/publish', '.'].map((part) => join(ROOT, part, 'node_modules/.bin'))
/** What Prometheus and Grafana load. */
const MONITORING = ['monitoring/alerts.yml', 'monitoring/grafana-dashboard.json']
const EXAMPLE = join(ROOT, 'test/package/example')
const folder = mkdtempSync(join(tmpdir(), 'model-cache-package-'))

try {
  installParts('scripts/publish')
  const tarballs = packages.map((one) => ({ name: one.name, tarball: pack(one) }))
  for (const { name, tarball } of tarballs) {
    heading(`publint and attw: ${name}`)
    run('publint', ['run', tarball, '--strict'])
    if (Object.keys(packageOf(name).entries).length > 0) run('attw', [tarball])
  }
  heading('An empty application')
  const app = install(Object.fromEntries(tarballs.map(({ name, tarball }) => [name, `file:${tarball}`])))
  for (const skipLibCheck of ['true', 'false']) {
    run('tsc', ['--project', app, '--skipLibCheck', skipLibCheck], app)
    console.log(`compiles with skipLibCheck: ${skipLibCheck}`)
  }
  runExample(app)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function pack({ folder: own, name }: Package): string {
  heading(`npm pack: ${name}`)
  // Hides the output of prepack, which would precede the JSON report.
  const quietly = ['--json', '--foreground-scripts=false']
  const report = capture('npm', ['pack', ...quietly, '--pack-destination', folder], join(ROOT, own))
  // npm 11 prints an array, later versions an object by package name.
  const [packed] = Object.values(
    JSON.parse(report) as Record<
      string,
      { filename: string; unpackedSize: number; files: { path: string }[] }
    >,
  )
  if (!packed) throw new Error(`npm pack reported ${report}`)
  const paths = packed.files.map(({ path }) => path)
  const unexpected = paths.filter((path) => /\.spec\.|\.tsbuildinfo$|^src\//.test(path))
  if (unexpected.length > 0) throw new Error(`These files must not be published: ${unexpected.join(', ')}`)
  const problem = repositoryProblem(own, manifestOf(join(ROOT, own)).repository, process.env)
  if (problem) throw new Error(problem)
  const pages = name === 'model-cache' ? [...citedPages(), ...MONITORING] : []
  const missing = pages.filter((path) => !paths.includes(path))
  if (missing.length > 0) throw new Error(`These files are not in the package: ${missing.join(', ')}`)
  const mebibytes = (packed.unpackedSize / 2 ** 20).toFixed(1)
  console.log(`${packed.filename}: ${paths.length} files, ${mebibytes} MiB`)
  return join(folder, packed.filename)
}

/** Pages of docs/ that messages and comments of the packages refer to. */
function citedPages(): string[] {
  const sources = globSync('libs/*/src/**/*.ts', { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  )
  return [...new Set(sources.flatMap((source) => source.match(/docs\/[\w-]+\.md/g) ?? []))]
}

/** Installs the packages with their peer dependencies, types and the compiler, in the versions of this repository. */
function install(tarballs: Readonly<Record<string, string>>): string {
  const app = join(folder, 'app')
  mkdirSync(app)
  cpSync(EXAMPLE, app, { recursive: true })
  const names = [...Object.keys(peersOf(packages)), 'typescript', '@types/node', '@types/pg']
  const installed = names.map((name) => [name, manifestOf(join(ROOT, 'node_modules', name)).version])
  const dependencies = { ...Object.fromEntries(installed), ...tarballs }
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  run('npm', ['install', ...quietly], app)
  return app
}

function runExample(app: string): void {
  run('node', ['entry-points.js'], app)
  run('node', ['without-optional.js'], app)
  run('node', ['event-loop.js'], app)
  run('node', ['inspector.js'], app)
  run('node', ['both-forms.cjs'], app)
  run('npx', ['model-cache', 'print', '--help'], app)
  runSingleFile(app)
  runTwoCopies(app)
  const output = capture('node', ['main.js'], app)
  const expected = readFileSync(join(EXAMPLE, 'expected-output.txt'), 'utf8')
  if (output !== expected) throw new Error(`The example printed\n${output}\ninstead of\n${expected}`)
  console.log(`runs and prints:\n${output.trimEnd()}`)
}

/** Bundles an application with all its packages, and runs it where there are none. */
function runSingleFile(app: string): void {
  // Nest loads these if they are there.
  const optional = ['@nestjs/microservices', '@nestjs/websockets', '@nestjs/platform-*', 'class-*']
  const bundle = join(folder, 'single-file.cjs')
  const options = ['--bundle', '--platform=node', '--log-level=warning', `--outfile=${bundle}`]
  run('esbuild', ['single-file.js', ...options, ...optional.map((name) => `--external:${name}`)], app)
  run('node', [bundle], folder)
}

/** As npm installs them for an application that asks for another version of a package than `model-cache` does. */
function runTwoCopies(app: string): void {
  const { folder: own, name } = packageOf('@model-cache/event-loop')
  const copy = join(app, 'node_modules/model-cache/node_modules', name)
  cpSync(join(app, 'node_modules', name), copy, { recursive: true })
  run('node', ['two-copies.js'], app)
  rmSync(copy, { recursive: true })
  console.log(`names two copies of ${own}`)
}

function heading(text: string): void {
  console.log(`\n--- ${text}`)
}

function run(command: string, args: string[], cwd = ROOT): void {
  execute(command, args, cwd, 'inherit')
}

function capture(command: string, args: string[], cwd: string): string {
  return execute(command, args, cwd, 'pipe')
}

function execute(command: string, args: string[], cwd: string, stdout: 'inherit' | 'pipe'): string {
  const env = { ...process.env, PATH: [...BIN, process.env.PATH].join(delimiter) }
  const shell = process.platform === 'win32'
  const result = spawnSync(command, args, {
    cwd,
    env,
    shell,
    stdio: ['ignore', stdout, 'inherit'],
    encoding: 'utf8',
  })
  if (result.error) throw result.error
  if (result.status === 0) return result.stdout ?? ''
  throw new Error(
    `${command} ${args.join(' ')} failed (exit ${result.signal ?? result.status})\n${result.stdout ?? ''}`,
  )
}

function manifestOf(path: string): Manifest {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest
}
