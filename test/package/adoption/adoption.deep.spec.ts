import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { eventually } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import type { TestDatabase } from '../../support/test-database.js'
import { createDatabase, valkeyUrl } from '../../support/servers.js'
import {
  type GeneratedApplication,
  generateApplication,
  type RunningApplication,
  startApplication,
} from './generated-application.js'
import { addedLines, applyChange, changesOf } from './guide.js'

const ada = '7f1c9e52-8f0a-4c57-9d0e-0d5d1f6a2b11'
const bob = '0c0e5b7e-26c3-4a5f-8a53-5f2c8c2f9d22'

/** Requests whose queries caches answer. */
const answered = [
  `/customers/${ada}`,
  `/customers/${bob}`,
  '/customers/00000000-0000-4000-8000-000000000000',
  '/products?ids=3,1,2,2',
  '/products?ids=2,99',
  '/products/1',
  '/products/99',
  '/products/2/price',
  '/orders/9007199254740993/head',
  '/orders/9007199254740993/lines/2',
  '/orders/2/lines/9',
]
/** Requests whose queries go to the database. */
const bypassed = ['/orders/9007199254740993', '/customers?email=bob%40example.org', '/products/99/price']

let application: GeneratedApplication
let database: TestDatabase
let running: RunningApplication

beforeAll(async () => {
  const valkey = new Redis(valkeyUrl().replace('valkey:', 'redis:'))
  ;[application, database] = await Promise.all([generateApplication(), createDatabase(), valkey.flushdb()])
  await valkey.quit()
  await refill()
})
afterAll(async () => {
  await running?.stop()
  await Promise.all([application?.remove(), database?.drop()])
})

async function refill(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(readFileSync(join(application.folder, 'prisma/tables.sql'), 'utf8'))
  await client.end()
}

const servers = () => ({ DATABASE_URL: database.url, VALKEY_URL: valkeyUrl() })

async function start(variables: Record<string, string> = {}): Promise<void> {
  running = await startApplication(application, { ...servers(), ...variables })
}

/** The scripts `lint`, `test` and `test:e2e` of `nest new`. */
async function lintAndTest(): Promise<void> {
  await application.run('oxlint --type-aware --deny-warnings src/ test/')
  await application.run('vitest run', servers())
  await application.run('vitest run --config ./vitest.config.e2e.ts', servers())
}

/** Status, headers that describe the body, and body. */
async function answerTo(path: string): Promise<readonly unknown[]> {
  const response = await fetch(running.url + path)
  const { status, headers } = response
  return [status, headers.get('content-type'), headers.get('etag'), await response.text()]
}

async function answersTo(paths: readonly string[]): Promise<Record<string, readonly unknown[]>> {
  const answers: Record<string, readonly unknown[]> = {}
  for (const path of paths) answers[path] = await answerTo(path)
  return answers
}

async function patch(path: string, data: object): Promise<string> {
  const response = await fetch(running.url + path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(data),
  })
  return response.text()
}

/** The sum of a counter over all series that have these labels. */
async function counted(metric: string, labels = ''): Promise<number> {
  const text = await (await fetch(`${running.url}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => new RegExp(`^${metric}[ {]`).test(line) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Gives the store of the changed application the deadline of other specs. */
async function bePatient(): Promise<void> {
  const file = join(application.folder, 'src/prisma.module.ts')
  const text = await readFile(file, 'utf8')
  const patient = text.replace('const valkey = {', `const valkey = { deadlineMs: ${patientMs},`)
  expect(patient).not.toBe(text)
  await writeFile(file, patient)
}

/** What the application warns of, but for blocks of its event loop: on a busy machine there are some. */
const warnings = (): string[] =>
  running
    .log()
    .split('\n')
    .filter((line) => line.includes('WARN') && !line.includes('The event loop was blocked'))

it('gives an application of `nest new` cached reads, with fewer than 15 lines', async () => {
  await application.run('nest build')
  await start()
  const before = await answersTo([...answered, ...bypassed])
  expect(Object.values(before).map(([status]) => status)).toEqual([
    200, 200, 404, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 500,
  ])
  expect(await counted('database_queries_total')).toBeGreaterThanOrEqual(answered.length)
  await running.stop()

  const changes = changesOf('Change the application')
  for (const change of changes) applyChange(application.folder, change)
  await bePatient()
  expect(changes.flatMap(addedLines).length).toBeLessThan(15)
  await application.run('nest build')
  await lintAndTest()

  await start()
  expect(await answersTo([...answered, ...bypassed])).toEqual(before)
  await eventually(async () => (await counted('model_cache_prisma_shadow_total')) >= answered.length)
  expect(await counted('model_cache_prisma_shadow_total', 'outcome="different"')).toBe(0)
  expect(await counted('model_cache_prisma_shadow_total', 'outcome="error"')).toBe(0)
  expect(await counted('model_cache_prisma_reads_total', 'outcome="answered"')).toBe(0)
  expect(warnings()).toEqual([])
  expect(await running.stop()).toBe('SIGTERM')

  await start({ CACHED_READS: 'on' })
  expect(await answersTo([...answered, ...bypassed])).toEqual(before)
  const queries = await counted('database_queries_total')
  const hits = await counted('model_cache_reads_total', 'outcome="hit"')
  expect(await answersTo(answered)).toEqual(Object.fromEntries(answered.map((path) => [path, before[path]])))
  expect(await counted('database_queries_total')).toBe(queries)
  expect((await counted('model_cache_reads_total', 'outcome="hit"')) - hits).toBeGreaterThan(0)
  expect(await counted('model_cache_prisma_reads_total', 'outcome="answered"')).toBe(2 * answered.length)

  const customer = await patch(`/customers/${ada}`, { tier: 'STANDARD', born: null })
  expect((await answerTo(`/customers/${ada}`))[3]).toBe(customer)
  expect(customer).toContain('"tier":"STANDARD"')
  await patch('/products?unit=KILOGRAM', { price: '1.25' })
  expect((await answerTo('/products/2/price'))[3]).toBe('{"stock":"-1","price":"1.25"}')
  expect(warnings()).toEqual([])
  expect(await running.stop()).toBe('SIGTERM')
}, 600_000)
