/** Processes that share a Valkey and a database, each with keys of its own, and all that an attacker sees of them. */
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import {
  type AtRestOptions,
  type CacheOf,
  CacheRegistry,
  extendPrisma,
  modelCaches,
} from 'model-cache/prisma'
import { type ModelObserver, silentObserver } from 'model-cache/advanced'
import { patientMs } from '../../support/patience.ts'
import { eventually } from '../../support/eventually.ts'
import { createDatabase } from '../../support/servers.ts'
import { startValkey } from '../../support/valkey-server.ts'
import { type Prisma, PrismaClient } from '../differential/reads/client/client.ts'

const folder = join(import.meta.dirname, '../differential/reads')

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

const personCache = defineModelCache('Person', { ttl: '1h', l1: { ttl: '1h' } })
const seatCache = defineModelCache('Seat', {
  ttl: '1h',
  unique: { label: 'label' },
  lists: { ofHall: { by: 'hall' } },
})

export type AtRestKeys = AtRestOptions['keys']

/** 32 random bytes under a name. */
export const newKey = (id: string) => ({ id, key: randomBytes(32) })

/** Text of a row, of which nothing may be seen. */
export const known = {
  person: '5eed0000-0000-4000-a000-0000000000a1',
  name: 'Ada of Known',
  absent: '5eed0000-0000-4000-a000-00000000abff',
  hall: 'KNOWNHALL',
  label: 'label-of-known',
} as const

/** A query that no row, key or list answers. */
export const everybody = {
  where: { name: { not: 'nobody' } },
  omit: { secret: true },
  orderBy: { email: 'asc' },
} as const satisfies Prisma.PersonFindManyArgs

export interface Pod {
  readonly prisma: PrismaClient & { readonly $uncached: PrismaClient }
  readonly registry: CacheRegistry
  readonly people: CacheOf<typeof personCache>
  readonly seats: CacheOf<typeof seatCache>
  readonly warnings: readonly string[]
  /** Events of observers by name and reason, since the last call: `{ 'misses not_cached': 1 }`. */
  counts(): Readonly<Record<string, number>>
  close(): Promise<void>
}

export interface PodOptions {
  readonly atRest?: AtRestOptions
  readonly namespace?: string
  readonly compress?: { readonly above: number }
}

export interface World {
  readonly url: string
  readonly valkey: Redis
  open(options?: PodOptions): Promise<Pod>
  /** Every key, with what is stored under it, as latin1. */
  dump(): Promise<ReadonlyMap<string, string>>
  /** The commands and messages that the server gets while something is done, as latin1. */
  heard(work: () => Promise<void>): Promise<string>
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const database = await createDatabase()
  const server = await startValkey()
  const valkey = new Redis(server.port, server.host)
  for (const script of ['tables.sql', 'rows.sql'])
    await database.run(readFileSync(join(folder, script), 'utf8'))
  await database.run(
    `UPDATE people SET full_name = '${known.name}' WHERE id = '${known.person}';
     INSERT INTO archive.seats (hall, row, place, price, label) VALUES ('${known.hall}', 1, 1, 7, '${known.label}')`,
  )
  const ownNamespace = `at-rest-${randomUUID()}`
  const pods = new Set<Pod>()

  const open = async ({ atRest, compress, namespace = ownNamespace }: PodOptions = {}): Promise<Pod> => {
    const counts: Record<string, number> = {}
    const count = (name: string, by: number): void => void (counts[name] = (counts[name] ?? 0) + by)
    const model: ModelObserver = {
      ...silentObserver.forModel('any'),
      reads: (layer, outcome, n) => count(`${layer} ${outcome}`, n),
      misses: (reason, n) => count(`miss ${reason}`, n),
      fills: (outcome, n) => count(`fill ${outcome}`, n),
      unopenedValues: (reason, n) => count(`unopened ${reason}`, n),
    }
    const warnings: string[] = []
    const registry = new CacheRegistry({
      valkey: { url: server.url, deadlineMs: patientMs },
      namespace,
      consistency: { fenceMs: 500 },
      observer: { forModel: () => model, storeChanged: () => {} },
      warn: (message) => warnings.push(message),
      ...(atRest && { atRest }),
    })
    const client = new PrismaClient({
      adapter: database.adapter(4),
      errorFormat: 'minimal',
    })
    const results = {
      Person: { ttl: '1h', by: 'name' },
      Article: { ttl: '1h', ...(compress && { compress }) },
    } as const
    const prisma = extendPrisma(client, registry.writes, { reads: { caches: 'all', results } })
    const definitions = compress
      ? ([
          defineModelCache('Person', { ttl: '1h', l1: { ttl: '1h' }, compress }),
          defineModelCache('Seat', {
            ttl: '1h',
            compress,
            unique: { label: 'label' },
            lists: { ofHall: { by: 'hall' } },
          }),
        ] as unknown as [typeof personCache, typeof seatCache])
      : ([personCache, seatCache] as const)
    const [people, seats] = [await registry.register(definitions[0]), await registry.register(definitions[1])]
    const pod: Pod = {
      prisma: prisma as unknown as Pod['prisma'],
      registry,
      people,
      seats,
      warnings,
      counts() {
        const found = { ...counts }
        for (const name of Object.keys(counts)) delete counts[name]
        return found
      },
      async close() {
        if (!pods.delete(pod)) return
        await registry.close()
        await client.$disconnect()
      },
    }
    pods.add(pod)
    try {
      await registry.start(prisma)
    } catch (error) {
      await pod.close()
      throw error
    }
    return pod
  }

  return {
    url: server.url,
    valkey,
    open,
    async dump() {
      const keys = await valkey.keys('*')
      const values = await Promise.all(
        keys.map(async (key) => {
          const type = await valkey.type(key)
          const value =
            type === 'hash' ? JSON.stringify(await valkey.hgetall(key)) : await valkey.getBuffer(key)
          return [key, value?.toString('latin1') ?? ''] as const
        }),
      )
      return new Map(values)
    },
    async heard(work) {
      const connection = valkey.duplicate()
      const monitor = await connection.monitor()
      const heard: string[] = []
      monitor.on('monitor', (_time: string, args: readonly string[]) => heard.push(args.join(' ')))
      await work()
      const last = randomUUID()
      await valkey.echo(last)
      while (!heard.some((line) => line.includes(last))) await new Promise(setImmediate)
      monitor.disconnect()
      connection.disconnect()
      return heard.join('\n')
    },
    async close() {
      for (const pod of pods) await pod.close()
      valkey.disconnect()
      await server.stop()
      await database.drop()
    },
  }
}

/** Reads everything that is known, in every way, until all of it is stored. */
export async function readKnown(pod: Pod): Promise<void> {
  const { people, prisma, registry, seats } = pod
  await eventually(async () => {
    pod.counts()
    await people.get(known.person)
    await people.get(known.absent)
    await seats.getBy('label', known.label)
    await seats.list('ofHall', known.hall)
    await prisma.person.findMany(everybody)
    await prisma.person.findMany({
      where: { name: known.name },
      omit: { secret: true },
      orderBy: { email: 'asc' },
    })
    await prisma.article.count({ where: { title: { not: known.name } } })
    for (const { cache } of registry.caches) await cache!.drain()
    const counts = pod.counts()
    return counts['store miss'] === undefined
  })
}
