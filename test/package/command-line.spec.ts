/** What a shell sees of `npx model-cache`: its standard output, and the exit code. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtCommand, builtLibrary } from '../support/build-library.js'

let main: string
let folder: string
beforeAll(async () => {
  main = builtCommand(await builtLibrary())
})
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-cache-shell-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The end of a pipe that nobody reads. */
function closedPipe(): number {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, 'w')
  closeSync(reader)
  return writer
}

it.each([
  [['--help'], 0],
  [['caches', '--valkey', 'valkey://127.0.0.1:1'], 1],
  [['unknown'], 2],
])('ends with its exit code if nobody reads what %j prints', (args, code) => {
  const closed = closedPipe()
  const { status, signal } = spawnSync(process.execPath, [main, ...args], {
    stdio: ['ignore', closed, closed],
  })
  closeSync(closed)
  expect([status, signal]).toEqual([code, null])
})

it('says nothing of a pipe that is closed', () => {
  const closed = closedPipe()
  const { status, stderr } = spawnSync(process.execPath, [main, '--help'], {
    stdio: ['ignore', closed, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(closed)
  expect([status, stderr]).toEqual([0, ''])
})

it('prints nothing but the definition where the configuration of the project prints something', () => {
  const config = createRequire(import.meta.url).resolve('@prisma/config')
  const packages = /^.*node_modules/.exec(config)![0]
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(packages, '@prisma'), join(folder, 'node_modules/@prisma'))
  const printed = "console.log('injected env'); console.info('and more'); console.debug('still more')"
  writeFileSync(join(folder, 'prisma.config.ts'), `${printed}\nexport default { schema: 'lots.prisma' }`)
  writeFileSync(join(folder, 'lots.prisma'), 'model Lot { id Int @id }')
  const { status, stderr, stdout } = spawnSync(process.execPath, [main, 'print', 'Lot'], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stdout).toMatch(/^import \{ type \} from 'arktype'\n/)
  expect(stderr.split('\n')).toEqual(['injected env', 'and more', 'still more', ''])
  expect(status).toBe(0)
})
