/** An application of `nest new`, with the packed library in its node_modules, and no registry. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { packages } from '../../../scripts/packages.js'
import { freePort } from '../../support/free-port.js'
import { execute } from '../execute.js'
import { packagesIn } from '../packages-in.js'
import { packedPackages } from '../packed-packages.js'

const ROOT = join(import.meta.dirname, '../../..')
/** Those of the root, which the library and this application share, before those of `nest new` alone. */
const MODULES = [join(ROOT, 'node_modules'), join(import.meta.dirname, 'node_modules')]
const PATH = [...MODULES.map((folder) => join(folder, '.bin')), process.env.PATH].join(delimiter)
/** The files of an application that uses Prisma, and no cache. */
const OWN_FILES = join(import.meta.dirname, 'application')

export interface GeneratedApplication {
  readonly folder: string
  /** Runs a program of its packages with these arguments and variables. @throws Error with what the program printed */
  run(command: string, variables?: Readonly<Record<string, string>>): Promise<void>
  remove(): Promise<void>
}

/** Generates the application with its Prisma client, and installs the library as npm would. */
export async function generateApplication(): Promise<GeneratedApplication> {
  const parent = await mkdtemp(join(tmpdir(), 'model-cache-adoption-'))
  const folder = join(parent, 'shop')
  const options = ['--skip-install', '--skip-git', '--package-manager', 'npm']
  const packed = packedPackages()
  await execute('nest', ['new', 'shop', ...options], parent, { PATH })
  cpSync(OWN_FILES, folder, { recursive: true })
  linkModules(join(folder, 'node_modules'))
  await execute('prisma', ['generate', '--no-hints'], folder)
  for (const [name, tarball] of Object.entries(await packed)) {
    const installed = join(folder, 'node_modules', name)
    mkdirSync(installed, { recursive: true })
    await execute('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed], parent)
  }
  return {
    folder,
    run(command, variables) {
      const [program, ...args] = command.split(' ')
      return execute(program!, args, folder, { ...variables, PATH })
    },
    remove: () => rm(parent, { recursive: true, force: true }),
  }
}

/** Links the packages of this repository, in place of an installation. */
function linkModules(modules: string): void {
  mkdirSync(modules)
  for (const folder of MODULES) {
    for (const name of packagesIn(folder)) {
      if (packages.some((one) => one.name === name) || existsSync(join(modules, name))) continue
      mkdirSync(dirname(join(modules, name)), { recursive: true })
      symlinkSync(join(folder, name), join(modules, name))
    }
  }
}

export interface RunningApplication {
  readonly url: string
  /** What it has logged so far. */
  readonly log: () => string
  /** Ends it as an operator does. Resolves to its exit code, or the signal that ended it. */
  stop(): Promise<number | string>
}

/** Starts the built application on a free port, and waits until it answers. */
export async function startApplication(
  { folder }: GeneratedApplication,
  variables: Readonly<Record<string, string>>,
): Promise<RunningApplication> {
  const port = await freePort()
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', ...variables, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += String(chunk)))
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const url = `http://127.0.0.1:${port}`
  await untilItAnswers(child, `${url}/metrics`, () => log)
  return {
    url,
    log: () => log,
    async stop() {
      child.kill('SIGTERM')
      const [code, signal] = await exited
      return code ?? signal!
    },
  }
}

async function untilItAnswers(child: ChildProcess, url: string, log: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The application has ended:\n${log()}`)
    const isUp = await fetch(url).then(
      (response) => response.ok,
      () => false,
    )
    if (isUp) return
    await sleep(50)
  }
}
