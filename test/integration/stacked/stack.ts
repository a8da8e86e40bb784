/** An application whose Prisma client is stacked with packages of others, and its database. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from '@prisma/client'
import {
  ModelCacheModule,
  type ModelCacheModuleOptions,
  modelCaches,
  ModelCacheWrites,
  provideExtendedPrisma,
  type ExtendPrismaOptions,
} from 'model-cache'
import pg from 'pg'
import { Registry } from 'prom-client'
import { createDatabase } from '../../support/servers.js'
import { useOpened } from '../../support/use-opened.js'
import { ownOptions, start, type Started } from '../configuration/application.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

export const players = defineModelCache('Player', { ttl: '1h' })
export const teams = defineModelCache('Team', { ttl: '1h' })
export const goals = defineModelCache('Goal', { ttl: '1h' })

export { defineModelCache }

export interface StackDatabase {
  readonly url: string
  readonly sql: pg.Client
  /** Another plain client of it. */
  openClient(options?: Omit<Prisma.PrismaClientOptions, 'adapter'>): PrismaClient
  close(): Promise<void>
}

/** A database with three teams of three players, as they are in the beginning for each test; player 9 is in no team. */
export function useStackDatabase(): StackDatabase {
  const database = useOpened(openStackDatabase)
  beforeEach(() => refill(database))
  return database
}

async function openStackDatabase(): Promise<StackDatabase> {
  const { url, drop } = await createDatabase()
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  await sql.query(readFileSync(join(import.meta.dirname, 'tables.sql'), 'utf8'))
  const clients: PrismaClient[] = []
  return {
    url,
    sql,
    openClient(options) {
      const client = new PrismaClient({
        ...options,
        adapter: new PrismaPg({ connectionString: url, max: 4 }),
      } as never) as PrismaClient
      clients.push(client)
      return client
    },
    async close() {
      await Promise.all(clients.map((client) => client.$disconnect()))
      await sql.end()
      await drop()
    },
  }
}

/** Makes the tables what they are in the beginning. */
export async function refill({ sql }: Pick<StackDatabase, 'sql'>): Promise<void> {
  await sql.query(`TRUNCATE "Team", "Player", "Goal" RESTART IDENTITY;
    INSERT INTO "Team" (name) VALUES ('red'), ('blue'), ('green');
    INSERT INTO "Player" (email, name, rank, "teamId")
      SELECT 'p' || i || '@x.org', 'player ' || i, i, CASE WHEN i < 9 THEN (i - 1) / 3 + 1 END FROM generate_series(1, 9) i;
    INSERT INTO "Goal" (minute, "playerId") SELECT 10 * i, i FROM generate_series(1, 9) i`)
}

export const prismaToken = Symbol('prisma')

export interface StackOptions {
  readonly definitions?: readonly object[]
  readonly extended?: ExtendPrismaOptions
  readonly root?: Partial<ModelCacheModuleOptions>
  readonly imports?: Parameters<typeof start>[0]
  readonly providers?: NonNullable<Parameters<typeof start>[1]>
}

export interface Stack extends Started {
  /** What became of the queries since the last call. */
  outcomes(): Promise<Readonly<Record<string, number>>>
  readonly writes: ModelCacheWrites
}

/** Imports of an application with the caches, whose client a factory creates. */
export function stackImports(
  createClient: () => object,
  { definitions = [players, teams, goals], extended, root, imports = [], providers = [] }: StackOptions = {},
) {
  const registry = new Registry()
  const prisma = provideExtendedPrisma<object>(prismaToken, createClient, [], extended)
  return {
    registry,
    imports: [
      ...imports,
      ModelCacheModule.forRoot({ ...ownOptions(), registry, prisma: prismaToken, ...root }),
      ModelCacheModule.forFeature(definitions as never),
      {
        module: class Prisma {},
        global: true,
        providers: [prisma, ...providers],
        exports: [
          prismaToken,
          ...providers.map((provider) => ('provide' in provider ? provider.provide : provider)),
        ],
      },
    ] as Parameters<typeof start>[0],
  }
}

export async function startStack(createClient: () => object, options: StackOptions = {}): Promise<Stack> {
  const { imports, registry } = stackImports(createClient, options)
  const started = await start(imports)
  let before: Record<string, number> = {}
  return {
    ...started,
    writes: started.app.get(ModelCacheWrites),
    async outcomes() {
      const { values } = await registry.getSingleMetric('model_cache_prisma_reads_total')!.get()
      const now: Record<string, number> = {}
      for (const { labels, value } of values)
        now[labels['outcome'] as string] = (now[labels['outcome'] as string] ?? 0) + value
      const since = Object.entries(now).map(
        ([outcome, count]) => [outcome, count - (before[outcome] ?? 0)] as const,
      )
      before = now
      return Object.fromEntries(since.filter(([, count]) => count > 0))
    },
  }
}
