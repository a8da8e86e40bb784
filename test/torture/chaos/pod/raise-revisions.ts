import { FenceError, type ModelCacheWrites } from 'model-cache'
import type { WriteEnd } from 'model-cache/advanced'
import pg from 'pg'
import { machineTime, type Revision, type UnknownEnd, type Write } from './protocol.ts'
import type { WriteSteps } from './write-steps.ts'
import { MODEL, rowOf } from './revisions.ts'
import type { TrackedStore } from './tracked-store.ts'

export interface WriteDependencies {
  readonly pool: pg.Pool
  readonly writes: ModelCacheWrites
  readonly store: TrackedStore
}

export interface WritePlan {
  readonly ids: readonly string[]
  /** Whether the write does not name its rows to the cache. */
  readonly isUnknown: boolean
  readonly rollsBack: boolean
}

/** Hooks between the steps of a write. */
export interface Moments {
  /** After the fence, with whether the store took it. */
  fenced(isTaken: boolean): Promise<void>
  committed(write: Write): Promise<void>
}

/**
 * Raises revisions in one transaction of SQL, and fences the rows by hand.
 *
 * @returns null when it was rolled back
 * @throws FenceError, or the error of the database, when that is why it was rolled back
 */
export async function raiseRevisions(
  { pool, writes, store }: WriteDependencies,
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
      steps = { fencedAt, committedAt: machineTime(), releasedAt: undefined, isReleased: false }
      if (end === 'known') await moments.committed({ ...steps, revisions })
    }
  } catch (error) {
    failure = error
  }
  if (!steps) await client.query('ROLLBACK').catch((error: unknown) => (failure ??= error))
  // A failed connection may still be executing the statement.
  client.release(end === 'unknown' || (failure !== undefined && !(failure instanceof FenceError)))
  const isReleased = await store.takesAll(() => unit.end(end))
  if (failure !== undefined) throw failure
  const released = steps && { ...steps, releasedAt: machineTime(), isReleased }
  if (!released) return null
  return end === 'known' ? { ...released, revisions } : { ...released, rows: ids.map(rowOf) }
}

/** @throws when PostgreSQL refuses the commit */
async function commit(client: pg.PoolClient): Promise<WriteEnd> {
  try {
    await client.query('COMMIT')
    return 'known'
  } catch (error) {
    // Only a reply of the server shows that nothing was committed, and FATAL ones may follow a commit.
    if (error instanceof pg.DatabaseError && error.severity === 'ERROR') throw error
    return 'unknown'
  }
}

/** Raises revisions without a fence, and invalidates them afterwards. */
export async function raiseByHand(
  { directPool, store }: Pick<WriteDependencies, 'store'> & { readonly directPool: pg.Pool },
  ids: readonly string[],
  invalidate: () => Promise<void>,
): Promise<Write> {
  const revisions = await updateRows(directPool, ids)
  const committedAt = machineTime()
  const isReleased = await store.takes(invalidate)
  return { revisions, fencedAt: undefined, committedAt, releasedAt: machineTime(), isReleased }
}

/** Locks the rows in the order of ids, so that two transactions never wait for each other. */
async function updateRows(client: pg.Pool | pg.PoolClient, ids: readonly string[]): Promise<Revision[]> {
  const sql = `
    WITH locked AS (SELECT id FROM "FeatureFlags" WHERE id = ANY($1) ORDER BY id FOR UPDATE)
    UPDATE "FeatureFlags" row SET revision = revision + 1, "updatedAt" = now()
    FROM locked WHERE row.id = locked.id RETURNING row.id, revision`
  const { rows } = await client.query<{ id: string; revision: number }>(sql, [ids])
  return rows.map(({ id, revision }) => [rowOf(id), revision])
}
