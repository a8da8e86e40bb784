import { setTimeout as sleep } from 'node:timers/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import { Cluster, Redis, type ClusterOptions, type RedisOptions } from 'ioredis'
import pg from 'pg'
import { PrismaClient } from '#prisma/client/client.js'
import { applyMigrations } from '#prisma/migrate.js'
import { startPostgres } from '../../../../test/support/postgres-server.ts'
import { describeValkey, startValkey, startValkeyCluster } from '../../../../test/support/valkey-server.ts'

/** Connects to the server of VALKEY_URL, or starts one. @throws when its database has keys, which a run would delete */
export async function openValkey() {
  const given = process.env.VALKEY_URL
  const started = given ? undefined : await startValkey()
  const url = (given ?? started!.url).replace(/^valkey/, 'redis')
  const name = await describeValkey(url)
  const client = new Redis(url)
  const stored = await client.dbsize()
  if (stored > 0) {
    client.disconnect()
    throw new Error(
      `The database of VALKEY_URL holds ${stored} keys, which this run would delete. Name an empty one, ` +
        'or unset VALKEY_URL to have a server started.',
    )
  }
  return {
    /** For example `Valkey 9.1.2`. */
    name,
    /** A `redis://` URL, the only scheme that all clients know. */
    url,
    client,
    /** Empties the database again. */
    async close() {
      await client.flushdb()
      client.disconnect()
      await started?.stop()
    },
  }
}
export type BenchValkey = Awaited<ReturnType<typeof openValkey>>

/** Started servers: a client of all of them together, and one of each for questions about it. */
function openNodes<Client extends Redis | Cluster>(
  nodes: readonly { readonly host: string; readonly port: number; readonly url: string }[],
  client: Client,
  stop: () => Promise<unknown>,
) {
  const admins = nodes.map(({ host, port }) => new Redis(port, host))
  return {
    client,
    admins,
    url: nodes[0]!.url,
    describe: () => describeValkey(nodes[0]!.url),
    async close() {
      for (const one of [client, ...admins]) one.disconnect()
      await stop()
    },
  }
}

export async function openSingle(options: RedisOptions = {}) {
  const server = await startValkey()
  return openNodes([server], new Redis(server.port, server.host, options), () => server.stop())
}

export async function openCluster(primaries: number, options: ClusterOptions = {}) {
  const { nodes, stop } = await startValkeyCluster({ primaries })
  const addresses = nodes.map(({ host, port }) => ({ host, port }))
  return openNodes(nodes, new Cluster(addresses, options), stop)
}

/**
 * Starts a PostgreSQL with the tables of the demo.
 *
 * @param changed settings that differ from those of tests
 */
export async function openPostgres(changed: Readonly<Record<string, string>> = {}) {
  const server = await startPostgres(changed)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    await applyMigrations({
      provider: 'postgresql',
      run: async (script) => void (await client.query(script)),
      rows: async (sql) => (await client.query(sql)).rows,
    })
  } finally {
    await client.end()
  }
  const { url } = server
  return {
    name: `PostgreSQL ${server.version}`,
    server,
    url,
    openPrisma: (): PrismaClient =>
      new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 4 }) }),
    close: () => server.stop(),
  }
}

const FIELDS = {
  cpuMs: ['cpu', /^used_cpu_(?:sys|user):([\d.]+)/gm, 1_000],
  /** Without those that the bench sends itself. */
  commands: ['commandstats', /^cmdstat_(?!info:|dbsize:)[^:]+:calls=(\d+)/gm, 1],
  wireBytes: ['stats', /^total_net_(?:input|output)_bytes:(\d+)/gm, 1],
  memoryBytes: ['memory', /^used_memory:(\d+)/gm, 1],
} as const satisfies Record<string, readonly [section: string, field: RegExp, factor: number]>

/** What Valkey servers have used so far, in sum over all of them. */
export async function usageOf<Field extends keyof typeof FIELDS>(
  servers: readonly Redis[],
  ...fields: readonly Field[]
): Promise<Record<Field, number>> {
  const sections = fields.map((field) => FIELDS[field][0])
  const infos = await Promise.all(servers.map((server) => server.info(...sections)))
  return usageIn(infos, fields)
}

/** @param infos answers to INFO */
export function usageIn<Field extends keyof typeof FIELDS>(
  infos: readonly string[],
  fields: readonly Field[],
): Record<Field, number> {
  const total = ([, pattern, factor]: (typeof FIELDS)[Field]): number =>
    infos
      .flatMap((info) => [...info.matchAll(pattern)])
      .reduce((all, [, value]) => all + factor * Number(value), 0)
  return Object.fromEntries(fields.map((field) => [field, total(FIELDS[field])])) as Record<Field, number>
}

export const commandsOf = async (server: Redis): Promise<number> =>
  (await usageOf([server], 'commands')).commands

/** A server is quiet when it has not received a command for this long. */
const QUIET_MS = 10
const QUIET_DEADLINE_MS = 10_000

/** What processes know the server by: without it, caches that are open take it for another one, and store nothing for a while. */
const KEPT = /\{(?:catalogue|databases|warm)\}|\}:register$/

/** Deletes what clients have stored. */
export async function emptyStore(server: Redis): Promise<void> {
  const keys = (await server.keys('*')).filter((key) => !KEPT.test(key))
  if (keys.length > 0) await server.unlink(keys)
}

/**
 * Waits until a server receives no more commands.
 *
 * @param keys how many it has to hold by then
 * @returns how many commands it has received
 * @throws if it does not hold as many keys in time
 */
export async function quiet(server: Redis, keys = 0): Promise<number> {
  const deadline = performance.now() + QUIET_DEADLINE_MS
  for (let before = -1; ; await sleep(QUIET_MS)) {
    const commands = await commandsOf(server)
    const stored = keys === 0 ? 0 : await server.dbsize()
    if (commands === before && stored >= keys) return commands
    if (stored < keys && performance.now() > deadline)
      throw new Error(`Valkey holds ${stored} keys, of ${keys} that were to be stored.`)
    before = commands
  }
}
