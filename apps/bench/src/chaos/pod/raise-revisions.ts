import type { ModelCacheWrites } from 'model-cache'
import type pg from 'pg'
import { machineTime } from '../machine-time.ts'
import type { Write } from './protocol.ts'
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
 * Raises revisions in one transaction of SQL, and keeps the cache in step by hand, with all that may happen in between.
 *
 * @returns null when it was rolled back
 * @throws FenceError, or what the database throws, when it was rolled back for that
 */
export async function raiseRevisions(
  { pool, writes, store }: WriteParts,
  { ids, isUnknown, rollsBack }: WritePlan,
  moments: Moments,
): Promise<Write | null> {
  const client = await pool.connect()
  const unit = writes.begin()
  let write: Write | null = null
  let failure: unknown
  try {
    await client.query('BEGIN')
    const revisions = await updateRows(client, ids)
    if (isUnknown) unit.touchAll(MODEL, 'unknown')
    else
      unit.touch(
        MODEL,
        ids.map((id) => ({ id })),
      )
    const fencedAt = machineTime()
    const isFenced = await store.takes(() => unit.fence())
    await moments.fenced(isFenced)
    if (!rollsBack) {
      await client.query('COMMIT')
      write = {
        revisions,
        fencedAt: isFenced ? fencedAt : undefined,
        committedAt: machineTime(),
        settledAt: undefined,
        isSettled: false,
      }
      await moments.committed(write)
    }
  } catch (error) {
    failure = error
  }
  if (!write) await client.query('ROLLBACK').catch((error: unknown) => (failure ??= error))
  client.release()
  const isSettled = await store.takes(() => unit.settle())
  if (failure !== undefined) throw failure
  return write && { ...write, settledAt: machineTime(), isSettled }
}

/** Raises revisions without a fence, and tells the cache when that is done. */
export async function raiseByHand(
  { pool, store }: WriteParts,
  ids: readonly string[],
  invalidate: () => Promise<void>,
): Promise<Write> {
  const revisions = await updateRows(pool, ids)
  const committedAt = machineTime()
  const isSettled = await store.takes(invalidate)
  return { revisions, fencedAt: undefined, committedAt, settledAt: machineTime(), isSettled }
}

/** Locks the rows in the order of their ids, so that two transactions never wait for each other. */
async function updateRows(
  client: pg.Pool | pg.PoolClient,
  ids: readonly string[],
): Promise<[row: number, revision: number][]> {
  const sql = `
    WITH locked AS (SELECT id FROM "FeatureFlags" WHERE id = ANY($1) ORDER BY id FOR UPDATE)
    UPDATE "FeatureFlags" row SET revision = revision + 1, "updatedAt" = now()
    FROM locked WHERE row.id = locked.id RETURNING row.id, revision`
  const { rows } = await client.query<{ id: string; revision: number }>(sql, [ids])
  return rows.map(({ id, revision }) => [rowOf(id), revision])
}
