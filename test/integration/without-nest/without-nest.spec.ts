import { execFile, execFileSync } from 'node:child_process'
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { execute } from '../../package/execute.js'
import { dependenciesOn, packedPackages, type Tarballs } from '../../package/packed-packages.js'
import { packagesIn } from '../../package/packages-in.js'
import { builtLibrary } from '../../support/build-library.js'
import { createDemoDatabase } from '../../support/demo-database.js'
import { valkeyUrl } from '../../support/servers.js'
import type { TestDatabase } from '../../support/test-database.js'

const ROOT = join(import.meta.dirname, '../../..')

interface Output {
  readonly name: string
  readonly stored: string
  readonly loadsOfStored: number
  readonly written: readonly string[]
}

let folder: string
let database: TestDatabase
beforeAll(async () => {
  ;[folder, database] = await Promise.all([
    mkdtemp(join(tmpdir(), 'model-cache-worker-')),
    createDemoDatabase(),
  ])
  await install(await packedPackages())
}, 600_000)
afterAll(() => Promise.all([rm(folder, { recursive: true, force: true }), database.drop()]))

/** Installs our packages, with the peers that a worker needs in the versions of this repository, outside of it. */
async function install(tarballs: Tarballs): Promise<void> {
  const versions = ['@prisma/adapter-pg', '@prisma/client', 'ioredis'].map(async (name) => {
    const manifest = await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
    return [name, (JSON.parse(manifest) as { version: string }).version] as const
  })
  const manifest = {
    private: true,
    type: 'module',
    // The client of the demo.
    imports: { '#prisma/*': './prisma/*' },
    dependencies: { ...dependenciesOn(tarballs), ...Object.fromEntries(await Promise.all(versions)) },
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await copyFile(join(import.meta.dirname, 'worker.ts'), join(folder, 'worker.ts'))
  const build = join(dirname(await builtLibrary()), '../../../..')
  await cp(join(build, 'prisma/client'), join(folder, 'prisma/client'), { recursive: true })
  const quietly = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error']
  await execute('npm', ['install', ...quietly], folder)
}

async function run(): Promise<Output> {
  const env = { ...process.env, DATABASE_URL: database.url, VALKEY_URL: valkeyUrl() }
  const args = ['--no-warnings', 'worker.ts']
  const { stderr, stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Output
}

describe('a worker without Nest', () => {
  it('installs nothing of Nest, nor any other optional package, also with the commands', () => {
    const installed = packagesIn(join(folder, 'node_modules'))
    expect(installed).toEqual(
      expect.arrayContaining(['model-cache', '@model-cache/cli', 'ioredis', '@prisma/client']),
    )
    const optional = /^(@nestjs\/|(rxjs|reflect-metadata|arktype|fast-json-stringify|prom-client|mysql2)$)/
    expect(installed.filter((name) => optional.test(name))).toEqual([])
    const command = join(folder, 'node_modules/.bin/model-cache')
    expect(
      execFileSync(command, ['print', 'User', '--schema', join(ROOT, 'prisma/schema.prisma')]).toString(),
    ).toContain('defineModelCache')
  })

  it('reads from Valkey what it has read before, and what it has written from PostgreSQL', async () => {
    const { name, ...read } = await run()
    const written = [`${name}!`, `${name}!`]
    expect(read).toEqual({ stored: name, loadsOfStored: 0, written })
  })
})
