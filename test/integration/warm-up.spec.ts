import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type } from 'arktype'
import { Redis } from 'ioredis'
import { ModelCacheModule, type ModelCacheModuleOptions, modelCaches, ModelCacheWrites } from 'model-cache'
import { Registry } from 'prom-client'
import type { GuestUser, PrismaClient } from '#prisma/client/client.js'
import { builtCommand, builtLibrary } from '../support/build-library.js'
import { eventually, eventuallyEqual } from '../support/eventually.js'
import { patientMs } from '../support/patience.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'
import { openPrisma, start, type Started } from './configuration/application.js'
import { newGate } from './consistency/gates.js'
import { run } from './doctor/command-line.js'

const { defineModelCache } = modelCaches()

/** A Valkey and a PostgreSQL. */
interface Region {
  readonly valkey: ValkeyServer
  readonly admin: Redis
  readonly prisma: PrismaClient
  readonly close: () => Promise<void>
}

async function openRegion(args: string[] = []): Promise<Region> {
  const [valkey, { prisma, close }] = await Promise.all([startValkey({ args }), openPrisma()])
  const admin = new Redis(valkey.port)
  return {
    valkey,
    admin,
    prisma,
    close: async () => {
      admin.disconnect()
      await Promise.all([valkey.stop(), close()])
    },
  }
}

/** What a process asks of its database. */
class Loads {
  /** The ids of each query. */
  readonly queries: (readonly string[])[] = []
  inFlight = 0
  mostInFlight = 0
  isFailing = false
  /** Awaited by each query, once it has its rows. */
  held: Promise<void> | undefined

  readonly guests = defineModelCache<GuestUser>()({
    model: 'GuestUser',
    schema: type({ id: 'string', name: 'string', email: 'string', createdAt: 'Date' }),
    id: 'id',
    ttl: '1h',
    dependsOn: [],
    load: async (client, ids: readonly string[]) => {
      this.queries.push(ids)
      if (this.isFailing) throw new Error('the database is down')
      this.mostInFlight = Math.max(this.mostInFlight, ++this.inFlight)
      const rows = await (client as PrismaClient).guestUser.findMany({ where: { id: { in: [...ids] } } })
      await this.held
      this.inFlight--
      return rows
    },
  })
}

/** Rows of no database. */
const codes = { name: 'Code', model: 'Code', id: 'id', ttl: '1h', dependsOn: [] } as const
const textCodes = defineModelCache<{ id: string }>()({
  ...codes,
  schema: type({ id: 'string' }),
  load: (_, ids: readonly string[]) => ids.map((id) => ({ id })),
})
/** The same cache in an application that numbers its codes. */
const numberedCodes = defineModelCache<{ id: number }>()({
  ...codes,
  schema: type({ id: 'number.integer' }),
  load: (_, ids: readonly number[]) => ids.map((id) => ({ id })),
})

let a: Region
let b: Region
beforeAll(async () => {
  ;[a, b] = await Promise.all([
    openRegion(['--maxmemory-policy', 'allkeys-lfu', '--lfu-log-factor', '0']),
    openRegion(),
  ])
})
afterAll(() => Promise.all([a.close(), b.close()]))

let namespace: string
let running: Started[]
beforeEach(() => {
  namespace = randomUUID()
  running = []
})
afterEach(async () => {
  await Promise.all(running.map(({ app }) => app.close()))
  await Promise.all([a, b].map(({ prisma }) => prisma.guestUser.deleteMany()))
})

type Definition = Parameters<typeof ModelCacheModule.forFeature>[0]

async function startIn(
  { prisma, valkey }: Region,
  definitions: Definition,
  options: Partial<ModelCacheModuleOptions> = {},
): Promise<Started & { readonly registry: Registry }> {
  const registry = new Registry()
  const started = await start([
    ModelCacheModule.forRoot({
      valkey: { url: valkey.url, deadlineMs: patientMs },
      namespace,
      registry,
      prisma,
      writes: 'manual',
      ...options,
    }),
    ModelCacheModule.forFeature(definitions),
  ])
  running.push(started)
  return { ...started, registry }
}

const guestIds = (count: number): string[] => Array.from({ length: count }, (_, i) => `guest:${i}`)

async function createGuests({ prisma }: Region, ids: readonly string[], name: string): Promise<void> {
  await prisma.guestUser.createMany({ data: ids.map((id) => ({ id, name, email: `${id}@example.org` })) })
}

/** Rows with these ids in both regions, which region A has read. */
async function readInA(ids: readonly string[]): Promise<Started> {
  const loads = new Loads()
  await createGuests(a, ids, 'of A')
  await createGuests(b, ids, 'of B')
  const app = await startIn(a, [loads.guests])
  await app.cache(loads.guests).getMany(ids)
  await eventually(async () => (await a.admin.keys(`${namespace}:{GuestUser:*`)).length >= ids.length)
  return app
}

const fromA = (): NonNullable<ModelCacheModuleOptions['warm']> => ({ from: { url: a.valkey.url } })

/** What processes have leased to warm up. */
const warmUps = (): Promise<string[]> => b.admin.keys(`${namespace}:{warm}:*`)

/** Waits for the line that the warm-up of a process ends with. */
async function warmed({ logger }: Started): Promise<string> {
  const last = () => [...logger.logged, ...logger.warned].find((line) => /warmed up|begins cold/i.test(line))
  await eventually(last)
  return last()!
}

async function warmedIds(registry: Registry): Promise<Record<string, number>> {
  const { values } = await registry.getSingleMetric('model_cache_warmed_ids_total')!.get()
  return Object.fromEntries(
    values.map(({ labels, value }) => [`${labels.model} ${labels.result}`, value] as const),
  )
}

describe('a region that warms up at its start', () => {
  it('loads the rows of its own database whose ids the other one reads', async () => {
    const ids = guestIds(5)
    await readInA(ids)
    await b.prisma.guestUser.delete({ where: { id: 'guest:4' } })
    const loads = new Loads()
    const app = await startIn(b, [loads.guests], { warm: fromA() })
    expect(await warmed(app)).toMatch(
      new RegExp(
        `^Warmed up namespace "${namespace}" with 5 ids of namespace "${namespace}" of 127.0.0.1:${a.valkey.port}: ` +
          '4 stored, 0 present, 1 not found, 0 skipped, 0 refused, 0 failed\\.$',
      ),
    )
    expect(loads.queries.map((queried) => queried.toSorted())).toEqual([ids])
    const rows = await app.cache(loads.guests).getMany(ids)
    expect(rows.map((row) => row?.name)).toEqual([...Array<string>(4).fill('of B'), undefined])
    // The one that is gone is a negative entry.
    expect(loads.queries).toHaveLength(1)
    expect(await warmedIds(app.registry)).toEqual({ 'GuestUser stored': 4, 'GuestUser not_found': 1 })
  })

  it('takes those that are read most', async () => {
    const ids = guestIds(6)
    const other = await readInA(ids)
    const cache = other.cache(new Loads().guests)
    for (let i = 0; i < 10; i++) for (const id of ['guest:2', 'guest:5']) await cache.get(id)
    const loads = new Loads()
    const app = await startIn(b, [loads.guests], { warm: { ...fromA(), rows: 2 } })
    expect(await warmed(app)).toContain(': 2 stored, 0 present')
    expect(loads.queries.flat().toSorted()).toEqual(['guest:2', 'guest:5'])
  })

  it('has one query in flight, of a hundred rows at most, and does not load what is stored', async () => {
    const ids = guestIds(250)
    await readInA(ids)
    const first = new Loads()
    const warm = { ...fromA(), perSecond: 2_000 }
    expect(await warmed(await startIn(b, [first.guests], { warm }))).toContain(': 250 stored')
    expect(first.queries.map((queried) => queried.length)).toEqual([100, 100, 50])
    expect(first.mostInFlight).toBe(1)
    // As if the last warm-up were more than an hour ago.
    await b.admin.del(...(await warmUps()))
    const second = new Loads()
    expect(await warmed(await startIn(b, [second.guests], { warm }))).toContain(': 0 stored, 250 present')
    expect(second.queries).toEqual([])
  })

  it('warms up in one of its processes', async () => {
    const ids = guestIds(20)
    await readInA(ids)
    const loads = new Loads()
    const apps = await Promise.all([1, 2, 3].map(() => startIn(b, [loads.guests], { warm: fromA() })))
    // Loggers of Nest are those of the application that was created last.
    const lines = () =>
      apps.flatMap(({ logger }) => logger.logged.filter((line) => /warmed up/i.test(line))).toSorted()
    const other = `Namespace "${namespace}" is not warmed up by this process; another one does, or has within the last hour.`
    await eventuallyEqual(lines, [other, other, expect.stringContaining(': 20 stored')])
    expect(loads.queries.flat()).toHaveLength(20)
  })

  it('stores no row that is written meanwhile', async () => {
    await readInA(['guest:1', 'guest:2'])
    const loads = new Loads()
    const gate = newGate()
    loads.held = gate.pass()
    const app = await startIn(b, [loads.guests], { warm: fromA() })
    await eventually(() => loads.inFlight === 1)
    const unit = app.app.get(ModelCacheWrites).begin()
    unit.markWritten('GuestUser', [{ id: 'guest:1' }])
    await unit.fence()
    gate.open()
    expect(await warmed(app)).toContain(': 1 stored, 0 present, 0 not found, 0 skipped, 1 refused, 0 failed.')
    await b.prisma.guestUser.update({ where: { id: 'guest:1' }, data: { name: 'new' } })
    await unit.end()
    expect((await app.cache(loads.guests).get('guest:1'))?.name).toBe('new')
  })

  it('starts without the other one, and warns', async () => {
    await createGuests(b, ['guest:1'], 'of B')
    const loads = new Loads()
    const app = await startIn(b, [loads.guests], { warm: { from: { url: 'valkey://:secret@127.0.0.1:1' } } })
    expect((await app.cache(loads.guests).get('guest:1'))?.name).toBe('of B')
    const line = await warmed(app)
    expect(line).toMatch(
      /begins cold, as the ids of namespace "\S+" of 127\.0\.0\.1:1 could not be read\. .*ECONNREFUSED.*`npx model-cache warm` does the same later/,
    )
    expect(line).not.toContain('secret')
    // Another process may try again.
    expect(await warmUps()).toEqual([])
  })

  it('needs no more rights there than the page says', async () => {
    await readInA(['guest:1', 'guest:2'])
    const page = readFileSync(join(import.meta.dirname, '../../docs/recipes/regions.md'), 'utf8')
    const [command, ...rules] = /```\n(ACL SETUSER [^`]*)```/.exec(page)![1]!.trim().split(/\s+/)
    await a.admin.call(command!, ...rules.map((rule) => rule.replace('~mc:', `~${namespace}:`)))
    const url = a.valkey.url.replace('//', '//warm:password@')
    const app = await startIn(b, [new Loads().guests], { warm: { from: { url } } })
    expect(await warmed(app)).toContain(': 2 stored')
    expect(await a.admin.call('ACL', 'LOG')).toEqual([])
    await a.admin.call('ACL', 'SETUSER', 'warm', '-object')
    await b.admin.del(...(await warmUps()))
    expect(await warmed(await startIn(b, [new Loads().guests], { warm: { from: { url } } }))).toMatch(
      /OBJECT failed: .*Add \+object/,
    )
  })
})

describe('model-cache warm', () => {
  const toB = (): string[] => ['--valkey', b.valkey.url, '--namespace', namespace]
  const listening = (processes = 1): Promise<void> =>
    eventually(async () => (await b.admin.pubsub('NUMSUB', `${namespace}:{warm}`))[1] === processes)

  it('has a process of the namespace load the rows', async () => {
    const ids = guestIds(3)
    await readInA(ids)
    const loads = new Loads()
    const app = await startIn(b, [loads.guests], { warm: {} })
    await listening()
    expect(loads.queries).toEqual([])
    const { code, output } = await run(['warm', '--from', a.valkey.url, ...toB()])
    expect(output).toMatch(
      new RegExp(
        `^Found 3 ids\\.\nProcess ${process.pid} on \\S+ reads them, 200 a second at most\\.\n` +
          `Warmed up "${namespace}" with 3 ids: 3 stored, 0 present, 0 not found, 0 skipped, 0 refused, 0 failed\\.\n$`,
      ),
    )
    expect(code).toBe(0)
    expect((await app.cache(loads.guests).getMany(ids)).map((row) => row?.name)).toEqual(
      Array(3).fill('of B'),
    )
    expect(loads.queries.map((queried) => queried.length)).toEqual([3])
    const again = await run(['warm', '--json', ...toB()], { FROM_VALKEY_URL: a.valkey.url })
    expect(JSON.parse(again.output)).toEqual({
      version: 1,
      namespace,
      ids: 3,
      counts: { stored: 0, present: 3, not_found: 0, skipped: 0, refused: 0, failed: 0 },
      end: 'done',
    })
  })

  it('has a process of each application load the rows of its caches', async () => {
    await readInA(['guest:1'])
    const codesInA = await startIn(a, [textCodes])
    await codesInA.cache(textCodes).getMany(['c1', 'c2'])
    await eventually(async () => (await a.admin.keys(`${namespace}:{Code:*`)).length >= 2)
    await startIn(b, [new Loads().guests], { warm: {} })
    await startIn(b, [textCodes], { warm: {} })
    await listening(2)
    const { code, output } = await run(['warm', '--from', a.valkey.url, ...toB()])
    expect(output).toMatch(/ reads those of GuestUser, 200 a second at most\.\n/)
    expect(output).toMatch(/ reads those of Code, 200 a second at most\.\n/)
    expect(output).toContain('with 3 ids: 3 stored, 0 present, 0 not found, 0 skipped')
    expect(code).toBe(0)
  })

  it('names caches that no process has', async () => {
    await readInA(['guest:1'])
    await startIn(b, [textCodes], { warm: {} })
    const codesInA = await startIn(a, [textCodes])
    await codesInA.cache(textCodes).get('c1')
    await eventually(async () => (await a.admin.keys(`${namespace}:{Code:*`)).length >= 1)
    await listening()
    const { output } = await run(['warm', '--from', a.valkey.url, ...toB()])
    expect(output).toContain('\nNo process has GuestUser: these ids are skipped.\n')
    expect(output).toContain('with 2 ids: 1 stored, 0 present, 0 not found, 1 skipped')
  })

  it('takes ids of another namespace of the same Valkey', async () => {
    await createGuests(b, ['guest:1'], 'of B')
    const before = await startIn(b, [new Loads().guests], { namespace: `${namespace}-before` })
    await before.cache(new Loads().guests).get('guest:1')
    await startIn(b, [new Loads().guests], { warm: {} })
    await listening()
    const { output } = await run(['warm', '--from', `${namespace}-before`, ...toB()])
    expect(output).toContain('with 1 id: 1 stored')
  })

  it('ends when it is interrupted, and the process loads no more', async () => {
    const ids = guestIds(30)
    await readInA(ids)
    const loads = new Loads()
    await startIn(b, [loads.guests], { warm: {} })
    const main = builtCommand(await builtLibrary())
    const child = spawn(process.execPath, [
      main,
      'warm',
      '--from',
      a.valkey.url,
      '--per-second',
      '2',
      ...toB(),
    ])
    let output = ''
    child.stdout.on('data', (data: Buffer) => (output += data))
    await eventually(() => loads.queries.length > 0)
    child.kill('SIGINT')
    const [code] = await once(child, 'exit')
    expect(output).toMatch(/\nInterrupted: \d+ stored, .* Run the command again to go on/)
    expect(code).toBe(1)
    expect(loads.queries.length).toBeLessThan(15)
  })

  it('stops when it is interrupted before a process has read all', async () => {
    await readInA(guestIds(30))
    const loads = new Loads()
    await startIn(b, [loads.guests], { warm: {} })
    await listening()
    const listeners = process.listenerCount('SIGINT')
    const running = run(['warm', '--from', a.valkey.url, '--per-second', '2', ...toB()])
    await eventually(() => loads.queries.length > 0)
    process.emit('SIGINT')
    const { code, output } = await running
    expect(output).toMatch(/\nInterrupted: \d+ stored, .* Run the command again to go on/)
    expect(code).toBe(1)
    expect(loads.queries.length).toBeLessThan(15)
    expect(process.listenerCount('SIGINT')).toBe(listeners)
  })

  it('fails if the process cannot load rows', async () => {
    await readInA(guestIds(2))
    const loads = new Loads()
    loads.isFailing = true
    await startIn(b, [loads.guests], { warm: {} })
    await listening()
    const { code, output } = await run(['warm', '--from', a.valkey.url, ...toB()])
    expect(output).toContain('with 2 ids: 0 stored, 0 present, 0 not found, 0 skipped, 0 refused, 2 failed.')
    expect(code).toBe(1)
  })

  it.each([
    [
      'fails if all ids are skipped',
      ['c1', 'c2'],
      'nothing in',
      '0 stored, 0 present, 0 not found, 2 skipped',
      1,
    ],
    ['does not fail if some are', ['c1', '2'], '', '1 stored, 0 present, 0 not found, 1 skipped', 0],
  ])('%s', async (_, ids, warmed, counted, expected) => {
    const codesInA = await startIn(a, [textCodes])
    await codesInA.cache(textCodes).getMany(ids)
    await eventually(async () => (await a.admin.keys(`${namespace}:{Code:*`)).length >= 2)
    await startIn(b, [numberedCodes], { warm: {} })
    await listening()
    const { code, output } = await run(['warm', '--from', a.valkey.url, ...toB()])
    expect(output).toMatch(new RegExp(`\\nWarmed up ?${warmed} "${namespace}" with 2 ids: ${counted}, `))
    expect(code).toBe(expected)
  })

  it('prints its progress at each thousand, and the lower one of two rates', async () => {
    const codesInA = await startIn(a, [textCodes])
    await codesInA.cache(textCodes).getMany(Array.from({ length: 1_100 }, (_, i) => `c${i}`))
    await eventually(async () => (await a.admin.keys(`${namespace}:{Code:*`)).length >= 1_100)
    await startIn(b, [textCodes], { warm: { perSecond: 50_000 } })
    await listening()
    const warm = ['warm', '--from', a.valkey.url, ...toB(), '--per-second']
    const { output } = await run([...warm, '100000'])
    expect(output.split('\n')).toEqual([
      'Found 1,100 ids.',
      expect.stringMatching(/ reads them, 50000 a second at most\.$/),
      '1,000: 1,000 stored, 0 present, 0 not found, 0 skipped, 0 refused, 0 failed',
      expect.stringContaining('with 1,100 ids: 1,100 stored'),
      '',
    ])
    expect((await run([...warm, '40000'])).output).toContain(' reads them, 40000 a second at most.')
  })

  it('goes on with another process if one is lost, and says so if there is none', async () => {
    const others = `${namespace}-others`
    const [first, second] = [new Redis(b.valkey.port), new Redis(b.valkey.port)]
    /** Answers for a process that ends at once. */
    const answerOnce = async (client: Redis, own: string): Promise<void> => {
      await client.subscribe(`${own}:{warm}`)
      client.once('message', (_, request: string) => {
        const { replyTo } = JSON.parse(request) as { replyTo: string }
        const self = { host: 'lost', id: 'lost', pid: 7, perSecond: 100, caches: ['GuestUser'] }
        const here = { kind: 'here', process: self }
        void b.admin.publish(replyTo, JSON.stringify(here)).then(() => client.disconnect())
      })
    }
    await readInA(['guest:1'])
    await Promise.all([answerOnce(first, namespace), answerOnce(second, others)])
    const warm = ['warm', '--from', a.valkey.url, '--from-namespace', namespace, '--valkey', b.valkey.url]
    const running = [namespace, others].map((own) => run([...warm, '--namespace', own]))
    await eventually(() => first.status === 'end')
    await startIn(b, [new Loads().guests], { warm: {} })
    const [replaced, lost] = await Promise.all(running)
    expect(replaced!.output.split('\n')).toEqual([
      'Found 1 id.',
      'Process 7 on lost reads them, 100 a second at most.',
      expect.stringContaining(`Process ${process.pid} on `),
      expect.stringContaining('with 1 id: 1 stored'),
      '',
    ])
    expect(replaced!.code).toBe(0)
    expect(lost!.output).toMatch(
      /at most\.\nThe process has ended, and no other answers: 0 stored, .* Run the command again/,
    )
    expect(lost!.code).toBe(1)
  })

  it('says what is missing if no process listens', async () => {
    await readInA(['guest:1'])
    await startIn(b, [new Loads().guests])
    const { code, output } = await run(['warm', '--from', a.valkey.url, ...toB()])
    expect(output).toMatch(/^Found 1 id\.\nNo process of the namespace "\S+" answers\. .*`warm: \{\}`/)
    expect(code).toBe(1)
  })

  it.each([
    [['warm'], 2, /^Usage: model-cache warm/],
    [['warm', '--from', 'shop', '--namespace', 'shop'], 2, /is the namespace "shop" itself\. Name another/],
    [['warm', '--from', 'shop', '--rows', 'all'], 2, /--rows is "all"; expected an integer from 1 to/],
    [['warm', '--from', 'valkey://127.0.0.1:1'], 1, /ECONNREFUSED/],
    [['warm', '--from', 'nobody'], 1, /the namespace "nobody" has no caches/],
  ])('refuses %j', async (args, expected, message) => {
    const { code, errors } = await run([...args, '--valkey', b.valkey.url])
    expect(errors).toMatch(message)
    expect(code).toBe(expected)
  })
})
