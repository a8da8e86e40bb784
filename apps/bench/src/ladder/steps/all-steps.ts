import pg from 'pg'
import { hashOf, idOf } from './keys.ts'
import { inOneQuery, POOL_SIZE, sequentially } from './queries.ts'
import { bySpreading, byMapping } from './shapes.ts'
import { composeReport, type Parts, type Step, type StepEnvironment } from './step.ts'

/** From the bottom to the top: each does one thing otherwise than the one before. */
export const allSteps: readonly Step[] = [
  step(
    'naive',
    'a query per lot, one after the other; lines hashed; objects spread; JSON.stringify',
    (pool) => ({
      findLines: sequentially(pool),
      keyOf: hashOf,
      shape: bySpreading,
      write: JSON.stringify,
    }),
  ),
  step('one query', 'the database puts lots and bids together', (pool) => ({
    findLines: inOneQuery(pool),
    keyOf: hashOf,
    shape: bySpreading,
    write: JSON.stringify,
  })),
  step('keys', 'lines are told apart by their id, not by a hash of all of them', (pool) => ({
    findLines: inOneQuery(pool),
    keyOf: idOf,
    shape: bySpreading,
    write: JSON.stringify,
  })),
  step('mapping', 'objects are made of named fields, not spread', (pool) => ({
    findLines: inOneQuery(pool),
    keyOf: idOf,
    shape: byMapping,
    write: JSON.stringify,
  })),
  step('compiled', 'fast-json-stringify writes the answer by its schema', async (pool) => ({
    findLines: inOneQuery(pool),
    keyOf: idOf,
    shape: byMapping,
    write: (await import('./write-compiled.ts')).writeCompiled,
  })),
  step('model-cache', 'rows come from Valkey through this library', async (pool, { valkeyUrl }) => ({
    findLines: await (await import('./cached.ts')).fromCache(pool, valkeyUrl),
    keyOf: idOf,
    shape: byMapping,
    write: (await import('./write-compiled.ts')).writeCompiled,
  })),
]

function step(
  name: string,
  change: string,
  open: (pool: pg.Pool, environment: StepEnvironment) => Parts | Promise<Parts>,
): Step {
  return {
    name,
    change,
    async open(environment) {
      const pool = new pg.Pool({ connectionString: environment.databaseUrl, max: POOL_SIZE })
      return composeReport(await open(pool, environment))
    },
  }
}
