import assert from 'node:assert/strict'
import { extendPrisma, modelCaches, ModelCacheWrites } from 'model-cache'
import {
  createModelCache,
  createPrismaSource,
  KeptResults,
  type KeptResultsOptions,
  schemaFactsOf,
} from 'model-cache/advanced'
import type { FeatureFlags } from '#prisma/client/client.js'
import type { CostTask, MeasuredRows } from './measured-rows.ts'

export const RESULTS = 'write with Prisma, rows cached'
export const ROWS_ALONE = 'fenced'
export const WITH_RESULTS = 'with results'
export const WITH_SCOPES = 'with results by two fields'

const TIMES = 50
const model = 'FeatureFlags'

const ways: readonly (readonly [name: string, models: KeptResultsOptions['models']])[] = [
  [ROWS_ALONE, new Map()],
  [WITH_RESULTS, new Map([[model, { ttl: '1h' }]])],
  [WITH_SCOPES, new Map([[model, { ttl: '1h', by: ['id', 'revision'] }]])],
]

/**
 * Writes one row of a model whose rows are cached, and whose results are kept, or are not. Each way has a namespace of its own: all writers
 * of a namespace fence what any process keeps.
 */
export async function openResultTasks({ ids, openClient, prisma: plain, schema, store }: MeasuredRows) {
  const closing: (() => Promise<unknown>)[] = []
  const open = async ([name, models]: (typeof ways)[number], at: number): Promise<CostTask> => {
    const writes = new ModelCacheWrites()
    const prisma = extendPrisma(openClient(), writes, { reads: { results: Object.fromEntries(models) } })
    const shared = { namespace: `bench-results-${at}`, store, writes, consistency: { fenceMs: 1_000 } }
    const define = modelCaches().defineModelCache<FeatureFlags>()
    const definition = define({ model, schema, id: 'id', ttl: '1h' })
    const source = createPrismaSource<FeatureFlags, string>(prisma, { name: model, model, idFields: ['id'] })
    const cache = createModelCache(definition, { ...shared, source })
    const results = new KeptResults({ ...shared, models, facts: schemaFactsOf(prisma) })
    await results.join()
    writes.reads.results = results
    closing.push(
      () => results.close(),
      () => cache.close(),
      () => writes.close(),
    )
    const written = ids.slice(0, TIMES)
    const write = (id: string): Promise<unknown> =>
      prisma.featureFlags.update({ where: { id }, data: { revision: { increment: 1 } } })
    const revisions = (client: typeof plain, id: string) =>
      client.featureFlags.aggregate({ where: { id }, _max: { revision: true } })
    let next = 0
    return {
      group: RESULTS,
      name,
      times: TIMES,
      async prepare() {
        await cache.getMany(written)
        await cache.drain()
      },
      run: () => write(written[next++ % TIMES]!),
      async verify() {
        for (const id of written.slice(0, 2)) {
          for (const _ of ['loads', 'reads']) await revisions(prisma, id)
          await write(id)
          assert.deepEqual(
            await revisions(prisma, id),
            await revisions(plain, id),
            `${name}: what is written`,
          )
        }
      },
    }
  }
  const tasks: CostTask[] = []
  for (const [at, way] of ways.entries()) tasks.push(await open(way, at))
  return {
    tasks,
    async close() {
      for (const close of closing) await close()
    },
  }
}
