import { Redis } from 'ioredis'
import { ValkeyStore } from 'model-cache/advanced'
import { patientMs } from '../support/patience.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'

const catalogue = 'mc:{catalogue}'
const row = (id: string) => ({ key: `mc:{Lot:0}:${id}:p`, guard: `mc:{Lot:0}:${id}:p:l` })

let server: ValkeyServer
let admin: Redis
let store: ValkeyStore
beforeEach(async () => {
  server = await startValkey()
  admin = new Redis(server.port)
  store = new ValkeyStore({ url: server.url, deadlineMs: patientMs })
  await store.connect()
})
afterEach(async () => {
  await store.close()
  admin.disconnect()
  await server.stop()
})

/** How many scripts run. */
async function scriptsOf(work: () => Promise<unknown>): Promise<number> {
  await admin.config('RESETSTAT')
  await work()
  const stats = await admin.info('commandstats')
  const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].map(([, count]) => Number(count))
  return calls.reduce((sum, count) => sum + count, 0)
}

const fence = (id: string, of = store) =>
  of.fenceMany([row(id)], { token: 'writer', fenceMs: 60_000, markMs: 1_000 })
const ask = (known: string, of = store) => of.askCatalogue(catalogue, { known, isWriter: true })
const describeCache = (field: string) =>
  store.askCatalogue(catalogue, { known: '', isWriter: false, put: new Map([[field, 'text']]) })

/** The version of a catalogue with one cache, which knows of writers. */
async function knownVersion(): Promise<string> {
  await describeCache('Lot:a:p')
  return (await ask('')).version
}

it('asks about the catalogue with a fence of the same turn, in one command', async () => {
  const version = await knownVersion()
  let answer: unknown
  expect(await scriptsOf(async () => ([, answer] = await Promise.all([fence('1'), ask(version)])))).toBe(1)
  const [epoch] = version.split('.')
  expect(answer).toEqual({ epoch, version, nowMs: expect.any(Number), entries: undefined })
  expect(await admin.exists(row('1').guard)).toBe(1)
})

it('answers a question that is asked with a fence of no rows', async () => {
  const version = await knownVersion()
  const channel = '{Lot}:written'
  const announcement = { channel, message: 'fenced' }
  const fenced = store.fenceMany([], { token: 'writer', fenceMs: 60_000, markMs: 1_000, announcement })
  const [isAnnounced, answer] = await Promise.all([fenced, ask(version)])
  expect([isAnnounced, answer.version]).toEqual([true, version])
})

it('tells the same time whether a question is carried or asked alone', async () => {
  const version = await knownVersion()
  const before = await ask(version)
  const [, carried] = await Promise.all([fence('1'), ask(version)])
  const after = await ask(version)
  expect(carried.nowMs).toBeGreaterThanOrEqual(before.nowMs)
  expect(carried.nowMs).toBeLessThanOrEqual(after.nowMs)
})

it('has each fence carry one question, and asks the others alone', async () => {
  const version = await knownVersion()
  const work = () =>
    Promise.all([fence('1'), ask(version), ask(version), fence('2'), ask(version), fence('3'), ask(version)])
  expect(await scriptsOf(work)).toBe(3 + 1)
  expect(await scriptsOf(() => Promise.all([fence('4'), fence('5')]))).toBe(2)
  expect(await scriptsOf(() => ask(version))).toBe(1)
})

it('reads what has changed if the catalogue is not as the writer knows it', async () => {
  const version = await knownVersion()
  await describeCache('Lot:b:p')
  const [, changed] = await Promise.all([fence('1'), ask(version)])
  expect(changed.version).not.toBe(version)
  expect(changed.entries!.map(({ field }) => field).toSorted()).toEqual(['Lot:a:p', 'Lot:b:p'])
})

it.each([
  ['its entries', () => admin.del(catalogue)],
  ['its epoch', () => admin.del(`${catalogue}:epoch`)],
  ['all of it', () => admin.flushall()],
  [
    'a hash in place of its epoch',
    () => admin.multi().del(`${catalogue}:epoch`).hset(`${catalogue}:epoch`, 'a', 'b').exec(),
  ],
  ['text in place of its entries', () => admin.set(catalogue, 'text')],
])('gives the catalogue a new epoch if it has lost %s', async (_, lose) => {
  const version = await knownVersion()
  await lose()
  const [, answer] = await Promise.all([fence('1'), ask(version)])
  expect(answer.epoch).not.toBe(version.split('.')[0])
  expect(answer.entries).toBeDefined()
})

it('asks alone if the fence is refused', async () => {
  const version = await knownVersion()
  await admin.call('ACL', 'SETUSER', 'reader', 'on', '>pw', `~${catalogue}*`, '&*', '+@all')
  const reader = new ValkeyStore({ url: server.url.replace('//', '//reader:pw@'), deadlineMs: patientMs })
  await reader.connect()
  const [fenced, asked] = await Promise.allSettled([fence('1', reader), ask(version, reader)])
  await reader.close()
  expect(fenced).toMatchObject({ status: 'rejected', reason: { code: 'E_STORE_FORBIDDEN' } })
  expect(asked).toMatchObject({ status: 'fulfilled', value: { version } })
})

it('sends a fence of more rows than one script takes by itself', async () => {
  const version = await knownVersion()
  const rows = Array.from({ length: 65 }, (_, id) => row(String(id)))
  const work = () =>
    Promise.all([store.fenceMany(rows, { token: 'writer', fenceMs: 60_000, markMs: 1_000 }), ask(version)])
  expect(await scriptsOf(work)).toBe(2 + 1)
  expect(await admin.exists(rows.map(({ guard }) => guard))).toBe(65)
})

it('leaves the values of the catalogue alone that stand behind the rows in a command', async () => {
  const version = await knownVersion()
  await Promise.all([fence('1'), ask(version)])
  expect(await admin.exists(catalogue, `${catalogue}:epoch`)).toBe(2)
  expect((await ask(version)).version).toBe(version)
})
