import pg from 'pg'
import { inOneQuery, POOL_SIZE, sequentially } from './queries.ts'
import {
  byMapping,
  bySpreading,
  composeReport,
  hashOf,
  idOf,
  type Report,
  type ReportDependencies,
} from './report.ts'

/** One rung of the ladder. */
export interface Step {
  readonly name: string
  /** What it does differently from the step before. */
  readonly change: string
  /** Loads only the packages of the step. @returns the response by report id */
  open(environment: StepEnvironment): Promise<(reportId: string) => Promise<string>>
}

export interface StepEnvironment {
  readonly databaseUrl: string
  /** A `redis://` URL. */
  readonly valkeyUrl: string
}

const naive = (pool: pg.Pool): ReportDependencies => ({
  findLines: sequentially(pool),
  keyOf: hashOf,
  shape: bySpreading,
  write: JSON.stringify,
})
const oneQuery = (pool: pg.Pool): ReportDependencies => ({ ...naive(pool), findLines: inOneQuery(pool) })
const keys = (pool: pg.Pool): ReportDependencies => ({ ...oneQuery(pool), keyOf: idOf })
const mapping = (pool: pg.Pool): ReportDependencies => ({ ...keys(pool), shape: byMapping })
const compiled = async (pool: pg.Pool): Promise<ReportDependencies> => ({
  ...mapping(pool),
  write: await compileWriter(),
})
const modelCache = async (pool: pg.Pool, { valkeyUrl }: StepEnvironment): Promise<ReportDependencies> => ({
  ...(await compiled(pool)),
  findLines: await (await import('./cached.ts')).fromCache(pool, valkeyUrl),
})

/** From the bottom to the top: each changes one part of the one before. */
export const allSteps: readonly Step[] = [
  step('naive', 'a query per lot, in sequence; lines hashed; objects spread; JSON.stringify', naive),
  step('one query', 'the database joins lots and bids', oneQuery),
  step('keys', 'the id identifies a line, not a hash of all of it', keys),
  step('mapping', 'objects are made of named fields, not spread', mapping),
  step('compiled', 'fast-json-stringify writes the response by its schema', compiled),
  step('model-cache', 'rows come from Valkey through this library', modelCache),
]

function step(
  name: string,
  change: string,
  open: (pool: pg.Pool, environment: StepEnvironment) => ReportDependencies | Promise<ReportDependencies>,
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

async function compileWriter(): Promise<(report: Report) => string> {
  const { default: fastJson } = await import('fast-json-stringify')
  const text = { type: 'string' } as const
  const moment = { type: 'string', format: 'date-time' } as const
  const arrayOf = <Properties extends object>(properties: Properties) =>
    ({ type: 'array', items: { type: 'object', properties } }) as const
  const bid = { id: text, bidderId: text, amount: text, source: text, placedAt: text }
  const line = {
    id: text,
    lot: text,
    name: text,
    donorName: text,
    category: text,
    status: text,
    startsAt: moment,
    updatedAt: moment,
    bidCount: { type: 'integer' },
    total: text,
    bids: arrayOf(bid),
  } as const
  return fastJson({ type: 'object', properties: { id: text, lines: arrayOf(line) } })
}
