/**
 * `npm run test:prisma -- CHECKOUT`: runs Prisma's functional tests, of a checkout of prisma/prisma's branch v7, with plain clients, with
 * extended ones, and with extended ones of which each read is compared with a plain one. Nothing is fetched. A test that passes plain has
 * to pass in the other modes, unless `test/prisma-tests/differences.ts` says why it does not.
 *
 * `--database sqlite`, one of postgresql, mysql and sqlite, may be repeated; `--mode compared` likewise; `--only batching` runs tests whose
 * path contains the text.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { differences } from '../test/prisma-tests/differences.ts'
import { startMariadb } from '../test/support/start-mariadb.ts'
import { startPostgres } from '../test/support/postgres-server.ts'

const ROOT = join(import.meta.dirname, '..')
const RESULTS = join(ROOT, 'node_modules/.cache/model-cache/prisma-test-results')
const DATABASES = ['postgresql', 'sqlite', 'mysql']
const MODES = ['plain', 'extended', 'compared']

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    database: { type: 'string', multiple: true, default: ['postgresql', 'sqlite'] },
    mode: { type: 'string', multiple: true, default: MODES },
    only: { type: 'string', default: '' },
    workers: { type: 'string', default: '2' },
  },
})
const TESTS = join(resolve(positionals[0] ?? '.'), 'packages/client/tests/functional')
if (!existsSync(join(TESTS, '_utils'))) {
  throw new Error(
    `There are no tests of Prisma in ${TESTS}. Clone https://github.com/prisma/prisma, branch v7, and pass its path: npm run test:prisma -- ../prisma`,
  )
}
for (const [given, known] of [
  [values.database, DATABASES],
  [values.mode, MODES],
] as const) {
  const unknown = given.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`${unknown} is not one of ${known.join(', ')}.`)
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: 'passed' | 'failed' | 'pending' | 'todo'
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

interface Run {
  /** The failure of each test, or nothing if it passed. */
  readonly tests: ReadonlyMap<string, string | undefined>
  /** How many files have tests that cannot begin, such as those that import packages which are not installed. */
  readonly unread: number
  /** How many reads had each outcome. */
  readonly reads: Readonly<Record<string, number>>
}

mkdirSync(RESULTS, { recursive: true })
for (const database of values.database) {
  const server = await serverOf(database)
  try {
    const plain = values.mode.includes('plain') ? run('plain', database, server.url) : undefined
    for (const mode of values.mode) {
      const found = mode === 'plain' ? plain! : run(mode, database, server.url)
      report(database, mode, found, plain)
    }
  } finally {
    await server.stop()
  }
}

async function serverOf(database: string): Promise<{ url: string; stop(): Promise<unknown> }> {
  if (database === 'sqlite') return { url: '', stop: async () => {} }
  return database === 'mysql' ? startMariadb() : startPostgres()
}

function run(mode: string, database: string, server: string): Run {
  const [results, counts] = ['json', 'counts'].map((kind) => join(RESULTS, `${database}-${mode}.${kind}`))
  for (const path of [results!, counts!]) rmSync(path, { force: true })
  const jest = [
    '--experimental-vm-modules',
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    '--ci',
    '--silent',
    '--json',
    `--config=${join(ROOT, 'test/prisma-tests/jest.config.mjs')}`,
    `--outputFile=${results}`,
    `--maxWorkers=${values.workers}`,
    `--testPathPatterns=${values.only}`,
  ]
  const { status, stderr } = spawnSync(process.execPath, jest, {
    cwd: ROOT,
    env: {
      ...process.env,
      PRISMA_TESTS: TESTS,
      PRISMA_TESTS_COUNTS: counts,
      PRISMA_TESTS_DATABASE: database,
      PRISMA_TESTS_MODE: mode,
      PRISMA_TESTS_SERVER: server,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    maxBuffer: 1 << 30,
    encoding: 'utf8',
  })
  if (!existsSync(results!))
    throw new Error(`Jest has ended with ${status} and without results.\n${stderr.slice(-4_000)}`)
  const { testResults } = JSON.parse(readFileSync(results!, 'utf8')) as Report
  const tests = testResults.flatMap(({ assertionResults, name }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ failureMessages, fullName, status }) => {
        const failure = status === 'passed' ? undefined : failureMessages.join('\n')
        // fast-check adds the seed of a run to the names of its tests.
        const test = fullName.replace(/ \(with seed=-?\d+\)$/, '')
        return [`${relative(TESTS, name)}: ${test}`, failure] as const
      }),
  )
  const unread = testResults.filter(({ assertionResults }) => assertionResults.length === 0).length
  return {
    tests: new Map(tests),
    unread,
    reads: sumOf(existsSync(counts!) ? readFileSync(counts!, 'utf8') : ''),
  }
}

function sumOf(counts: string): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const line of counts.split('\n').filter(Boolean)) {
    for (const [name, count] of Object.entries(JSON.parse(line) as Record<string, number>)) {
      sum[name] = (sum[name] ?? 0) + count
    }
  }
  return sum
}

function report(database: string, mode: string, { reads, tests, unread }: Run, plain: Run | undefined): void {
  const passed = [...tests.values()].filter((failure) => failure === undefined).length
  console.log(`\n=== ${database}, ${mode}: ${passed} of ${tests.size} tests pass ===`)
  if (unread > 0) console.log(`${unread} files cannot be run`)
  if (mode === 'plain') return
  console.log(`reads: ${JSON.stringify(reads)}`)
  if (!reads.answered) {
    console.log('✗ no cache has answered a read, so nothing was tested')
    process.exitCode = 1
  }
  const failed = [...(plain ?? { tests }).tests]
    .filter(([, failure]) => !plain || failure === undefined)
    .map(([name]) => [name, tests.has(name) ? tests.get(name) : 'It has not run.'] as const)
    .filter(([, failure]) => failure !== undefined)
  const explained = failed.filter(([name]) => reasonOf(name, mode) !== undefined)
  console.log(
    `${failed.length} tests that pass plain fail; ${explained.length} of these are known differences`,
  )
  for (const [name, failure] of failed) {
    if (reasonOf(name, mode) === undefined)
      console.log(`\n✗ ${name}\n${failure!.split('\n').slice(0, 30).join('\n')}`)
  }
  if (explained.length < failed.length) process.exitCode = 1
}

function reasonOf(name: string, mode: string): string | undefined {
  return differences.find((known) => known.modes.includes(mode as never) && known.tests.test(name))?.reason
}
