import { setTimeout as delay } from 'node:timers/promises'
import { asFollowError, followError } from '../errors.js'
import type { Leadership, OpenLogOptions, RunningTransactions } from '../database-log.js'
import { messageOf } from '../database-url.js'
import { BinlogDecoder } from './binlog-events.js'
import { BinlogStream } from './binlog-stream.js'
import { CommitViews } from './commit-views.js'
import { connectToMysql, mysqlNameOf } from './connect.js'
import { FollowedSchema } from './followed-schema.js'
import { readCharsets } from './found-tables.js'
import { LoggedChanges } from './logged-changes.js'
import {
  type LogEnd,
  type ReadLogEnd,
  readMariadbEnd,
  readMariadbLogged,
  readMysqlEnd,
  readOwned,
} from './log-end.js'
import { bytesBetween, type LogPlace, placeIn, positionOf } from './log-position.js'
import { databaseIn, type MysqlAddress } from './mysql-address.js'
import type { NamedLock } from './named-lock.js'
import { type MysqlLogParts, OpenMysqlLog } from './open-mysql-log.js'
import { mysqlFaults } from './server-faults.js'
import { isMariadb, type Variables } from './server-variables.js'

/** What this process knows of the log from one leadership to the next. */
export interface LogReading {
  /** Whether it ended last with an event that cannot be read: whoever resumes before it ends there as well. */
  isUnreadable: boolean
}

/** The right to follow a database of MariaDB or MySQL: a lock by name. Its connection asks what the stream cannot. */
export class MysqlLeadership implements Leadership {
  readonly database: string | undefined
  readonly hasReplica = false
  readonly #address: MysqlAddress
  readonly #lock: NamedLock
  readonly #read: ReadLogEnd
  readonly #views = new CommitViews()
  readonly #variables: Variables
  readonly #reading: LogReading
  #stream: BinlogStream | undefined
  /** The end of the log when it was asked for last. */
  #end = 0n
  #timer: NodeJS.Timeout | undefined
  /** The last question, until it is answered. */
  #asking: Promise<ReadEnd> | undefined

  constructor(
    address: MysqlAddress,
    lock: NamedLock,
    database: string | undefined,
    variables: Variables,
    reading: LogReading,
  ) {
    this.#reading = reading
    this.#address = address
    this.#lock = lock
    this.database = database
    this.#variables = variables
    this.#read = isMariadb(variables) ? readMariadbEnd : readMysqlEnd(variables)
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
    const variables = this.#variables
    const faults = await this.#lock.run((client) => mysqlFaults(client, variables, database))
    if (faults.length > 0) {
      const reasons = faults.map(({ problem, remedy }) => `${problem} ${remedy}`).join(' ')
      throw followError(`${mysqlNameOf(url)} cannot be followed: ${reasons}`)
    }
    const charsets = await this.#lock.run((client) => readCharsets(client, isMariadb(variables)))
    const decoder = (): BinlogDecoder =>
      new BinlogDecoder(charsets, variables.get('binlog_checksum') !== 'NONE')
    // MySQL carries them out by itself from 9.6 on, and InnoDB before that.
    const logsCascades = variables.get('innodb_native_foreign_keys') === 'OFF'
    const schema = new FollowedSchema(this.#lock, database, logsCascades)
    const problems = await schema.follow(options.tables)
    const durable = `mysql:${database}`
    const note = await options.noteOf(durable)
    const noted = placeIn(note?.place ?? '')
    const { isUnreadable } = this.#reading
    const from = (await this.#readEnd()).place
    const mayResume = noted?.server === serverOf(variables) && !isUnreadable
    const resumed = mayResume ? await this.#readLog(noted, options, schema, decoder()) : undefined
    const parts = resumed ?? (await this.#readLog(from, options, schema, decoder()))
    if (!parts) throw followError('the binlog is not there any more.')
    const { stream } = parts
    try {
      if (!resumed && !isMariadb(variables)) await this.#untilExecuted(options.signal)
    } catch (error) {
      stream.close()
      throw error
    }
    this.#stream = stream
    this.#reading.isUnreadable = false
    void stream.ended.then(() => {
      this.#reading.isUnreadable = stream.isUnreadable
    })
    const end = positionOf(from)
    const isLost = noted !== undefined && !resumed
    const message = isUnreadable ? unreadableLog : lostLog
    return new OpenMysqlLog(
      parts,
      {
        isNew: !resumed,
        durable,
        resumesAt: resumed ? note!.position : end,
        end,
        problems: isLost ? [...problems, { table: '', isFollowed: true, message }] : problems,
      },
      resumed ? note!.place : '',
    )
  }

  /**
   * Reads the log from a place on. @returns undefined if the log does not have it, or has something else there: it was purged, or it is the log
   * of another server, or of a restored one
   */
  async #readLog(
    from: LogPlace & { readonly bytes?: Buffer },
    { columnsOf, listener, signal, tables }: OpenLogOptions,
    schema: FollowedSchema,
    decoder: BinlogDecoder,
  ): Promise<MysqlLogParts | undefined> {
    const client = await connectToMysql(this.#address)
    const recognized = Promise.withResolvers<'same' | 'other'>()
    let expected = from.bytes
    if (!expected) recognized.resolve('same')
    const variables = this.#variables
    const changes = new LoggedChanges({
      columnsOf,
      listener,
      schema,
      views: this.#views,
      server: serverOf(variables),
      isDurable: isDurable(variables),
      ignoresCase: variables.get('lower_case_table_names') !== '0',
      onDefinition: () => {
        stream.pause('definition')
        void schema.refresh().then(
          () => {
            changes.refresh()
            stream.resume('definition')
          },
          (error: unknown) => stream.end(`cannot look at changed tables: ${messageOf(error)}.`),
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
      if (event.kind === 'begin' && isMariadb(variables)) this.#askLogged()
      if (!expected) changes.take(event)
      else if (event.kind === 'rotate') changes.take(event)
    })
    const abort = (): void => stream.end('it was stopped.')
    signal.addEventListener('abort', abort, { once: true })
    try {
      // While it connected.
      if (signal.aborted) throw followError('it was stopped.')
      await stream.start(from)
      const found = await Promise.race([recognized.promise, stream.ended])
      if (found === 'same') return { changes, schema, stream }
      stream.close()
      if (found === 'other' || stream.isUnreadable) return undefined
      throw found
    } catch (error) {
      stream.close()
      if (from.bytes && stream.isUnreadable) return undefined
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async end(): Promise<bigint | undefined> {
    // Without the rights for it, the reason is what opening the log says.
    if (!this.#stream) return undefined
    if (!this.#asking && this.#lock.isInUse) return undefined
    return positionOf((await (this.#asking ?? this.#readEnd())).place)
  }

  async transactions(): Promise<RunningTransactions> {
    // What is being asked may have been asked too early: then its answer has fewer transactions.
    return (await (this.#asking ?? this.#readEnd())).running
  }

  /** The log has whole transactions: those that are committed later come later. */
  async newTransaction(): Promise<bigint> {
    return this.#views.next
  }

  bytesBetween(from: bigint, to: bigint): number {
    return bytesBetween(from, to, Number(this.#variables.get('max_binlog_size')))
  }

  async replicaHas(): Promise<void> {}

  async resign(): Promise<void> {
    await this.#lock.release()
  }

  /**
   * The log of MariaDB lacks the moment of a commit, which counts as that of the last view without it: there has to be one of late. Soon,
   * and not now, when it would only delay the question whether readers see what is being read.
   */
  #askLogged(): void {
    if (this.#timer) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#lock.isInUse) return
      this.#lock.ask(readMariadbLogged).then(
        (view) => this.#views.noteLogged(view),
        () => {},
      )
    }, askEachMs).unref()
  }

  #readEnd(): Promise<ReadEnd> {
    const asking = this.#ask().finally(() => {
      if (this.#asking === asking) this.#asking = undefined
    })
    this.#asking = asking
    return asking
  }

  async #ask(): Promise<ReadEnd> {
    const askedAtMs = Date.now()
    const end = await this.#lock.ask(this.#read)
    const position = positionOf(end.place)
    // Whoever reads the log then gets nothing any more, and no error.
    if (position < this.#end) this.#stream?.end('the binlog was deleted, and begins again.')
    this.#end = position
    return { ...end, running: this.#views.note(end.view, askedAtMs) }
  }

  /** The log of MySQL has transactions which readers do not see yet, and which a reader of its end never gets. */
  async #untilExecuted(signal: AbortSignal): Promise<void> {
    let open = await this.#lock.ask(readOwned)
    while (open.length > 0) {
      await delay(pauseMs, undefined, { signal, ref: false })
      const owned = new Set(await this.#lock.ask(readOwned))
      open = open.filter((gtid) => owned.has(gtid))
    }
  }
}

interface ReadEnd extends LogEnd {
  readonly running: RunningTransactions
}

/** While transactions are read. */
const askEachMs = 5
/** Between two questions of what is being committed. */
const pauseMs = 5

/** Servers that replicate each other have different numbers. */
const serverOf = (variables: Variables): string => variables.get('server_id') ?? ''

/** Whether the server has after a crash what it had committed. */
const isDurable = (variables: Variables): boolean =>
  variables.get('sync_binlog') === '1' && variables.get('innodb_flush_log_at_trx_commit') === '1'

const unreadableLog =
  'The binlog has an event that the server, or this version of the library, cannot read. What was written until now is unknown, so the ' +
  'followed caches were emptied.'
const lostLog =
  'The binlog is not the one that was followed before: it has been purged, or another server has taken its place. What was written until ' +
  'now is unknown, so the followed caches were emptied.'
