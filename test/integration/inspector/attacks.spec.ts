import { type CanActivate, Controller, type ExecutionContext, Get, Injectable } from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { type } from 'arktype'
import { Redis } from 'ioredis'
import { EventLoopPressureGuard, ModelCacheModule, modelCaches } from 'model-cache'
import { eventually } from '../../support/eventually.js'
import { valkeyUrl } from '../../support/servers.js'
import { pressure } from '../observe/handlers.js'
import { guests, type InspectedApplication, useInspectedApplications } from './inspected-application.js'

const { defineModelCache } = modelCaches()

const world = useInspectedApplications()
const api = '/inspector/api/v1'
const secret = 'only-the-owner-knows'

const messages: string[] = []
let valkey: Redis
beforeAll(async () => {
  valkey = new Redis(valkeyUrl().replace('valkey', 'redis'))
  const subscriber = valkey.duplicate()
  subscriber.on('pmessage', (_pattern, _channel, message: string) => messages.push(message))
  await subscriber.psubscribe(`${world.namespace}*`)
  valkey.on('end', () => subscriber.disconnect())
})
afterAll(() => valkey.quit())

@Controller('shop')
class Shop {
  @Get()
  shop(): string {
    return 'open'
  }
}

const createGuest = (id: string, name = secret) =>
  world.prisma.guestUser.create({ data: { id, name, email: `${secret}@example.org` } })

const rowOf = (app: InspectedApplication, id: string) =>
  app.get(`${api}/row?${new URLSearchParams({ cache: 'GuestUser', id })}`)
const fieldsOf = ({
  json,
}: Awaited<ReturnType<typeof rowOf>>): Record<string, { stored: object; source: object }> =>
  Object.fromEntries(json.comparison.fields.map((field: { name: string }) => [field.name, field]))

/** Reads a row until it is stored. */
async function store({ cache }: InspectedApplication, id: string): Promise<void> {
  await eventually(async () => {
    await cache(guests).get(id)
    return (await cache(guests).explain(id)).stored.isHit
  })
}

describe('values', () => {
  it('are masked by default, and in no message and no line of the log', async () => {
    const app = await world.start({ inspector: { actions: ['invalidate', 'invalidateAll'] } })
    await createGuest('masked')
    await store(app, 'masked')
    const row = await rowOf(app, 'masked')
    expect(row.json.stored.isHit).toBe(true)
    // Its address has it.
    expect(fieldsOf(row).id!.stored).toEqual({ kind: 'text', type: 'string', text: 'masked', isCut: false })
    expect(fieldsOf(row).name).toEqual({
      name: 'name',
      isDifferent: false,
      stored: { kind: 'masked', type: 'string' },
      source: { kind: 'masked', type: 'string' },
    })
    const others = await Promise.all([
      app.get(`${api}/caches`),
      app.get(`${api}/processes`),
      app.post(`${api}/invalidate?cache=GuestUser&id=masked`),
    ])
    for (const { status, text } of [row, ...others]) {
      expect(status).toBe(200)
      expect(text).not.toContain(secret)
    }
    expect(messages).not.toEqual([])
    expect([...messages, ...app.logged].filter((text) => text.includes(secret))).toEqual([])
  })

  it('are shown if `show` names their fields', async () => {
    const app = await world.start({ inspector: { show: { GuestUser: ['name'] } } })
    await createGuest('shown', 'Ada')
    const { email, name } = fieldsOf(await rowOf(app, 'shown'))
    expect(name!.source).toEqual({ kind: 'text', type: 'string', text: 'Ada', isCut: false })
    expect(email!.source).toEqual({ kind: 'masked', type: 'string' })
  })

  it('are text, whatever they contain', async () => {
    const app = await world.start({ inspector: { show: ['name'] } })
    const script = '"><script>alert(1)</script>\u2028</textarea>'
    await createGuest(script, script)
    const row = await rowOf(app, script)
    expect(row.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(row.headers.get('x-content-type-options')).toBe('nosniff')
    expect(row.json.id).toBe(script)
    expect(fieldsOf(row).name!.source).toMatchObject({ text: script })
    const query = `?${new URLSearchParams({ id: script })}`
    expect((await app.get(`/inspector${query}`)).text).toBe((await app.get('/inspector')).text)
    expect((await app.get(`/inspector/${encodeURIComponent(script)}`)).text).not.toContain('script')
  })

  it('of a huge row are cut', async () => {
    const app = await world.start({ inspector: { show: { GuestUser: '*' } } })
    await createGuest('huge', '<'.repeat(10_000_000))
    const row = await rowOf(app, 'huge')
    expect(fieldsOf(row).name!.source).toEqual({
      kind: 'text',
      type: 'string',
      text: '<'.repeat(2_000),
      isCut: true,
    })
    expect(row.text.length).toBeLessThan(10_000)
  })
})

describe('actions', () => {
  @Injectable()
  class EverybodyIsAda implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
      context.switchToHttp().getRequest<{ user?: object }>().user = {
        email: 'ada@example.org\nInspector: forged',
      }
      return true
    }
  }
  const isStored = async (app: InspectedApplication) =>
    (await app.cache(guests).explain('acted')).stored.isHit

  it('are refused by default', async () => {
    const app = await world.start()
    await createGuest('acted', 'Ada')
    await store(app, 'acted')
    for (const target of ['id=acted', 'lookup=named&key=Ada', 'all=true']) {
      const { json, status } = await app.post(`${api}/invalidate?cache=GuestUser&${target}`)
      expect([status, json.error.code]).toEqual([403, 'action_not_allowed'])
    }
    expect(await isStored(app)).toBe(true)
    expect(app.logged).not.toContainEqual(expect.stringContaining('Inspector: '))
  })

  it('that are allowed invalidate a row, an entry or all rows, and the log says who did it', async () => {
    const app = await world.start({
      inspector: { actions: { GuestUser: ['invalidate', 'invalidateAll'] }, guards: [EverybodyIsAda] },
    })
    await store(app, 'acted')
    await app.post(`${api}/invalidate?cache=GuestUser&id=acted`)
    expect(await isStored(app)).toBe(false)
    await store(app, 'acted')
    await app.cache(guests).list('named', 'Ada')
    await app.post(`${api}/invalidate?cache=GuestUser&lookup=named&key=Ada`)
    expect(await isStored(app)).toBe(true)
    await app.post(`${api}/invalidate?cache=GuestUser&all=true`)
    expect(await isStored(app)).toBe(false)
    const by = 'Inspector: "ada@example.org\\u{a}Inspector: forged" invalidated'
    expect(app.logged.filter((line) => line.includes('Inspector: '))).toEqual([
      `${by} the row "acted" of ModelCache "GuestUser".`,
      `${by} an entry of the lookup "named" of ModelCache "GuestUser".`,
      `${by} all rows of ModelCache "GuestUser".`,
    ])
  })

  it('are not done if it is unknown who acts, and the error stays out of answer and log', async () => {
    const user = (): never => {
      throw new TypeError(secret)
    }
    const app = await world.start({ inspector: { actions: ['invalidate'], user } })
    await store(app, 'acted')
    const { json, status, text } = await app.post(`${api}/invalidate?cache=GuestUser&id=acted`)
    expect([status, json.error.code]).toEqual([500, 'internal_error'])
    expect(await isStored(app)).toBe(true)
    expect(app.logged).toContainEqual(
      expect.stringMatching(/^The inspector failed with TypeError\.\n {4}at /),
    )
    expect([text, ...app.logged].join('\n')).not.toContain(secret)
  })
})

it('lists a process that does not answer, and answers without it', async () => {
  const app = await world.start()
  const from = { id: 'silent-one', host: '<script>', pid: 7 }
  const question = { kind: 'question', from, asked: 'a', question: { about: 'process' } }
  const channel = `${world.namespace}:{inspect}`
  const silent = async () => {
    await valkey.publish(channel, JSON.stringify(question))
    const { json, status } = await app.get(`${api}/processes`)
    expect(status).toBe(200)
    expect(json.processes.map(({ pid }: { pid: number }) => pid)).toContain(process.pid)
    return json.silent
  }
  // The application may not listen yet when it has started.
  let found = await silent()
  while (!found.some(({ id }: { id: string }) => id === from.id)) found = await silent()
  expect(found).toContainEqual(expect.objectContaining(from))
})

it('leaves out what no process of the library answers', async () => {
  const app = await world.start()
  const from = { id: 'malformed', host: 'web-2', pid: 8 }
  const channel = `${world.namespace}:{inspect}`
  const own = await app.get(`${api}/processes`)
  const [facts] = own.json.processes
  const answers = [null, 'x', {}, { ...facts, ...from, eventLoop: { ...facts.eventLoop, blocks: 'none' } }]
  const listener = valkey.duplicate()
  await listener.subscribe(channel)
  let asked = 0
  listener.on('message', (_, text) => {
    const message = JSON.parse(text)
    if (message.kind !== 'question') return
    const answer = answers[asked++ % answers.length]
    const reply = { kind: 'answer', from, asked: message.asked, answer }
    void valkey.publish(`${channel}:${message.from.id}`, JSON.stringify(reply))
  })
  for (const _ of answers) {
    const { json, status } = await app.get(`${api}/processes`)
    const ids = json.processes.map(({ id }: { id: string }) => id)
    expect(status).toBe(200)
    expect(ids).toContain(json.self)
    expect(ids).not.toContain(from.id)
    expect((await app.get(`${api}/caches`)).status).toBe(200)
  }
  expect(asked).toBeGreaterThanOrEqual(answers.length)
  await listener.quit()
})

describe('under load', () => {
  it('has 16 of ten thousand requests in work, and answers for all processes once', async () => {
    let loads = 0
    const gate = Promise.withResolvers<void>()
    const slow = defineModelCache<{ id: string }>()({
      model: 'Slow',
      schema: type({ id: 'string' }),
      id: 'id',
      ttl: '1m',
      dependsOn: [],
      load: async (_, ids) => {
        loads++
        await gate.promise
        return ids.map((id) => ({ id }))
      },
    })
    const { app } = await world.start({ imports: [ModelCacheModule.forFeature([slow])] })
    const all = (path: (i: number) => string) =>
      Promise.all(
        Array.from({ length: 5_000 }, (_, i) => (app as NestFastifyApplication).inject(`${api}/${path(i)}`)),
      )
    const rows = all((i) => `row?cache=Slow&id=${i}`)
    const before = messages.length
    const overviews = await all(() => 'caches')
    const questions = messages.slice(before).filter((message) => message.includes('"about":"process"'))
    gate.resolve()

    // On a busy machine some miss their deadline.
    expect(overviews.filter(({ statusCode }) => ![200, 503].includes(statusCode))).toEqual([])
    // Not 5,000: those of one moment share an answer.
    expect(questions.length).toBeLessThan(500)
    const answers = await rows
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(answers.filter(({ statusCode }) => ![200, 429, 503].includes(statusCode))).toEqual([])
    // Without the bound all 5,000 are loaded; with it 16 every three seconds, after which a row that is not loaded is given up.
    expect(refused.length).toBeGreaterThan(4_500)
    expect(refused[0]!.headers['retry-after']).toBe('1')
    expect(refused[0]!.json().error.code).toBe('too_many_requests')
    expect(loads).toBeLessThanOrEqual(answers.length - refused.length)
  })

  it('answers while requests of the application are shed', async () => {
    const app = await world.start({
      pressure: { ...pressure, value: 1 },
      options: { eventLoop: { shedding: { atMost: 1 } } },
      providers: [{ provide: APP_GUARD, useExisting: EventLoopPressureGuard }],
      controllers: [Shop],
    })
    expect((await app.get('/shop')).status).toBe(503)
    for (const path of ['', '/', '/assets/uPlot.min.css', '/api/v1/caches']) {
      expect((await app.get(`/inspector${path}`)).status).toBe(200)
    }
  })
})
