import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Line } from './line.ts'
import { inOneQuery, sequentially, type FindLines } from './queries.ts'

export interface Report {
  readonly id: string
  readonly lines: readonly Line[]
}

/** The four parts of a response, and how a step makes each of them. */
interface Parts {
  findLines: FindLines
  /** Identifies a line. */
  keyOf(line: Line): string
  shape(id: string, lines: readonly Line[]): Report
  write(report: Report): string
}

/** One rung of the ladder. */
export interface Step {
  readonly name: string
  /** What it does differently from the step before. */
  readonly change: string
  /** Loads only the packages of the step. @param valkeyUrl a `redis://` URL */
  parts(pool: pg.Pool, valkeyUrl: string): Partial<Parts> | Promise<Partial<Parts>>
}

/** From the bottom to the top: each changes some parts of the one before. */
export const allSteps: readonly Step[] = [
  {
    name: 'naive',
    change: 'a query per lot, in sequence; lines hashed; objects spread; JSON.stringify',
    parts: (pool) => ({
      findLines: sequentially(pool),
      keyOf: (line) => createHash('sha256').update(JSON.stringify(line)).digest('hex'),
      shape: bySpreading,
      write: JSON.stringify,
    }),
  },
  {
    name: 'one query',
    change: 'the database joins lots and bids',
    parts: (pool) => ({ findLines: inOneQuery(pool) }),
  },
  {
    name: 'keys',
    change: 'the id identifies a line, not a hash of all of it',
    parts: () => ({ keyOf: ({ id }) => id }),
  },
  {
    name: 'mapping',
    change: 'objects are made of named fields, not spread',
    parts: () => ({ shape: (id, lines) => ({ id, lines: lines.map(mapLine) }) }),
  },
  {
    name: 'compiled',
    change: 'fast-json-stringify writes the response by its schema',
    parts: async () => ({ write: await compileWriter() }),
  },
  {
    name: 'model-cache',
    change: 'rows come from Valkey through this library',
    parts: async (pool, valkeyUrl) => ({
      findLines: await (await import('./cached.ts')).fromCache(pool, valkeyUrl),
    }),
  },
]

/** @returns the response by report id */
export async function openStep(name: string, databaseUrl: string, valkeyUrl: string) {
  // As many connections as pg opens by default.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 })
  const parts: Partial<Parts> = {}
  const upTo = allSteps.findIndex((step) => step.name === name)
  for (const step of allSteps.slice(0, upTo + 1)) Object.assign(parts, await step.parts(pool, valkeyUrl))
  const { findLines, keyOf, shape, write } = parts as Parts
  return async (id: string): Promise<string> => {
    // Writes each line once, whatever duplicates joins or merged sources have made.
    const byKey = new Map<string, Line>()
    for (const line of await findLines(id)) byKey.set(keyOf(line), line)
    return write(shape(id, [...byKey.values()]))
  }
}

/** Copies every object, and the list with each line. */
const bySpreading = (id: string, lines: readonly Line[]): Report =>
  lines.reduce<Report>(
    (report, line) => {
      const { total, bids, ...lot } = line
      const withTotal = { ...lot, total }
      const withBids = { ...withTotal, bids: bids.map((bid) => ({ ...bid })) }
      return { ...report, lines: [...report.lines, withBids] }
    },
    { id, lines: [] },
  )

const mapLine = (line: Line): Line => ({
  id: line.id,
  lot: line.lot,
  name: line.name,
  donorName: line.donorName,
  category: line.category,
  status: line.status,
  startsAt: line.startsAt,
  updatedAt: line.updatedAt,
  bidCount: line.bidCount,
  total: line.total,
  bids: line.bids.map((bid) => ({
    id: bid.id,
    bidderId: bid.bidderId,
    amount: bid.amount,
    source: bid.source,
    placedAt: bid.placedAt,
  })),
})

async function compileWriter(): Promise<Parts['write']> {
  const { default: fastJson } = await import('fast-json-stringify')
  const text = { type: 'string' } as const
  const moment = { type: 'string', format: 'date-time' } as const
  const arrayOf = (properties: object) =>
    ({ type: 'array', items: { type: 'object', properties: properties as never } }) as const
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
    bids: arrayOf({ id: text, bidderId: text, amount: text, source: text, placedAt: text }),
  }
  return fastJson({ type: 'object', properties: { id: text, lines: arrayOf(line) } })
}
