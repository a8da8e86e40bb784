import type pg from 'pg'
import { answerIn, deadlineMs } from '../answer-in.js'
import { asFollowError, followError } from '../errors.js'
import type { Leadership, OpenLogOptions, RunningTransactions, StandbyLag } from '../database-log.js'
import { type AdvisoryLock, applicationOf, askRow } from './advisory-lock.js'
import { connectTo, disconnect, nameOf, type PostgresAddress } from './connect.js'
import { messageOf } from '../database-url.js'
import { FollowedPublication } from './followed-publication.js'
import { inspectServer, untilCreated } from './inspect-server.js'
import { positionIn, untilReplayed } from './log-position.js'
import { OpenPostgresLog } from './open-postgres-log.js'
import type { ReplicationSlot } from './replication-slot.js'
import { ReplicationStream } from './replication-stream.js'
import { serverFaults } from './server-faults.js'
import { literal } from './sql.js'
import { StandbyPrimary } from './standby-primary.js'

export interface PostgresLogOptions extends PostgresAddress {
  /** A durable replication slot. @default a temporary one */
  readonly slot: string | undefined
  readonly publication: string
  /** A read replica that rows are loaded from, which can be asked how far it is. */
  readonly replica: PostgresAddress | undefined
  /** The primary of the standby that is followed. */
  readonly primary: PostgresAddress | undefined
}

/** The right to follow a PostgreSQL database: an advisory lock. Its connection asks what the stream cannot. */
export class PostgresLeadership implements Leadership {
  readonly database: string | undefined
  readonly #options: PostgresLogOptions
  readonly #slot: ReplicationSlot
  readonly #lock: AdvisoryLock
  /** The name of the connections of this follower. */
  readonly #application: string
  readonly #promoted = Promise.withResolvers<Error>()
  readonly #primary: StandbyPrimary | undefined
  #replica: Promise<pg.Client> | undefined
  #isResigned = false
  #isStandby = false
  /** Up to which position the standby shows changes. */
  #replayed = 0n

  constructor(
    options: PostgresLogOptions,
    slot: ReplicationSlot,
    lock: AdvisoryLock,
    key: string,
    database: string | undefined,
  ) {
    this.#options = options
    this.#slot = slot
    this.#lock = lock
    this.#application = applicationOf(key)
    this.#primary = options.primary && new StandbyPrimary(options.primary)
    this.database = database
  }

  get lost(): Promise<Error> {
    return Promise.race([this.#lock.lost, this.#promoted.promise])
  }

  get isStandby(): boolean {
    return this.#isStandby
  }

  async askPrimary(): Promise<void> {
    if (this.#isStandby) await this.#primary?.ask()
  }

  behind(taken: bigint): StandbyLag | undefined {
    return this.#isStandby ? this.#primary?.behind(this.#replayed, taken) : undefined
  }

  bytesBetween(from: bigint, to: bigint): number {
    return Number(to - from)
  }

  get hasReplica(): boolean {
    return this.#options.replica !== undefined
  }

  async open({ columnsOf, listener, onProblems, signal, tables }: OpenLogOptions): Promise<OpenPostgresLog> {
    const lock = this.#lock
    const faults = await lock.run((client) => serverFaults(client, this.#options.slot))
    if (faults.length > 0) {
      const reasons = faults.map(({ problem, remedy }) => `${problem} ${remedy}`).join(' ')
      throw followError(`${nameOf(this.#options.url)} cannot be followed: ${reasons}`)
    }
    const { isStandby, problems: notices, run } = await inspectServer(lock)
    this.#isStandby = isStandby
    const primary = isStandby ? this.#primary : undefined
    const wire = await connectTo(this.#options, 'replication', this.#application)
    // The creation of a slot waits for all running transactions.
    const abort = (): void => void disconnect(wire)
    signal.addEventListener('abort', abort, { once: true })
    try {
      signal.throwIfAborted()
      for (const setting of settings) await answerIn(wire.query(setting), deadlineMs)
      const publication = new FollowedPublication(this.#options.publication, lock, primary)
      const problems = await publication.follow(tables)
      const slot = await this.#slot.open(lock, wire, this.#application, (creating) =>
        isStandby ? untilCreated(creating, primary, onProblems) : creating,
      )
      const stream = new ReplicationStream(wire, { columnsOf, listener })
      void stream.ended.then((reason) => this.#slot.noteEnd(reason))
      await askRow(lock, flushCommits)
      const history = await historyOf(wire)
      const { end } = await askRow<{ end: string }>(lock, `SELECT ${endOfLog}::text AS end`)
      await stream.start(slot.name, publication.name)
      return new OpenPostgresLog(publication, stream, {
        isNew: slot.isNew,
        durable: this.#options.slot && `${history}${run}:${this.#options.slot}`,
        resumesAt: slot.resumesAt,
        end: positionIn(end),
        problems: [...notices, ...problems, ...slot.problems],
      })
    } catch (error) {
      await disconnect(wire)
      throw asFollowError(error, `${messageOf(error)}.`)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async end(): Promise<bigint | undefined> {
    if (this.#lock.isInUse) return undefined
    const sql = `SELECT ${endOfLog}::text AS end, pg_is_in_recovery() AS "isStandby"`
    const { end, isStandby } = await askRow<{ end: string; isStandby: boolean }>(this.#lock, sql)
    const position = positionIn(end)
    if (this.#isStandby) {
      // The old primary may have had transactions that it has not, and rows may have been loaded from there.
      if (!isStandby) this.#promoted.resolve(followError('the standby has been promoted.'))
      this.#replayed = position
    }
    return position
  }

  async transactions(): Promise<RunningTransactions> {
    const sql = 'SELECT pg_current_snapshot()::text AS snapshot'
    return transactionsIn((await askRow<{ snapshot: string }>(this.#lock, sql)).snapshot)
  }

  async newTransaction(): Promise<bigint> {
    return BigInt((await askRow<{ id: string }>(this.#lock, nextTransaction)).id)
  }

  async replicaHas(position: bigint): Promise<void> {
    const { replica } = this.#options
    if (replica === undefined) return
    // Nobody would close it.
    if (this.#isResigned) throw followError('it was stopped.')
    const client = (this.#replica ??= connectTo(replica, 'queries'))
    try {
      const connected = await client
      await untilReplayed(async (sql) => (await connected.query<{ has: boolean }>(sql)).rows[0], position)
    } catch (error) {
      this.#replica = undefined
      void client.then(disconnect, () => {})
      throw error
    }
  }

  async resign(): Promise<void> {
    this.#isResigned = true
    await Promise.all([this.#lock.release(), this.#primary?.close()])
    await this.#replica?.then(disconnect, () => {})
  }
}

/** The readers of a standby see what it has replayed, and its log ends there. */
const endOfLog =
  'CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END'

/** The number of the next transaction. A standby has none of its own: the highest number in its log, and one more. */
const nextTransaction =
  'SELECT (pg_snapshot_xmax(s)::text::numeric + age(pg_snapshot_xmax(s)::xid))::text AS id FROM pg_current_snapshot() s'

/**
 * With `synchronous_commit = off`, readers see what was committed up to `3 * wal_writer_delay` before the log has it. A commit that
 * waits for the log flushes what was committed before. Readers of a standby see nothing that its log does not have.
 */
const flushCommits = `SELECT set_config('synchronous_commit', 'local', true),
  CASE WHEN NOT pg_is_in_recovery() THEN pg_logical_emit_message(true, 'model-cache', '') END`

/** How texts of the stream are written, and that PostgreSQL ends the stream of a process that is gone. */
const settings = [
  `SET datestyle = ${literal('ISO, YMD')}`,
  `SET timezone = ${literal('UTC')}`,
  `SET bytea_output = ${literal('hex')}`,
  `SET lc_monetary = ${literal('C')}`,
  'SET extra_float_digits = 1',
  `SET wal_sender_timeout = ${literal('10s')}`,
]

/** Returns the history of the log, which is another one once a replica or a backup has taken the place of the server. */
async function historyOf(wire: pg.Client): Promise<string> {
  const asking = wire.query<{ systemid: string; timeline: number }>('IDENTIFY_SYSTEM')
  const { rows } = await answerIn(asking, deadlineMs)
  const { systemid, timeline } = rows[0]!
  return `${systemid}.${timeline}`
}

/**
 * What a standby sends has been replayed, so that readers see it: its snapshots list no running transactions.
 *
 * @param snapshot `<xmin>:<xmax>:<running>,<running>…`
 */
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
