import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { followError, hasCode } from '../../errors.js'
import type {
  DatabaseLog,
  FollowProblem,
  Leadership,
  OpenLog,
  OpenLogOptions,
  RunningTransactions,
} from '../database-log.js'
import { serverFaults } from './server-faults.js'
import { connectTo, disconnect, nameOf, type PostgresAddress, messageOf } from './connect.js'
import { databaseIdOf } from './database-id.js'
import { acquireLock, applicationOf, breakLock, type HeldLock } from './election.js'
import type { FollowedTable } from '../followed-tables.js'
import { publish, publishedVersions } from './publication.js'
import { ReplicationStream } from './replication-stream.js'
import { literal, quoted } from './sql.js'

export interface PostgresLogOptions extends PostgresAddress {
  /** A durable replication slot. @default a temporary one */
  readonly slot: string | undefined
  readonly publication: string
  /** A read replica that rows are loaded from, which can be asked how far it is. */
  readonly replica: PostgresAddress | undefined
}

/** The log of a PostgreSQL database: logical decoding by `pgoutput`. */
export class PostgresLog implements DatabaseLog {
  readonly name: string
  readonly #options: PostgresLogOptions
  /** Whether the durable slot has changes that PostgreSQL cannot decode. */
  #isUnreadable = false

  constructor(options: PostgresLogOptions) {
    this.#options = options
    this.name = nameOf(options.url)
  }

  async elect(key: string, signal: AbortSignal): Promise<Leadership> {
    const { replica } = this.#options
    const lock = await acquireLock(this.#options, key, signal)
    const database = await lock.use(databaseIdOf).catch(async (error: unknown) => {
      await lock.release()
      throw error
    })
    let replicaClient: Promise<pg.Client> | undefined
    return {
      database,
      lost: lock.lost,
      open: (options) => this.#open(lock, applicationOf(key), options),
      end: async () => {
        if (lock.isInUse) return undefined
        const { end } = await lock.ask<{ end: string }>('SELECT pg_current_wal_flush_lsn()::text AS end')
        return positionIn(end)
      },
      transactions: async () => {
        const sql = 'SELECT pg_current_snapshot()::text AS snapshot'
        return transactionsIn((await lock.ask<{ snapshot: string }>(sql)).snapshot)
      },
      newTransaction: async () => {
        const sql = 'SELECT pg_current_xact_id()::text AS id'
        return BigInt((await lock.ask<{ id: string }>(sql)).id)
      },
      ...(replica && {
        replicaHas: async (position) => {
          replicaClient ??= connectTo(replica, 'queries')
          try {
            await waitForReplay(await replicaClient, position)
          } catch (error) {
            const failed = replicaClient
            replicaClient = undefined
            void failed.then(disconnect, () => {})
            throw error
          }
        },
      }),
      async resign() {
        await lock.release()
        await replicaClient?.then(disconnect, () => {})
      },
    }
  }

  depose(key: string, idleMs: number): Promise<'deposed' | 'alive' | undefined> {
    return breakLock(this.#options, key, idleMs)
  }

  /**
   * @param lock its connection sets up what the stream needs
   * @param application the name of this follower's connections
   */
  async #open(lock: HeldLock, application: string, options: OpenLogOptions): Promise<OpenLog> {
    const { columnsOf, listener, signal } = options
    const faults = await lock.use((client) => serverFaults(client, this.#options.slot))
    if (faults.length > 0) {
      const reasons = faults.map(({ problem, remedy }) => `${problem} ${remedy}`).join(' ')
      throw followError(`${this.name} cannot be followed: ${reasons}`)
    }
    const { publication } = this.#options
    const wire = await connectTo(this.#options, 'replication', application)
    // The creation of a slot waits for all running transactions.
    const abort = (): void => void disconnect(wire)
    signal.addEventListener('abort', abort, { once: true })
    try {
      signal.throwIfAborted()
      for (const setting of settings) await wire.query(setting)
      let { tables } = options
      let versions: ReadonlyMap<string, string> = new Map()
      const readVersions = (): Promise<ReadonlyMap<string, string>> =>
        publishedVersions((sql) => lock.ask(sql), publication, tables)
      const follow = async (others: readonly FollowedTable[]): Promise<readonly FollowProblem[]> => {
        tables = others
        const problems = await lock.use((client) => publish(client, publication, others))
        versions = await readVersions()
        return problems
      }
      const problems = await follow(tables)
      const { isNew, problem, resumesAt, slot } = await this.#slot(lock, wire, application)
      const stream = new ReplicationStream(wire, { columnsOf, listener })
      void stream.ended.then(({ cause }) => {
        this.#isUnreadable = (cause as { code?: unknown } | undefined)?.code === undefinedObject
      })
      await lock.ask(flushCommits)
      const { end, history } = await identify(wire)
      await stream.start(slot, publication)
      return {
        isNew,
        durable: this.#options.slot && `${history}:${this.#options.slot}`,
        resumesAt,
        end,
        get versions() {
          return versions
        },
        problems: [...problems, ...(problem ? [problem] : [])],
        ended: stream.ended,
        confirm: (position) => stream.confirm(position),
        ask: () => stream.ask(),
        pause: () => stream.pause(),
        resume: () => stream.resume(),
        close: () => stream.close(),
        hasChanged: async () => {
          const now = await readVersions()
          return [...versions].some(([table, version]) => now.get(table) !== version)
        },
        follow: async (others) => {
          const found = await follow(others)
          stream.refresh()
          return found
        },
      }
    } catch (error) {
      await disconnect(wire)
      throw hasCode(error, 'E_FOLLOW') ? error : followError(`${messageOf(error)}.`, error)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /** Creates the slot, or takes the durable one over. */
  async #slot(lock: HeldLock, wire: pg.Client, application: string): Promise<OpenSlot> {
    const { slot } = this.#options
    if (slot === undefined) {
      const temporary = `model_cache_${randomBytes(8).toString('hex')}`
      return { slot: temporary, isNew: true, resumesAt: await createSlot(wire, temporary, 'TEMPORARY') }
    }
    const found = await lock.use((client) => freeSlot(client, slot, application))
    const isLost = found?.status === 'lost'
    if (found && !isLost && !this.#isUnreadable)
      return { slot, isNew: false, resumesAt: positionIn(found.confirmed ?? '0/0') }
    if (found) await lock.use((client) => client.query('SELECT pg_drop_replication_slot($1)', [slot]))
    const resumesAt = await createSlot(wire, slot, '')
    const why = !found
      ? 'did not exist'
      : isLost
        ? 'was lost, for example to max_slot_wal_keep_size'
        : 'had changes from before its publication was created, which PostgreSQL cannot send'
    const message = `The replication slot "${slot}" ${why}, and has been created. What was written until now is unknown, so the followed caches were emptied.`
    return { slot, isNew: true, resumesAt, problem: { table: '', isFollowed: true, message } }
  }
}

/** The code of PostgreSQL's error where the publication did not exist at a change. From version 18 on it leaves such changes out. */
const undefinedObject = '42704'

interface OpenSlot extends Pick<OpenLog, 'isNew' | 'resumesAt'> {
  readonly slot: string
  readonly problem?: FollowProblem
}

/**
 * With `synchronous_commit = off`, readers see what was committed up to `3 * wal_writer_delay` before the log has it. A commit that
 * waits for the log flushes what was committed before.
 */
const flushCommits =
  "SELECT set_config('synchronous_commit', 'local', true), pg_logical_emit_message(true, 'model-cache', '')"

/** How texts of the stream are written, and that PostgreSQL ends the stream of a process that is gone. */
const settings = [
  `SET datestyle = ${literal('ISO, YMD')}`,
  `SET timezone = ${literal('UTC')}`,
  `SET bytea_output = ${literal('hex')}`,
  `SET lc_monetary = ${literal('C')}`,
  'SET extra_float_digits = 1',
  `SET wal_sender_timeout = ${literal('10s')}`,
]

/** @returns the position at which it begins */
async function createSlot(wire: pg.Client, slot: string, kind: 'TEMPORARY' | ''): Promise<bigint> {
  const { rows } = await wire.query<{ consistent_point: string }>(
    `CREATE_REPLICATION_SLOT ${quoted(slot)} ${kind} LOGICAL pgoutput NOEXPORT_SNAPSHOT`,
  )
  return positionIn(rows[0]!.consistent_point)
}

interface FoundSlot {
  /** Of the process that reads it. */
  readonly pid: number | null
  readonly application: string | null
  readonly database: string | null
  readonly isOfDatabase: boolean
  readonly plugin: string
  readonly status: string | null
  readonly confirmed: string | null
}

/**
 * Returns the slot, once nobody reads it; undefined if there is none. The process that read it before has lost its leadership, but may not know
 * yet: its connection is ended.
 *
 * @throws ModelCacheError (`E_FOLLOW`) if it is the slot of another program
 */
async function freeSlot(
  client: pg.Client,
  slot: string,
  application: string,
): Promise<FoundSlot | undefined> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const { rows } = await client.query<FoundSlot>(
      `SELECT s.active_pid AS pid, a.application_name AS application, s.database::text, s.plugin::text, s.wal_status AS status,
         s.database IS NOT DISTINCT FROM current_database() AS "isOfDatabase", s.confirmed_flush_lsn::text AS confirmed
       FROM pg_replication_slots s LEFT JOIN pg_stat_activity a ON a.pid = s.active_pid WHERE s.slot_name = $1`,
      [slot],
    )
    const [found] = rows
    if (found && !found.isOfDatabase)
      throw followError(
        found.database === null
          ? `the replication slot "${slot}" is a physical one; name another one.`
          : `the replication slot "${slot}" belongs to the database "${found.database}" of the same server; name another one.`,
      )
    if (found && found.plugin !== 'pgoutput')
      throw followError(
        `the replication slot "${slot}" has the plugin ${found.plugin}, not pgoutput; name another one.`,
      )
    if (!found?.pid) return found
    // A process that has just ended has no name any more.
    if (found.application === application) await client.query('SELECT pg_terminate_backend($1)', [found.pid])
    else if (found.application !== null)
      throw followError(
        `the replication slot "${slot}" is read by another program, "${found.application}", or by the follower of another Valkey or ` +
          'namespace. Give each of them a slot of its own.',
      )
    await delay(50)
  }
  throw followError(`the replication slot "${slot}" is in use by another process.`)
}

/** @returns the end of the log; and its history, which is another one once a replica or a backup has taken the place of the server */
async function identify(wire: pg.Client): Promise<{ readonly history: string; readonly end: bigint }> {
  const { rows } = await wire.query<{ systemid: string; timeline: number; xlogpos: string }>(
    'IDENTIFY_SYSTEM',
  )
  const { systemid, timeline, xlogpos } = rows[0]!
  return { history: `${systemid}.${timeline}`, end: positionIn(xlogpos) }
}

/** @param lsn such as `16/B374D848` */
function positionIn(lsn: string): bigint {
  const [high, low] = lsn.split('/') as [string, string]
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

/** @param snapshot `<xmin>:<xmax>:<running>,<running>…` */
function transactionsIn(snapshot: string): RunningTransactions {
  const [oldest = '0', upTo = '0', list = ''] = snapshot.split(':')
  const next = BigInt(upTo)
  const running = new Set(
    list
      .split(',')
      .filter((id) => id !== '')
      .map(BigInt),
  )
  return {
    oldest: BigInt(oldest),
    has: (id) => {
      const whole = next + BigInt.asIntN(32, BigInt(id) - next)
      return whole >= next || running.has(whole)
    },
  }
}

async function waitForReplay(client: pg.Client, position: bigint): Promise<void> {
  const lsn = `${(position >> 32n).toString(16)}/${(position & 0xffffffffn).toString(16)}`
  for (;;) {
    const { rows } = await client.query<{ has: boolean }>(
      'SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= $1::pg_lsn AS has',
      [lsn],
    )
    if (rows[0]?.has) return
    await delay(20, undefined, { ref: false })
  }
}

/** The publication of a namespace, unless another one is named. */
export function publicationOf(namespace: string): string {
  const plain = namespace.replaceAll(/[^a-z0-9_]/gi, '_').toLowerCase()
  // PostgreSQL cuts longer names.
  if (plain === namespace && plain.length <= 40) return `model_cache_${plain}`
  const digest = createHash('sha256').update(namespace).digest('hex').slice(0, 8)
  return `model_cache_${plain.slice(0, 31)}_${digest}`
}
