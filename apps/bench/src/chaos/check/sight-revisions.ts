import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { machineTime } from '../machine-time.ts'
import { revisionsIn } from '../pod/revisions.ts'
import type { History } from './history.ts'

const LOOK_EVERY_MS = 50

/** Looks into the database again and again: only there it shows when a write of unknown end was committed. */
export async function sightRevisions(
  database: pg.Pool,
  { sightings }: History,
  signal: AbortSignal,
): Promise<void> {
  const last: number[] = []
  while (!signal.aborted) {
    const revisions = await revisionsIn(database)
    const at = machineTime()
    for (const [row, revision] of revisions.entries()) {
      if (last[row] !== revision) sightings.push({ row, revision, at })
      last[row] = revision
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
