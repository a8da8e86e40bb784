import { asFollowError, followError } from '../../errors.js'
import type { Leadership, OpenLogOptions, RunningTransactions } from '../database-log.js'
import { messageOf } from '../database-url.js'
import { BinlogDecoder } from './binlog-events.js'
import { BinlogStream, isPurged } from './binlog-stream.js'
import { type CommitView, CommitViews } from './commit-views.js'
import { connectToMysql, cutConnection, type MysqlConnection, mysqlNameOf } from './connect.js'
import { FollowedSchema } from './followed-schema.js'
import { readCharsets } from './found-tables.js'
import { LoggedChanges } from './logged-changes.js'
import { bytesBetween, type LogPlace, placeIn, positionOf } from './log-position.js'
import { databaseIn, type MysqlAddress } from './mysql-address.js'
import type { NamedLock } from './named-lock.js'
import { type MysqlLogParts, OpenMysqlLog } from './open-mysql-log.js'
import { readVariables, mysqlFaults } from './server-faults.js'

/** The right to follow a database of MariaDB: a lock by name. Its connection asks what the stream cannot. */
export class MysqlLeadership implements Leadership {
  readonly database: string | undefined
  readonly hasReplica = false
  readonly #address: MysqlAddress
  readonly #lock: NamedLock
  readonly #views = new CommitViews()
  #fileBytes = 0

  constructor(address: MysqlAddress, lock: NamedLock, database: string | undefined) {
    this.#address = address
    this.#lock = lock
    this.database = database
  }

  get lost(): Promise<Error> {
    return this.#lock.lost
  }

  async open(options: OpenLogOptions): Promise<OpenMysqlLog> {
    try {
      return await this.#open(options)
    } catch (error) {
      throw asFollowError(error, `${messageOf(error)}.`)
    }
  }

  async #open(options: OpenLogOptions): Promise<OpenMysqlLog> {
    const { url } = this.#address
    const database = databaseIn(url)
    const variables = await this.#lock.run(readVariables)
    const faults = await this.#lock.run((client) => mysqlFaults(client, variables, database))
    if (faults.length > 0) {
      const reasons = faults.map(({ problem, remedy }) => `${problem} ${remedy}`).join(' ')
      throw followError(`${mysqlNameOf(url)} cannot be followed: ${reasons}`)
    }
    this.#fileBytes = Number(variables.get('max_binlog_size'))
    const charsets = await this.#lock.run(readCharsets)
    const decoder = (): BinlogDecoder =>
      new BinlogDecoder(charsets, variables.get('binlog_checksum') !== 'NONE')
    const schema = new FollowedSchema(this.#lock, database)
    const problems = await schema.follow(options.tables)
    const durable = `mysql:${database}`
    const note = await options.noteOf(durable)
    const noted = placeIn(note?.place ?? '')
    const from = await this.#endPlace()
    const resumed = noted && (await this.#read(noted, options, schema, decoder()))
    const parts = resumed ?? (await this.#read(from, options, schema, decoder()))
    if (!parts) throw followError('the binlog is not there any more.')
    const end = positionOf(from)
    const isLost = noted !== undefined && !resumed
    return new OpenMysqlLog(
      parts,
      {
        isNew: !resumed,
        durable,
        resumesAt: resumed ? note!.position : end,
        end,
        problems: isLost ? [...problems, { table: '', isFollowed: true, message: lostLog }] : problems,
      },
      resumed ? note!.place : '',
    )
  }

  /**
   * Reads the log from a place on. @returns undefined if the log does not have it, or has something else there: it was purged, or it is the log
   * of another server, or of a restored one
   */
  async #read(
    from: LogPlace & { readonly bytes?: Buffer },
    { columnsOf, listener, signal, tables }: OpenLogOptions,
    schema: FollowedSchema,
    decoder: BinlogDecoder,
  ): Promise<MysqlLogParts | undefined> {
    const client = await connectToMysql(this.#address)
    const abort = (): void => cutConnection(client)
    signal.addEventListener('abort', abort, { once: true })
    const recognized = Promise.withResolvers<'same' | 'other'>()
    let expected = from.bytes
    if (!expected) recognized.resolve('same')
    const changes = new LoggedChanges({
      columnsOf,
      listener,
      schema,
      views: this.#views,
      onDefinition: () => {
        stream.pause('definition')
        void schema.refresh().then(
          () => {
            changes.refresh()
            stream.resume('definition')
          },
          () => stream.close(),
        )
      },
    })
    changes.follow(tables)
    const stream: BinlogStream = new BinlogStream(client, decoder, (event) => {
      if (expected && event.kind === 'begin') {
        const isSame = event.bytes.equals(expected)
        expected = undefined
        recognized.resolve(isSame ? 'same' : 'other')
        if (!isSame) stream.close()
      }
      if (!expected) changes.take(event)
      else if (event.kind === 'rotate') changes.take(event)
    })
    try {
      await stream.start(from)
      const found = await Promise.race([recognized.promise, stream.ended])
      if (found === 'same') return { changes, schema, stream }
      stream.close()
      if (found === 'other' || isPurged(found.cause)) return undefined
      throw found
    } catch (error) {
      stream.close()
      if (from.bytes && isPurged((error as Error).cause)) return undefined
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async end(): Promise<bigint | undefined> {
    return this.#lock.isInUse ? undefined : positionOf(await this.#endPlace())
  }

  async transactions(): Promise<RunningTransactions> {
    const askedAtMs = Date.now()
    return this.#views.note(viewOf(await this.#lock.ask(readSnapshot)), askedAtMs)
  }

  /** The log has whole transactions: those that are committed later come later. */
  async newTransaction(): Promise<bigint> {
    return this.#views.next
  }

  bytesBetween(from: bigint, to: bigint): number {
    return bytesBetween(from, to, this.#fileBytes)
  }

  async replicaHas(): Promise<void> {}

  async resign(): Promise<void> {
    await this.#lock.release()
  }

  /** Up to where readers see everything. */
  async #endPlace(): Promise<LogPlace> {
    const askedAtMs = Date.now()
    const snapshot = await this.#lock.ask(readSnapshot)
    this.#views.note(viewOf(snapshot), askedAtMs)
    return snapshot
  }
}

const lostLog =
  'The binlog is not the one that was followed before: it has been purged, or another server has taken its place. What was written until ' +
  'now is unknown, so the followed caches were emptied.'

/** @param atMs by the clock of the database, before it was taken */
type Snapshot = LogPlace & { readonly atMs: number }

const viewOf = (snapshot: Snapshot): CommitView => ({ position: positionOf(snapshot), atMs: snapshot.atMs })

/** A snapshot of the rows which belongs to a place in the log: it has all transactions before it, and none after it. */
async function readSnapshot(client: MysqlConnection): Promise<Snapshot> {
  const [results] = await client.query(
    "SELECT 1000 * UNIX_TIMESTAMP(SYSDATE(6)) AS at; START TRANSACTION WITH CONSISTENT SNAPSHOT; SHOW STATUS LIKE 'Binlog_snapshot_%'; ROLLBACK",
  )
  const [[now], , status] = results as unknown as [
    { at: string }[],
    unknown,
    { Variable_name: string; Value: string }[],
  ]
  const valueOf = (name: string): string =>
    status.find((one) => one.Variable_name.toLowerCase() === name)?.Value ?? ''
  return {
    file: valueOf('binlog_snapshot_file'),
    offset: Number(valueOf('binlog_snapshot_position')),
    atMs: Number(now!.at),
  }
}
