import { type } from 'arktype'
import { defineModelCache, json } from 'model-cache'
import type { Source } from 'model-cache/advanced'
import type pg from 'pg'
import type { FeatureFlags } from '#prisma/client/client.js'
import { cacheNames, type CacheName, type CacheSettings } from './protocol.ts'

/** The model of the demo whose rows count their changes. */
export const MODEL = 'FeatureFlags'

export const defineRevisions = ({ name, version }: CacheSettings, l1: boolean) =>
  defineModelCache<FeatureFlags>()({
    name,
    model: MODEL,
    schema: type({ id: 'string', revision: 'number', flags: json, updatedAt: 'Date' }),
    id: 'id',
    ttl: '1m',
    // Rows without writes are refreshed in the background from their tenth second on.
    refreshAhead: '50s',
    staleFor: '2m',
    // Much longer than a message of a write takes.
    ...(l1 && { l1: { ttl: '30s' } }),
    // Both ways in which L1 answers.
    rows: name === cacheNames[0] ? 'copies' : 'shared',
    version,
  })

export const idOf = (row: number): string => `row-${row}`
export const rowOf = (id: string): number => Number(id.slice('row-'.length))

/** The first tenth of the rows gets half of the work. */
export const hotRowsOf = (rows: number): number => Math.ceil(rows / 10)

/** Whether a cache reads a row. Writes by hand invalidate only the cache that all pods have, so no other cache reads their rows. */
export const reads = (cache: CacheName, row: number): boolean => cache === cacheNames[0] || !isByHand(row)
export const isByHand = (row: number): boolean => row % 4 === 0

export async function createRows(database: pg.Pool | pg.Client, rows: number): Promise<void> {
  await database.query(
    `INSERT INTO "FeatureFlags" (id, revision, flags, "updatedAt")
     SELECT 'row-' || n, 0, jsonb_build_object('note', repeat('x', 300)), now() FROM generate_series(0, $1 - 1) n`,
    [rows],
  )
}

export async function revisionsIn(database: pg.Pool | pg.Client): Promise<number[]> {
  const revisions: number[] = []
  const { rows } = await database.query<FeatureFlags>('SELECT id, revision FROM "FeatureFlags"')
  for (const { id, revision } of rows) revisions[rowOf(id)] = revision
  return revisions
}

export function createRowSource(pool: pg.Pool): Source<FeatureFlags, string> {
  return {
    load: async (ids) => {
      const sql = 'SELECT id, revision, flags, "updatedAt" FROM "FeatureFlags" WHERE id = ANY($1)'
      return (await pool.query<FeatureFlags>(sql, [ids])).rows
    },
    mayBlameOneId: () => false,
  }
}
