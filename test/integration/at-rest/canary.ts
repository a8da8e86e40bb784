/** Processes with everything switched on, and whether anything that passes through their Valkey shows what was planted in their rows. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type INestApplication, Module } from '@nestjs/common'
import { ExpressAdapter } from '@nestjs/platform-express'
import { Test } from '@nestjs/testing'
import { followPostgres } from '@model-cache/follow'
import { ModelCacheInspectorModule } from '@model-cache/inspector'
import { Redis } from 'ioredis'
import {
  type AtRestOptions,
  type CacheOf,
  getModelCacheToken,
  ModelCacheModule,
  modelCaches,
  provideExtendedPrisma,
} from 'model-cache'
import pg from 'pg'
import { Registry } from 'prom-client'
import { type Prisma, PrismaClient } from '#prisma/client/client.js'
import { type Database, openDatabase } from '#prisma/database.js'
import { applyMigrations } from '#prisma/migrate.js'
import { patientMs } from '../../support/patience.ts'
import { createPostgresDatabase, startPostgres } from '../../support/postgres-server.ts'
import { startValkey } from '../../support/valkey-server.ts'
import { logical } from '../follow/follow-worlds.ts'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

export const users = defineModelCache('User', {
  ttl: '1h',
  notFoundTtl: '1h',
  refreshAhead: '30m',
  staleFor: '1h',
  l1: { ttl: '1h', hot: 1 },
  unique: { email: 'email' },
  lists: { ofCity: { by: 'city', orderBy: { id: 'asc' } } },
})

export const guests = defineModelCache('GuestUser', { ttl: '1h', l1: { ttl: '1h' } })

const prismaToken = Symbol('prisma')

/** Words that nothing else contains. */
export type Planted = Readonly<Record<string, string>>

export const newPlanted = (...names: readonly string[]): Planted =>
  Object.fromEntries(names.map((name) => [name, `${name}${randomBytes(8).toString('hex')}`]))

/** The ways in which a text may be written: as it is (also in JSON, utf8 and latin1), as hexadecimal digits, and as base64 wherever it begins. */
function writingsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text)
  const inBase64 = (['base64', 'base64url'] as const).flatMap((encoding) =>
    [0, 1, 2].map((before) => {
      const written = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding)
      // The first and the last characters have bits of what stands beside it.
      return written.slice(before === 0 ? 0 : 4, 4 * Math.floor((before + bytes.length) / 3))
    }),
  )
  return [text, bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...inBase64]
}

/** The planted words that texts show, and where: `{ name: ['GET …'] }`. */
export function shownIn(
  planted: Planted,
  texts: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const found = Object.entries(planted).map(([name, text]) => {
    const writings = writingsOf(text)
    const places = texts.filter((one) => writings.some((writing) => one.includes(writing)))
    return [name, places.map((place) => place.slice(0, 200))] as const
  })
  return Object.fromEntries(found.filter(([, places]) => places.length > 0))
}

export interface CanaryProcess {
  readonly prisma: PrismaClient
  readonly users: CacheOf<typeof users>
  readonly guests: CacheOf<typeof guests>
  /** Of the inspector. */
  readonly url: string
  close(): Promise<void>
}

export interface CanaryWorld {
  readonly valkeyUrl: string
  /** Another region, which nobody watches. */
  readonly otherUrl: string
  readonly sql: pg.Client
  start(options: {
    readonly namespace: string
    readonly atRest?: AtRestOptions
    readonly valkeyUrl?: string
    readonly warmsFrom?: string
  }): Promise<CanaryProcess>
  /** Names a file that has these keys. */
  writeKeys(keys: readonly { readonly id: string; readonly key: Buffer }[]): Promise<string>
  /** Every command and message of the server, and what it stores in the end, each of them as a text. */
  watch(): Promise<{ stop(): Promise<readonly string[]> }>
  close(): Promise<void>
}

export async function openCanaryWorld(): Promise<CanaryWorld> {
  const postgres = await startPostgres(logical)
  const { url } = await createPostgresDatabase(postgres.url)
  const database = await openDatabase({ url })
  await database.withSession(applyMigrations)
  // DUMP shows values as they are.
  const [server, other] = await Promise.all([
    startValkey({ args: ['--rdbcompression', 'no'] }),
    startValkey(),
  ])
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  const folder = await mkdtemp(join(tmpdir(), 'canary-'))
  const apps = new Set<INestApplication>()

  return {
    valkeyUrl: server.url,
    otherUrl: other.url,
    sql,
    async start({ atRest, namespace, valkeyUrl = server.url, warmsFrom }) {
      const module = moduleOf(database, {
        valkey: { url: valkeyUrl, deadlineMs: patientMs },
        namespace,
        registry: new Registry(),
        consistency: { fenceMs: 500 },
        ...(atRest && { atRest }),
        // One process follows; those of the other region do not.
        ...(valkeyUrl === server.url && { follow: followPostgres({ url }) }),
        warm: { ...(warmsFrom && { from: { url: warmsFrom, namespace } }) },
      })
      const testing = await Test.createTestingModule({ imports: [module] })
        .setLogger({ log() {}, warn() {}, error() {} })
        .compile()
      const app = testing.createNestApplication(new ExpressAdapter())
      apps.add(app)
      await app.listen(0, '127.0.0.1')
      return {
        prisma: app.get<PrismaClient>(prismaToken),
        users: app.get(getModelCacheToken(users)),
        guests: app.get(getModelCacheToken(guests)),
        url: await app.getUrl(),
        async close() {
          if (apps.delete(app)) await app.close()
        },
      }
    },
    async writeKeys(keys) {
      const file = join(folder, `${randomBytes(4).toString('hex')}.json`)
      await writeFile(file, JSON.stringify(keys.map(({ id, key }) => ({ id, key: key.toString('base64') }))))
      return file
    },
    watch: () => watch(server.url),
    async close() {
      for (const app of apps) await app.close()
      await sql.end()
      await database.close()
      await Promise.all([server.stop(), other.stop(), postgres.stop(), rm(folder, { recursive: true })])
    },
  }
}

class CanaryModule {}
Module({})(CanaryModule)
class PrismaModule {}
Module({})(PrismaModule)

function moduleOf(database: Database, root: Omit<Parameters<typeof ModelCacheModule.forRoot>[0], 'prisma'>) {
  const results = { User: { ttl: '1h', by: 'city' }, GuestUser: { ttl: '1h' } } as const
  const open = (): PrismaClient => new PrismaClient({ adapter: database.adapter })
  const client = provideExtendedPrisma(prismaToken, open, [], { reads: { caches: 'all', results } })
  return {
    module: CanaryModule,
    imports: [
      { module: PrismaModule, global: true, providers: [client], exports: [client] },
      ModelCacheModule.forRoot({ prisma: prismaToken, ...root } as Parameters<
        typeof ModelCacheModule.forRoot
      >[0]),
      ModelCacheModule.forFeature([users, guests]),
      ModelCacheInspectorModule.forRoot({ actions: ['invalidate'] }),
    ],
  }
}

async function watch(url: string) {
  const [admin, subscriber, connection] = [new Redis(url.replace('valkey:', 'redis:')), 0, 0].map((one) =>
    typeof one === 'number' ? new Redis(url.replace('valkey:', 'redis:')) : one,
  ) as [Redis, Redis, Redis]
  const seen: string[] = []
  const monitor = await connection.monitor()
  monitor.on('monitor', (_time: string, args: readonly string[]) => seen.push(`MONITOR ${args.join(' ')}`))
  await subscriber.psubscribe('*')
  subscriber.on('pmessageBuffer', (_pattern: string, channel: Buffer, message: Buffer) =>
    seen.push(`PUBLISHED ${channel.toString('latin1')} ${message.toString('latin1')}`),
  )
  return {
    async stop() {
      const last = `last${randomBytes(8).toString('hex')}`
      await admin.publish('last', last)
      await admin.echo(last)
      while (seen.filter((line) => line.includes(last)).length < 3) await new Promise(setImmediate)
      const stored: string[] = []
      for await (const keys of admin.scanBufferStream() as AsyncIterable<readonly Buffer[]>)
        for (const key of keys) {
          const dumped = await admin.dumpBuffer(key)
          stored.push(`STORED ${key.toString('latin1')} ${dumped?.toString('latin1') ?? ''}`)
        }
      for (const one of [monitor, connection, subscriber, admin]) one.disconnect()
      return [...seen, ...stored]
    },
  }
}
