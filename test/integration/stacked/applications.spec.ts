/** Nest applications with the packages that most of them have, in the process that has the caches. */
import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type { INestApplication } from '@nestjs/common'
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo'
import { BullModule } from '@nestjs/bullmq'
import { GraphQLModule } from '@nestjs/graphql'
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius'
import { ClientProxyFactory, type ClientProxy, Transport } from '@nestjs/microservices'
import { ExpressAdapter } from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { Test } from '@nestjs/testing'
import { QueueEvents } from 'bullmq'
import { type CacheOf, getModelCacheToken } from 'model-cache'
import { Logger, LoggerModule } from 'nestjs-pino'
import { firstValueFrom } from 'rxjs'
import { freePort } from '../../support/free-port.js'
import { valkeyUrl } from '../../support/servers.js'
import {
  PlayersController,
  PlayersHandlers,
  PlayersProcessor,
  PlayersQueue,
  PlayersResolver,
  PlayersService,
  queueName,
  RequestService,
} from './application-parts.js'
import { players, stackImports, useStackDatabase } from './stack.js'

const database = useStackDatabase()

const platforms = {
  'Apollo on Express': {
    adapter: () => new ExpressAdapter(),
    graphql: () => GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, autoSchemaFile: true }),
  },
  'Mercurius on Fastify': {
    adapter: () => new FastifyAdapter(),
    graphql: () =>
      GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, autoSchemaFile: true }),
  },
}

// One for all: `nestjs-pino` logs what happens outside of requests by the logger of the first application of a process.
const log = new PassThrough()
const logged: string[] = []
log.on('data', (line: Buffer) => logged.push(line.toString()))

interface Way {
  names(ids: readonly number[]): Promise<readonly string[]>
  rename(id: number, name: string): Promise<string>
}

describe.each([
  ['Apollo on Express', 'before'],
  ['Apollo on Express', 'after'],
  ['Mercurius on Fastify', 'before'],
  ['Mercurius on Fastify', 'after'],
] as const)('%s with the other modules imported %s ModelCacheModule', (platform, order) => {
  let app: INestApplication
  let client: ClientProxy
  let events: QueueEvents
  let url: string
  let selects: () => number

  beforeAll(async () => {
    const statements: string[] = []
    const prisma = database.openClient({ log: [{ emit: 'event', level: 'query' }] })
    prisma.$on('query' as never, (({ query }: { query: string }) => statements.push(query)) as never)
    selects = () => statements.splice(0).filter((text) => text.startsWith('SELECT "public"."Player"')).length
    logged.splice(0)
    const connection = { url: valkeyUrl().replace('valkey', 'redis') }
    const prefix = `bull-${randomUUID()}`
    const others = [
      // The default of `forRoutes` matches nothing on Fastify.
      LoggerModule.forRoot({
        pinoHttp: { stream: log },
        forRoutes: ['{*path}'],
      }),
      BullModule.forRoot({ connection, prefix }),
      BullModule.registerQueue({ name: queueName }),
      platforms[platform].graphql(),
    ]
    const { imports } = stackImports(() => prisma, { definitions: [players], extended: { reads: 'all' } })
    const testing = await Test.createTestingModule({
      imports: order === 'before' ? [...others, ...imports] : [...imports, ...others],
      controllers: [PlayersController, PlayersHandlers],
      providers: [PlayersService, RequestService, PlayersResolver, PlayersProcessor, PlayersQueue],
    }).compile()
    app = testing.createNestApplication(platforms[platform].adapter() as never, { bufferLogs: true })
    app.useLogger(app.get(Logger))
    const options = { host: '127.0.0.1', port: await freePort() }
    app.connectMicroservice({ transport: Transport.TCP, options })
    await app.listen(0, '127.0.0.1')
    await app.startAllMicroservices()
    url = await app.getUrl()
    client = ClientProxyFactory.create({ transport: Transport.TCP, options })
    events = new QueueEvents(queueName, { connection, prefix })
    await events.waitUntilReady()
  })
  afterAll(async () => {
    client.close()
    await events.close()
    await app.close()
  })

  const send = <T>(pattern: string, data: unknown): Promise<T> =>
    firstValueFrom(client.send<T>(pattern, data))
  const work = async (name: string, data: number | object): Promise<string> => {
    const { queue } = app.get(PlayersQueue)
    const job = await queue.add(name, data as never)
    return (await job.waitUntilFinished(events)) as string
  }
  const graphql = async <T>(query: string): Promise<T> => {
    const body = JSON.stringify({ query })
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const { data, errors } = (await response.json()) as { data: T; errors?: unknown }
    expect(errors).toBeUndefined()
    return data
  }
  const invalidateAll = (): Promise<void> =>
    app.get<CacheOf<typeof players>>(getModelCacheToken(players), { strict: false }).invalidateAll()
  const text = async (path: string, method = 'GET'): Promise<string> =>
    (await fetch(`${url}/players/${path}`, { method })).text()

  const ways: Readonly<Record<string, Way>> = {
    GraphQL: {
      async names(ids) {
        const found = await graphql<{ playersBy: { name: string }[] }>(
          `{ playersBy(ids: [${ids.join()}]) { name } }`,
        )
        return found.playersBy.map(({ name }) => name)
      },
      rename: async (id, name) =>
        (await graphql<{ rename: string }>(`mutation { rename(id: ${id}, name: "${name}") }`)).rename,
    },
    'request-scoped providers': {
      names: (ids) => Promise.all(ids.map((id) => text(String(id)))),
      rename: (id, name) => text(`${id}?name=${name}`, 'PUT'),
    },
    '@nestjs/microservices': {
      names: (ids) => Promise.all(ids.map((id) => send<string>('name', id))),
      rename: (id, name) => send('rename', { id, name }),
    },
    '@nestjs/bullmq': {
      names: (ids) => Promise.all(ids.map((id) => work('name', id))),
      rename: (id, name) => work('rename', { id, name }),
    },
  }

  it.each(Object.keys(ways))('reads from the cache, and what was written, by %s', async (name) => {
    const { names, rename } = ways[name]!
    await app.get(PlayersService).rename({ id: 1, name: 'player 1' })
    await invalidateAll()
    const ids = [1, 2, 3, 99]
    const expected = ['player 1', 'player 2', 'player 3', 'nobody']
    expect(await names(ids)).toEqual(expected)
    selects()
    expect(await names(ids)).toEqual(expected)
    expect(selects()).toBe(0)
    expect(await rename(2, 'second')).toBe('second')
    expect(await names(ids)).toEqual(['player 1', 'second', 'player 3', 'nobody'])
    expect((await database.sql.query('SELECT name FROM "Player" WHERE id = 2')).rows).toEqual([
      { name: 'second' },
    ])
  })

  it('shares one query among the reads of a GraphQL query', async () => {
    selects()
    await ways['GraphQL']!.names([4, 5, 6, 7, 8, 9])
    expect(selects()).toBe(1)
  })

  it('has an instance of a request-scoped provider for each request', async () => {
    const before = RequestService.instances
    await ways['request-scoped providers']!.names([1, 2, 3])
    expect(RequestService.instances).toBe(before + 3)
  })

  it('logs by nestjs-pino, with the request in whose course a line was logged', async () => {
    expect(logged.some((line) => line.includes('ModelCache'))).toBe(true)
    await Promise.all([text('1'), text('1')])
    const ofRequests = logged
      .map((line) => JSON.parse(line) as { msg: string; req?: { id: number; url: string } })
      .filter(({ msg }) => msg.startsWith('/players/1: '))
      .slice(-2)
    expect(new Set(ofRequests.map(({ req }) => req?.id)).size).toBe(2)
    expect(ofRequests.map(({ req }) => req?.url)).toEqual(['/players/1', '/players/1'])
  })
})
