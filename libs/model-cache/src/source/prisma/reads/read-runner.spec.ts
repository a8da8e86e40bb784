import type { QueryResults } from '../../query-results.js'
import type { QueryParams } from '../internals.js'
import { describeSchemaText } from '../schema/describe-schema.js'
import { AnsweredModels } from './answered-models.js'
import { BypassedQueries } from './bypassed-queries.js'
import { type ReadSettings, readSettingsOf } from './read-options.js'
import { ReadRunner } from './read-runner.js'
import { readModelsOf } from './readable-cache.js'
import { ResultShapes } from './result-shapes.js'

const facts = describeSchemaText(`
datasource db { provider = "postgresql" }
model Lot {
  id   Int    @id
  name String
}`)
const params: QueryParams = {
  model: 'Lot',
  action: 'findMany',
  args: { where: { name: 'a' } },
  dataPath: [],
}

/** Queries of a client without caches of rows, and what is counted of them. */
function open(results: ReadSettings['results']) {
  const bypassed = new BypassedQueries(facts.models)
  const resultShapes = new ResultShapes(facts.models)
  const client = {
    _originalClient: {},
    _extensions: {
      getAllBatchQueryCallbacks: () => [],
      getAllClientExtensions: () => undefined,
      getAllComputedFields: () => undefined,
    },
  }
  const kept = { isFrom: () => true, answer: async () => [] } as unknown as QueryResults
  const caches = { version: 0, all: () => [], isInTransaction: false, results: kept }
  const runner = new ReadRunner({
    client,
    settings: { ...readSettingsOf('all', facts.models), results },
    facts,
    caches,
    models: new AnsweredModels(client, caches, undefined, readModelsOf(facts)),
    query: async () => [],
    isReplica: false,
    bypassed,
    resultShapes,
  })
  return {
    send: () => runner.run(client, params),
    /** Counts queries of many other shapes, each of which is more frequent. */
    countOthers() {
      for (let n = 0; n < 2_000; n++) {
        const query = { model: 'Lot', action: `other ${n}`, args: {} }
        bypassed.add({ ...query, reason: 'no_cache' }).count += 10
        resultShapes.of({ ...query, models: new Set(['Lot']) }).count += 10
      }
    },
    /** What is counted of the query by its shape. */
    counted: () =>
      [...bypassed.all(), ...resultShapes.all()].filter(({ action, args }) => action === 'findMany' && args),
  }
}

it.each<[string, results: ReadSettings['results']]>([
  ['the database', new Map()],
  ['results', new Map([['Lot', { ttl: '1h' }]])],
])('counts queries that %s answers by their shape again, once it has been dropped', async (_, results) => {
  const { countOthers, counted, send } = open(results)
  for (let times = 0; times < 4; times++) await send()
  expect(counted()).toMatchObject([{ count: 4 }])
  countOthers()
  expect(counted()).toEqual([])
  await send()
  expect(counted()).toMatchObject([{ count: 1 }])
})
