/** A plain client, and one whose queries caches answer, of one database. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import type { Type } from 'arktype'
import {
  extendPrisma,
  type ExtendPrismaOptions,
  type ModelCacheDefinition,
  modelCaches,
  ModelCacheWrites,
} from 'model-cache'
import {
  createModelCache,
  createPrismaSource,
  type ModelObserver,
  type ReadThroughCache,
  silentObserver,
  Slicer,
  ValkeyStore,
} from 'model-cache/advanced'
import pg from 'pg'
import { patientMs } from '../../support/patience.ts'
import { createDatabase, valkeyUrl } from '../../support/servers.ts'
import { PrismaClient } from '../differential/client/client.ts'
import { models } from '../differential/models.ts'
import { rowTypeOf } from '../differential/row-type.ts'

const { defineModelCache } = modelCaches()

export type Definition = ModelCacheDefinition<object, never>
export type Client = PrismaClient & { readonly $uncached: PrismaClient }

/** A cache of the tests' schema. */
export interface CacheOptions {
  readonly model: string
  readonly id: string | readonly string[]
  /** @default all of the model */
  readonly fields?: readonly string[]
  readonly name?: string
  readonly rows?: 'shared'
  readonly unique?: object
  readonly lists?: object
  /** Replaces the types of fields. */
  readonly types?: Readonly<Record<string, Type>>
}

export interface ReadsFixtureOptions {
  readonly caches: readonly CacheOptions[]
  readonly reads?:
    ExtendPrismaOptions['reads'] | ((definitions: readonly Definition[]) => ExtendPrismaOptions['reads'])
  /** The client before it is extended. */
  readonly prepare?: (client: PrismaClient) => object
  readonly omit?: object
  /** @default the server that specs share */
  readonly storeUrl?: string
}

export interface ReadsFixture {
  readonly url: string
  readonly plain: PrismaClient
  readonly prisma: Client
  readonly writes: ModelCacheWrites
  readonly definitions: readonly Definition[]
  readonly sql: pg.Client
  readonly warnings: string[]
  readonly cacheOf: (name: string) => ReadThroughCache<object, never>
  /** What became of the queries since the last call: `['answered']`. */
  readonly outcomes: () => string[]
  /** What shadow mode has found since the last call. */
  readonly comparisons: () => string[]
  /** The statements of the extended client since the last call. */
  readonly statements: () => string[]
  /** Makes the database what it was in the beginning, and has all caches forget. */
  readonly refill: () => Promise<void>
  readonly close: () => Promise<void>
}

export async function openReadsFixture(options: ReadsFixtureOptions): Promise<ReadsFixture> {
  const { url, drop } = await createDatabase()
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  const run = (script: string): Promise<unknown> =>
    sql.query(readFileSync(join(import.meta.dirname, '../differential', script), 'utf8'))
  await run('tables.sql')
  await run('refill.sql')
  const { omit } = options
  const plain = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url, max: 2 }),
    errorFormat: 'minimal',
    ...(omit && { omit }),
  })
  const client = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url, max: 4 }),
    errorFormat: 'minimal',
    log: [{ emit: 'event', level: 'query' }],
    ...(omit && { omit }),
  })
  const statements: string[] = []
  client.$on('query' as never, ((event: { query: string }) => statements.push(event.query)) as never)
  const store = new ValkeyStore({ url: options.storeUrl ?? valkeyUrl(), deadlineMs: patientMs })
  await store.connect()
  const writes = new ModelCacheWrites()
  const definitions = options.caches.map(definitionOf)
  const reads = typeof options.reads === 'function' ? options.reads(definitions) : options.reads
  const prisma = extendPrisma(options.prepare?.(client) ?? client, writes, { reads: reads ?? definitions })
  const outcomes: string[] = []
  const comparisons: string[] = []
  const warnings: string[] = []
  const observed: ModelObserver = {
    ...silentObserver.forModel('any'),
    prismaReads: (outcome, count) => void outcomes.push(...Array<string>(count).fill(outcome)),
    prismaShadow: (outcome) => void comparisons.push(outcome),
  }
  const namespace = `reads-${randomUUID()}`
  const caches = new Map(
    definitions.map((definition) => {
      const { name, model, id, select } = definition
      const cache = createModelCache<object, never>(definition, {
        namespace,
        store,
        writes,
        observer: { forModel: () => observed, storeChanged: () => {} },
        // No turn is ever full: where a turn ends, commands are split, which would depend on the machine.
        slicer: new Slicer({ budgetMs: 1_000 }),
        warn: (message) => warnings.push(message),
        source: createPrismaSource(prisma, {
          name,
          model,
          idFields: id as readonly string[],
          ...(select && { select }),
        }),
      })
      return [name, cache] as const
    }),
  )
  return {
    url,
    plain,
    prisma: prisma as Client,
    writes,
    definitions,
    sql,
    warnings,
    cacheOf: (name) => caches.get(name)!,
    outcomes: () => outcomes.splice(0),
    comparisons: () => comparisons.splice(0),
    statements: () => statements.splice(0),
    async refill() {
      await run('refill.sql')
      for (const cache of caches.values()) await cache.invalidateAll()
    },
    async close() {
      for (const cache of caches.values()) await cache.close()
      await store.close()
      await Promise.all([plain.$disconnect(), client.$disconnect(), sql.end()])
      await drop()
    },
  }
}

export function definitionOf({
  model,
  id,
  fields,
  name,
  rows,
  types,
  unique,
  lists,
}: CacheOptions): Definition {
  const known = models[model]!.fields
  const chosen = fields ?? Object.keys(known)
  const ids = typeof id === 'string' ? [id] : id
  const row = Object.fromEntries(chosen.map((field) => [field, known[field]!]))
  return defineModelCache<object>()({
    model,
    name: name ?? model,
    schema: rowTypeOf(row, ids, types) as never,
    id: id as never,
    ttl: '1h',
    select: Object.fromEntries(chosen.map((field) => [field, true])),
    ...(rows && { rows }),
    ...({ unique, lists } as object),
  }) as unknown as Definition
}
