import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { followError } from '../errors.js'
import type { FollowProblem } from '../database-log.js'
import type { AdvisoryLock } from './advisory-lock.js'
import { positionIn } from './log-position.js'
import { literal, quoted } from './sql.js'

export interface OpenSlot {
  readonly name: string
  /** Whether it begins now, so that it does not have what was written before. */
  readonly isNew: boolean
  /** The position after which it goes on, or begins. */
  readonly resumesAt: bigint
  /** What an operator should know. */
  readonly problems: readonly FollowProblem[]
}

/** The replication slot of a follower: a temporary one, or a durable one, which is there when it begins. */
export class ReplicationSlot {
  /** The name of a durable slot. */
  readonly #name: string | undefined
  /** Whether the durable one has changes that PostgreSQL cannot decode. */
  #isUnreadable = false

  constructor(name: string | undefined) {
    this.#name = name
  }

  /**
   * Creates the slot, or takes the durable one over.
   *
   * @param wire a replication connection, with which a temporary slot ends
   * @param application the name of the connections of this follower
   * @param untilCreated waits for a slot that is being created
   */
  async open(
    lock: AdvisoryLock,
    wire: pg.Client,
    application: string,
    untilCreated: (creating: Promise<bigint>) => Promise<bigint>,
  ): Promise<OpenSlot> {
    const name = this.#name
    if (name === undefined) {
      const temporary = `model_cache_${randomBytes(8).toString('hex')}`
      const resumesAt = await untilCreated(createSlot(wire, temporary, 'TEMPORARY'))
      return { name: temporary, isNew: true, resumesAt, problems: [] }
    }
    const found = await lock.run((client) => freeSlot(client, name, application))
    const isLost = found?.status === 'lost'
    if (found && !isLost && !this.#isUnreadable)
      return { name, isNew: false, resumesAt: positionIn(found.confirmed ?? '0/0'), problems: [] }
    if (found) await lock.run((client) => client.query('SELECT pg_drop_replication_slot($1)', [name]))
    const resumesAt = await untilCreated(createSlot(wire, name, ''))
    const why = !found
      ? 'did not exist'
      : isLost
        ? `was lost, ${lossOf(found)}`
        : 'had changes from before its publication was created, which PostgreSQL cannot send'
    const message = `The replication slot "${name}" ${why}, and has been created. What was written until now is unknown, so the followed caches were emptied.`
    return { name, isNew: true, resumesAt, problems: [{ table: '', isFollowed: true, message }] }
  }

  /** Looks at why the stream of the slot has ended. */
  noteEnd({ cause }: Error): void {
    this.#isUnreadable = (cause as { code?: unknown } | undefined)?.code === undefinedObject
  }
}

/** Whether the primary has removed what a slot of a standby needs, in SQL: the column is of PostgreSQL 16 and later. @param slot its row */
export const isInConflict = (slot: string): string =>
  `COALESCE((to_jsonb(${slot}) ->> 'conflicting')::bool, false)`

/** The code of PostgreSQL's error where the publication did not exist at a change. From version 18 on it leaves such changes out. */
const undefinedObject = '42704'

/** Why PostgreSQL has given the slot up. Its column for that is of version 17 and later; that for conflicts is of 16. */
function lossOf({ isInConflict, loss }: FoundSlot): string {
  if (isInConflict || loss === 'rows_removed')
    return 'as the primary has removed rows of its catalogue that the slot of this standby needed: set hot_standby_feedback = on'
  return loss ? `because of ${loss}` : 'for example to max_slot_wal_keep_size'
}

/** @returns the position at which it begins */
async function createSlot(wire: pg.Client, slot: string, kind: 'TEMPORARY' | ''): Promise<bigint> {
  const { rows } = await wire.query<{ consistent_point: string }>(
    `CREATE_REPLICATION_SLOT ${quoted(slot)} ${kind} LOGICAL pgoutput NOEXPORT_SNAPSHOT`,
  )
  return positionIn(rows[0]!.consistent_point)
}

interface FoundSlot {
  /** The process that reads the slot. */
  readonly pid: number | null
  readonly application: string | null
  readonly database: string | null
  readonly isOfDatabase: boolean
  readonly plugin: string
  /** Whether it sends transactions when they are prepared. */
  readonly isTwoPhase: boolean
  readonly status: string | null
  readonly confirmed: string | null
  readonly isInConflict: boolean
  readonly loss: string | null
}

/** Returns what the server says of a slot; undefined if there is none. */
async function findSlot(client: pg.Client, slot: string): Promise<FoundSlot | undefined> {
  const { rows } = await client.query<FoundSlot>(
    `SELECT s.active_pid AS pid, a.application_name AS application, s.database::text, s.plugin::text, s.wal_status AS status,
       s.database IS NOT DISTINCT FROM current_database() AS "isOfDatabase", s.confirmed_flush_lsn::text AS confirmed,
       COALESCE((to_jsonb(s) ->> 'two_phase')::bool, false) AS "isTwoPhase", ${isInConflict('s')} AS "isInConflict",
       to_jsonb(s) ->> 'invalidation_reason' AS loss
     FROM pg_replication_slots s LEFT JOIN pg_stat_activity a ON a.pid = s.active_pid WHERE s.slot_name = $1`,
    [slot],
  )
  return rows[0]
}

/** Why a follower may not read a durable slot. */
export interface SlotFault {
  /** What is wrong with the slot, which is the subject: `has two_phase`. */
  readonly problem: string
  readonly remedy: string
}

/**
 * Returns why a follower may not read a durable slot: it is of another program, or sends what is not committed. Undefined if it may, and if
 * there is no such slot, which the follower creates.
 *
 * @param follower the name of its connections; undefined if it is unknown, and then nobody counts as another reader
 */
export async function slotFault(
  client: pg.Client,
  slot: string,
  follower: string | undefined,
): Promise<SlotFault | undefined> {
  const found = await findSlot(client, slot)
  return found && faultOf(found, slot, follower)
}

function faultOf(found: FoundSlot, slot: string, follower: string | undefined): SlotFault | undefined {
  const { application, database, isOfDatabase, isTwoPhase, pid, plugin } = found
  const another = 'Name another one.'
  if (!isOfDatabase && database === null) return { problem: 'is a physical one', remedy: another }
  if (!isOfDatabase)
    return { problem: `belongs to the database "${database}" of the same server`, remedy: another }
  if (plugin !== 'pgoutput') return { problem: `has the plugin ${plugin}, not pgoutput`, remedy: another }
  if (isTwoPhase)
    return {
      problem: 'has two_phase, so that PostgreSQL sends transactions before they are committed',
      remedy: `Name another one, or drop it, and the follower creates it: SELECT pg_drop_replication_slot(${literal(slot)});`,
    }
  // A process that has just ended has no name any more.
  if (pid && application !== null && follower !== undefined && application !== follower)
    return {
      problem: `is read by another program, "${application}", or by the follower of another Valkey or namespace`,
      remedy: 'Give each of them a slot of its own.',
    }
  return undefined
}

/**
 * Returns the slot, once nobody reads it; undefined if there is none. The process that read it before has lost its leadership, but may not know
 * yet: its connection is ended.
 *
 * @throws ModelCacheError (`E_FOLLOW`) if it may not be read
 */
async function freeSlot(
  client: pg.Client,
  slot: string,
  application: string,
): Promise<FoundSlot | undefined> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const found = await findSlot(client, slot)
    const fault = found && faultOf(found, slot, application)
    if (fault) throw followError(`the replication slot "${slot}" ${fault.problem}. ${fault.remedy}`)
    if (!found?.pid) return found
    if (found.application === application) await client.query('SELECT pg_terminate_backend($1)', [found.pid])
    await delay(50)
  }
  throw followError(`the replication slot "${slot}" is in use by another process.`)
}
