/** Processes with caches of their own, which share a database and a Valkey. */
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import {
  type ConsistencyOptions,
  extendPrisma,
  type ModelCacheDefinition,
  modelCaches,
  ModelCacheWrites,
} from 'model-cache'
import {
  bindDefinition,
  type CacheObserver,
  createModelCache,
  type CreateModelCacheOptions,
  createPrismaSource,
  type ModelObserver,
  type ReadThroughCache,
  schemaFactsOf,
  type Source,
  type Store,
  ValkeyStore,
} from 'model-cache/advanced'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { patientMs } from '../../support/patience.js'
import { createDatabase } from '../../support/servers.ts'
import type { TestDatabase } from '../../support/test-database.ts'
import { startValkey, type ValkeyServer } from '../../support/valkey-server.js'
import type { Prisma, PrismaClient } from '../differential/client/client.ts'
import { type Dialect, dialectNamed } from '../differential/dialects/dialects.ts'

export const { defineModelCache } = modelCaches<Prisma.TypeMap>()

// eslint-disable-next-line typescript/no-explicit-any -- the definitions of one pod differ
type AnyDefinition = ModelCacheDefinition<any, any, any>

/** Definitions by the name under which a pod has their caches. */
type Definitions = Readonly<Record<string, AnyDefinition>>

type CachesOf<D extends Definitions> = {
  readonly [Name in keyof D]: D[Name] extends ModelCacheDefinition<infer Row, infer Id, infer Keys>
    ? ReadThroughCache<Row, Id, Keys>
    : never
}

export interface PodOptions extends Pick<
  CreateModelCacheOptions<object, unknown>,
  'slicer' | 'loads' | 'audit' | 'warn'
> {
  readonly consistency?: ConsistencyOptions
  /** Changes the store. */
  readonly wrap?: (store: Store) => Store
  /** Changes the sources of all caches. */
  readonly wrapSource?: (source: Source<object, unknown>) => Source<object, unknown>
  /** @default the Valkey of the world */
  readonly url?: string
  /** Instead of `counts`. */
  readonly observer?: CacheObserver
}

export interface Pod<D extends Definitions> {
  readonly prisma: PrismaClient
  readonly caches: CachesOf<D>
  readonly writes: ModelCacheWrites
  /** The statements of this pod since the last call. */
  readonly statements: () => string[]
  /** What a cache and its lookups have counted: `Post.ofAuthor misses not_cached`. */
  readonly counts: ReadonlyMap<string, number>
  readonly close: () => Promise<void>
}

export interface LookupWorld {
  readonly admin: Redis
  readonly valkey: ValkeyServer
  /** On MySQL it takes names in double quotes, too. */
  readonly sql: pg.Client
  readonly database: TestDatabase
  readonly databaseUrl: string
  readonly dialect: Dialect
  /** A client that is not extended. */
  plainClient(): PrismaClient
  readonly namespace: string
  openPod<const D extends Definitions>(definitions: D, options?: PodOptions): Promise<Pod<D>>
}

/**
 * Gives each test a namespace, and the database the rows of `refill.sql`.
 *
 * @param create creates the database. @default on the server that all tests share
 * @param name of the kind of database
 */
export function useLookupWorlds(
  create: () => Promise<TestDatabase> = createDatabase,
  name = 'postgresql',
): () => Promise<LookupWorld> {
  let valkey: ValkeyServer
  let admin: Redis
  let database: TestDatabase
  let dialect: Dialect
  let Client: new (options: object) => object
  let sql: pg.Client
  const opened: (() => Promise<void>)[] = []
  const clients = new ClientPool(
    () =>
      new Client({
        adapter: database.adapter(4),
        errorFormat: 'minimal',
        log: [{ emit: 'event', level: 'query' }],
      }) as PrismaClient,
  )

  beforeAll(async () => {
    valkey = await startValkey()
    admin = new Redis(valkey.port)
    database = await create()
    dialect = dialectNamed(name)
    Client = (await dialect.client()) as never
    sql = await connectTo(database.url)
    await sql.query(dialect.tables())
  })
  afterEach(async () => {
    for (const close of opened.splice(0)) await close()
  })
  afterAll(async () => {
    await clients.disconnect()
    await sql.end()
    await database.drop()
    admin.disconnect()
    await valkey.stop()
  })

  return async () => {
    await sql.query(await dialect.refill())
    const namespace = `lookups-${randomUUID()}`
    const openPod: LookupWorld['openPod'] = async (definitions, options = {}) => {
      const { wrap, wrapSource, url = valkey.url, ...parts } = options
      const pooled = clients.take()
      const { client, writes, prisma, statements } = pooled
      const own = new ValkeyStore({ url, deadlineMs: patientMs })
      const store = wrap?.(own) ?? own
      await store.connect()
      const facts = schemaFactsOf(client)
      const counts = new Map<string, number>()
      const caches = Object.entries(definitions).map(([name, definition]) => {
        const { idFields, selection } = bindDefinition(definition, facts)
        const source = createPrismaSource<object, unknown>(client, {
          name: definition.name,
          model: definition.model,
          idFields,
          ...selection,
        })
        const cache = createModelCache(definition, {
          ...parts,
          source: (wrapSource?.(source) ?? source) as never,
          store,
          facts,
          writes,
          namespace,
          observer: options.observer ?? {
            forModel: (model, lookup) => counting(counts, lookup ? `${model}.${lookup}` : model),
            storeChanged: () => {},
          },
        })
        return [name, cache] as const
      })
      let closed = false
      const close = async (): Promise<void> => {
        if (closed) return
        closed = true
        for (const [, cache] of caches) await cache.close()
        await store.close()
        clients.give(pooled)
      }
      opened.push(close)
      return {
        prisma,
        caches: Object.fromEntries(caches) as never,
        writes,
        statements: () => statements.splice(0),
        counts,
        close,
      }
    }
    const plainClient = (): PrismaClient => new Client({ adapter: database.adapter(4) }) as PrismaClient
    return {
      admin,
      valkey,
      sql,
      database,
      databaseUrl: database.url,
      dialect,
      plainClient,
      namespace,
      openPod,
    }
  }
}

/** Opens a connection that runs scripts. */
async function connectTo(url: string): Promise<pg.Client> {
  if (url.startsWith('postgres')) {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return client
  }
  const connection = await createConnection({ uri: url, multipleStatements: true })
  await connection.query("SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')")
  const query = async (text: string) => ({ rows: (await connection.query(text))[0] })
  return { query, end: () => connection.end() } as unknown as pg.Client
}

interface PooledClient {
  readonly client: PrismaClient
  readonly writes: ModelCacheWrites
  /** The client, extended by `writes`. */
  readonly prisma: PrismaClient
  readonly statements: string[]
}

/** Clients that pods use in turn: to create and connect one costs more than most tests. */
class ClientPool {
  readonly #create: () => PrismaClient
  readonly #created: PooledClient[] = []
  readonly #idle = new Set<PooledClient>()

  constructor(create: () => PrismaClient) {
    this.#create = create
  }

  take(): PooledClient {
    for (const pooled of this.#idle) {
      this.#idle.delete(pooled)
      pooled.statements.length = 0
      return pooled
    }
    const client = this.#create()
    const statements: string[] = []
    client.$on('query' as never, ((event: { query: string }) => statements.push(event.query)) as never)
    const writes = new ModelCacheWrites()
    const prisma = extendPrisma(client, writes) as unknown as PrismaClient
    const pooled = { client, writes, prisma, statements }
    this.#created.push(pooled)
    return pooled
  }

  give(pooled: PooledClient): void {
    this.#idle.add(pooled)
  }

  async disconnect(): Promise<void> {
    for (const { client, writes } of this.#created) {
      await writes.close()
      await client.$disconnect()
    }
  }
}

/** Sums up what an observer is called with, by method and labels. */
function counting(counts: Map<string, number>, name: string): ModelObserver {
  return new Proxy({} as ModelObserver, {
    get: (_, method) => {
      return (...args: unknown[]) => {
        const labels = args.filter((arg) => typeof arg === 'string')
        const count = args.findLast((arg) => typeof arg === 'number') ?? 1
        const key = [name, String(method), ...labels].join(' ')
        counts.set(key, (counts.get(key) ?? 0) + (count as number))
      }
    },
  })
}
