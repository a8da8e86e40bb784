import { setTimeout as delay } from 'node:timers/promises'
import type { FollowProblem } from '../database-log.js'
import { type AdvisoryLock, askRow } from './advisory-lock.js'
import type { StandbyPrimary } from './standby-primary.js'

export interface InspectedServer {
  readonly isStandby: boolean
  /**
   * What changes whenever a standby starts: it then shows its readers an earlier state for a moment, which a slot does not send
   * again. `''` for a primary.
   */
  readonly run: string
  readonly problems: readonly FollowProblem[]
}

/** Asks a server what it is. */
export async function inspectServer(lock: AdvisoryLock): Promise<InspectedServer> {
  // The statistics begin again when a process has crashed, and PostgreSQL has restarted the others.
  const { givesFeedback, isStandby, run } = await askRow<{
    isStandby: boolean
    givesFeedback: boolean
    run: string
  }>(
    lock,
    `SELECT pg_is_in_recovery() AS "isStandby", current_setting('hot_standby_feedback')::bool AS "givesFeedback",
       left(md5(concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())), 12) AS run`,
  )
  if (!isStandby) return { isStandby, run: '', problems: [] }
  return { isStandby, run: `.${run}`, problems: givesFeedback ? [] : [noFeedback] }
}

const noFeedback: FollowProblem = {
  table: '',
  isFollowed: true,
  message:
    'hot_standby_feedback of the standby is off, so that its primary may remove rows of its catalogue that the slot needs: PostgreSQL then ' +
    'ends the slot, and the followed caches are emptied. Run on the standby: ALTER SYSTEM SET hot_standby_feedback = on; SELECT pg_reload_conf();',
}

/** After this time without a snapshot of the primary, an operator is asked for one. */
const patienceMs = 5_000

/**
 * Waits for the slot of a standby, whose primary has to write which transactions run.
 *
 * @throws ModelCacheError (`E_FOLLOW`) if the primary does not
 */
export async function untilCreated<T>(
  creating: Promise<T>,
  primary: StandbyPrimary | undefined,
  onProblems: (problems: readonly FollowProblem[]) => void,
): Promise<T> {
  if (primary) {
    await Promise.race([creating, primary.writeSnapshots(creating)])
    return creating
  }
  const over = new AbortController()
  delay(patienceMs, undefined, { signal: over.signal, ref: false }).then(
    () => onProblems([noSnapshot]),
    () => {},
  )
  return creating.finally(() => over.abort())
}

const noSnapshot: FollowProblem = {
  table: '',
  isFollowed: true,
  message:
    'the standby creates a slot once its primary has written which transactions run, and these have ended; an idle primary does not write ' +
    'that. Give the follower the address of the `primary`, or run there, until it follows: SELECT pg_log_standby_snapshot();',
}
