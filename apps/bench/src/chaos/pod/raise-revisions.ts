import { FenceError, type ModelCacheWrites } from 'model-cache'
import type { WriteEnd } from 'model-cache/advanced'
import pg from 'pg'
import { machineTime } from '../machine-time.ts'
import type { Revision, UnknownEnd, Write, WriteSteps } from './protocol.ts'
import { MODEL, rowOf } from './revisions.ts'
import type { ToldStore } from './told-store.ts'

export interface WriteParts {
  readonly pool: pg.Pool
  readonly writes: ModelCacheWrites
  readonly store: ToldStore
}

export interface WritePlan {
  readonly ids: readonly string[]
  /** Whether the cache is not told which rows they are. */
  readonly isUnknown: boolean
  readonly rollsBack: boolean
}

/** What may happen in between. */
export interface Moments {
  /** The fence stands, or has not been taken. */
  fenced(isTaken: boolean): Promise<void>
  committed(write: Write): Promise<void>
}

/**
 * Raises revisions in one transaction of SQL, and keeps the caches in step by hand, with all that may happen in between.
 *
 * @returns null when it was rolled back
 * @throws FenceError, or what the database throws, when it was rolled back for that
 */
export async function raiseRevisions(
  { pool, writes, store }: WriteParts,
  { ids, isUnknown, rollsBack }: WritePlan,
  moments: Moments,
): Promise<Write | UnknownEnd | null> {
  const client = await pool.connect()
  const unit = writes.begin()
  let steps: WriteSteps | undefined
  let revisions: readonly Revision[] = []
  let end: WriteEnd = 'known'
  let failure: unknown
  try {
    await client.query('BEGIN')
    revisions = await updateRows(client, ids)
    if (isUnknown) unit.markAllWritten(MODEL, 'unknown')
    else
      unit.markWritten(
        MODEL,
        ids.map((id) => ({ id })),
      )
    const startedAt = machineTime()
    const isFenced = await store.takes(() => unit.fence())
    await moments.fenced(isFenced)
    if (!rollsBack) {
      end = await commit(client)
      const fencedAt = isFenced ? startedAt : undefined
      steps = { fencedAt, committedAt: machineTime(), settledAt: undefined, isSettled: false }
      if (end === 'known') await moments.committed({ ...steps, revisions })
    }
  } catch (error) {
    failure = error
  }
  if (!steps) await client.query('ROLLBACK').catch((error: unknown) => (failure ??= error))
  // A connection that has failed may still be at work on what failed.
  client.release(end === 'unknown' || (failure !== undefined && !(failure instanceof FenceError)))
  const isSettled = await store.takes(() => unit.end(end))
  if (failure !== undefined) throw failure
  const settled = steps && { ...steps, settledAt: machineTime(), isSettled }
  if (!settled) return null
  return end === 'known' ? { ...settled, revisions } : { ...settled, rows: ids.map(rowOf) }
}

/** @throws what PostgreSQL refuses it with */
async function commit(client: pg.PoolClient): Promise<WriteEnd> {
  try {
    await client.query('COMMIT')
    return 'known'
  } catch (error) {
    // Only a reply of the server tells that nothing was committed, and FATAL ones may come after it was.
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR') throw error
    return 'unknown'
  }
}

/** Raises revisions without a fence, and tells the cache when that is done. */
export async function raiseByHand(
  { directPool, store }: Pick<WriteParts, 'store'> & { readonly directPool: pg.Pool },
  ids: readonly string[],
  invalidate: () => Promise<void>,
): Promise<Write> {
  const revisions = await updateRows(directPool, ids)
  const committedAt = machineTime()
  const isSettled = await store.takes(invalidate)
  return { revisions, fencedAt: undefined, committedAt, settledAt: machineTime(), isSettled }
}

/** Locks the rows in the order of their ids, so that two transactions never wait for each other. */
async function updateRows(client: pg.Pool | pg.PoolClient, ids: readonly string[]): Promise<Revision[]> {
  const sql = `
    WITH locked AS (SELECT id FROM "FeatureFlags" WHERE id = ANY($1) ORDER BY id FOR UPDATE)
    UPDATE "FeatureFlags" row SET revision = revision + 1, "updatedAt" = now()
    FROM locked WHERE row.id = locked.id RETURNING row.id, revision`
  const { rows } = await client.query<{ id: string; revision: number }>(sql, [ids])
  return rows.map(({ id, revision }) => [rowOf(id), revision])
}
