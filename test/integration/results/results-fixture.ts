/** Processes that keep results of queries of one database, each with a client and a store of its own. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import {
  bindDefinition,
  createLoadPermits,
  createModelCache,
  createPrismaSource,
  databaseOf,
  KeptResults,
  type ModelObserver,
  type KeptResultsOptions,
  NamespaceDatabase,
  schemaFactsOf,
  silentObserver,
  ValkeyStore,
} from 'model-cache/advanced'
import pg from 'pg'
import { eventually } from '../../support/eventually.ts'
import { heardAdapter } from '../../support/heard-adapter.ts'
import { patientMs } from '../../support/patience.ts'
import { createDatabase, valkeyUrl } from '../../support/servers.ts'
import { PrismaClient } from '../differential/reads/client/client.ts'

const folder = join(import.meta.dirname, '../differential/reads')

/** By model, for how long results are kept; other models are not listed. */
export const kept = {
  Person: '1h',
  Article: '1h',
  Topic: '1h',
  Review: '1h',
  Seat: '1h',
  Word: '1h',
} as const

/** The id of a person, from 1 on. */
export const person = (n: number): string => `5eed0000-0000-4000-a000-0000000000a${n}`

export interface Process {
  readonly prisma: PrismaClient & { readonly $uncached: PrismaClient }
  readonly results: KeptResults
  /** The statements that it has sent since the last call. */
  readonly statements: () => readonly string[]
  /** The same, with what the library sends itself, and each transaction as `BEGIN`. */
  readonly sent: () => readonly string[]
  /** What became of reads of results since the last call: `{ 'store hit': 1 }`. */
  readonly reads: () => Readonly<Record<string, number>>
  /** The outcomes of comparisons of shadow mode since the last call. */
  readonly comparisons: () => readonly string[]
  readonly warnings: readonly string[]
  readonly writes: ModelCacheWrites
  /** Adds a cache of rows of a model. */
  readonly addRows: (model: string) => void
}

export type Query = (prisma: Process['prisma']) => PromiseLike<unknown>

/** Sends queries until results of all of them have been stored, which takes a while after a write, and after the start. */
export async function warm(
  { prisma, results, statements }: Process,
  ...queries: readonly Query[]
): Promise<void> {
  await eventually(async () => {
    for (const query of queries) await query(prisma)
    await results.drain()
    statements()
    for (const query of queries) await query(prisma)
    return statements().length === 0
  })
}

export interface ResultsFixture {
  readonly namespace: string
  readonly plain: PrismaClient
  readonly sql: pg.Client
  readonly open: (options?: {
    readonly models?: Readonly<Record<string, unknown>>
    readonly shadow?: boolean
    /** Of its Valkey. */
    readonly url?: string
    /** For how long a query may be loaded. */
    readonly loadTimeoutMs?: number
    /** Of Prisma, which a generated client has otherwise. */
    readonly previewFeatures?: readonly string[]
  }) => Promise<Process>
  readonly close: () => Promise<void>
}

export async function openResults(): Promise<ResultsFixture> {
  const { drop, url } = await createDatabase()
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  for (const script of ['tables.sql', 'rows.sql']) await sql.query(readFileSync(join(folder, script), 'utf8'))
  const namespace = `results-${randomUUID()}`
  const closing: (() => Promise<unknown>)[] = [drop, () => sql.end()]
  const clientOf = (sent: (sql: string) => void = () => {}): PrismaClient => {
    const client = new PrismaClient({
      adapter: heardAdapter(new PrismaPg({ connectionString: url, max: 4 }), {
        sent,
        began: () => sent('BEGIN'),
      }),
      errorFormat: 'minimal',
      log: [{ emit: 'event', level: 'query' }],
    })
    closing.push(() => client.$disconnect())
    return client as unknown as PrismaClient
  }
  return {
    namespace,
    plain: clientOf(),
    sql,
    async open({
      models = kept,
      shadow = false,
      url: storeUrl = valkeyUrl(),
      previewFeatures,
      loadTimeoutMs,
    } = {}) {
      const sent: string[] = []
      const client = clientOf((sql) => sent.push(sql))
      if (previewFeatures) Object.assign(client, { _previewFeatures: previewFeatures })
      const statements: string[] = []
      client.$on('query' as never, ((event: { query: string }) => statements.push(event.query)) as never)
      const store = new ValkeyStore({ url: storeUrl, deadlineMs: patientMs })
      await store.connect()
      closing.push(() => store.close())
      const writes = new ModelCacheWrites()
      const prisma = extendPrisma(client, writes, { reads: { shadow, results: models as typeof kept } })
      const database = new NamespaceDatabase({ store, namespace, database: databaseOf(prisma) })
      const counts: Record<string, number> = {}
      const comparisons: string[] = []
      const warnings: string[] = []
      const observer: ModelObserver = {
        ...silentObserver.forModel('any'),
        prismaShadow: (outcome) => comparisons.push(outcome),
        reads: (layer, outcome, count) => {
          counts[`${layer} ${outcome}`] = (counts[`${layer} ${outcome}`] ?? 0) + count
        },
      }
      const results = new KeptResults({
        models: new Map(
          Object.entries(models).map(([name, kept]) => [
            name,
            typeof kept === 'string' ? { ttl: kept } : kept,
          ]),
        ) as KeptResultsOptions['models'],
        facts: schemaFactsOf(prisma),
        store,
        writes,
        database,
        namespace,
        consistency: { fenceMs: 1_000 },
        loads: createLoadPermits(8, loadTimeoutMs),
        warn: (message) => warnings.push(message),
        observer: { forModel: () => observer, storeChanged: () => {} },
      })
      await database.start()
      await results.join()
      writes.reads.results = results
      closing.push(async () => {
        writes.reads.results = undefined
        await results.close()
        await writes.close()
        await database.stop()
      })
      return {
        writes,
        addRows(model) {
          const definition = bindDefinition(
            // eslint-disable-next-line typescript/no-explicit-any -- any model of the schema
            modelCaches<any>().defineModelCache(model, { ttl: '1h' }),
            schemaFactsOf(prisma),
          )
          const cache = createModelCache(definition, {
            namespace,
            store,
            writes,
            database,
            consistency: { fenceMs: 1_000 },
            source: createPrismaSource(prisma, { ...definition, ...definition.selection }),
          })
          closing.push(() => cache.close())
        },
        prisma: prisma as unknown as Process['prisma'],
        results,
        statements: () => statements.splice(0),
        sent: () => sent.splice(0),
        comparisons: () => comparisons.splice(0),
        warnings,
        reads() {
          const found = { ...counts }
          for (const name of Object.keys(counts)) delete counts[name]
          return found
        },
      }
    },
    async close() {
      for (const close of closing.toReversed()) await close()
    },
  }
}
