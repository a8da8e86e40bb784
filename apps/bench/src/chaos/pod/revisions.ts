import { type } from 'arktype'
import { defineModelCache, json, type Source } from 'model-cache'
import type pg from 'pg'
import type { FeatureFlags } from '#prisma/client/client.js'
import type { PodSettings } from './protocol.ts'

/** The model of the demo whose rows count their changes. */
export const MODEL = 'FeatureFlags'

export const defineRevisions = ({ version, l1 }: Pick<PodSettings, 'version' | 'l1'>) =>
  defineModelCache<FeatureFlags>()({
    model: MODEL,
    schema: type({ id: 'string', revision: 'number', flags: json, updatedAt: 'Date' }),
    id: 'id',
    ttl: '1m',
    // Rows that nobody writes are loaded anew in the background from their tenth second on.
    earlyRefresh: '50s',
    grace: '2m',
    // Much longer than it takes to hear of a write elsewhere.
    ...(l1 && { l1: { ttl: '30s' } }),
    version,
  })

export const idOf = (row: number): string => `row-${row}`
export const rowOf = (id: string): number => Number(id.slice('row-'.length))

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
