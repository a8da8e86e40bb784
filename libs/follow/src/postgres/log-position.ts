import { setTimeout as delay } from 'node:timers/promises'

/** A position of the log, as a number. @param lsn such as `16/B374D848` */
export function positionIn(lsn: string): bigint {
  const [high, low] = lsn.split('/') as [string, string]
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/** A position as PostgreSQL writes it. */
export function textOfPosition(position: bigint): string {
  return `${(position >> 32n).toString(16)}/${(position & 0xffffffffn).toString(16)}`
}

/** How often a standby is asked. */
const replayedMs = 20

/**
 * Resolves once readers of a standby see everything up to a position. What has been promoted since has all that it will have.
 *
 * @param ask returns the row of a statement that the standby runs
 */
export async function untilReplayed(
  ask: (sql: string) => Promise<{ readonly has: boolean } | undefined>,
  position: bigint,
): Promise<void> {
  const sql = `SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= '${textOfPosition(position)}'::pg_lsn AS has`
  while (!(await ask(sql))?.has) await delay(replayedMs, undefined, { ref: false })
}
