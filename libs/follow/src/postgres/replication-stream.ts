import type pg from 'pg'
import { answerIn, deadlineMs } from '../answer-in.js'
import { followError } from '../errors.js'
import { DatabaseClock } from '../database-clock.js'
import type { LoggedTransaction, LogListener } from '../database-log.js'
import { postgresEpochMs, PgOutput, type WantedColumns } from './pgoutput.js'
import { disconnect } from './connect.js'
import { messageOf } from '../database-url.js'
import { literal, quoted } from './sql.js'

export interface ReplicationOptions {
  readonly columnsOf: WantedColumns
  readonly listener: LogListener
}

/** What `pg` does not declare of its connection. */
interface WireConnection {
  readonly stream: { pause(): void; resume(): void }
  once(event: 'replicationStart', listener: () => void): void
  on(event: 'copyData', listener: (message: { readonly chunk: Buffer }) => void): void
  sendCopyFromChunk(chunk: Buffer): void
}

/** Reads a replication slot through a connection of its own, from its start on. */
export class ReplicationStream {
  readonly #client: pg.Client
  readonly #wire: WireConnection
  readonly #listener: LogListener
  readonly #decoder: PgOutput
  readonly #ended = Promise.withResolvers<Error>()
  #received = 0n
  #confirmed = 0n
  #transaction: LoggedTransaction = { id: 0, committedAtMs: 0 }
  #isOver = false
  readonly #clock = new DatabaseClock()
  /** When the server was asked; undefined once it has answered. */
  #askedAtMs: number | undefined

  /** @param client a replication connection, which the stream closes */
  constructor(client: pg.Client, { columnsOf, listener }: ReplicationOptions) {
    this.#client = client
    this.#wire = (client as unknown as { readonly connection: WireConnection }).connection
    this.#listener = listener
    this.#decoder = new PgOutput(columnsOf)
    client.on('error', (error) =>
      this.#end(followError(`lost the replication stream: ${messageOf(error)}.`, error)),
    )
    client.on('end', () => this.#end(followError('the replication stream was closed.')))
  }

  /** Resolves when it ends, with the reason. */
  get ended(): Promise<Error> {
    return this.#ended.promise
  }

  /** @throws ModelCacheError (`E_FOLLOW`); Error without an answer */
  async start(slot: string, publication: string): Promise<void> {
    this.#wire.on('copyData', ({ chunk }) => this.#receive(chunk))
    const started = new Promise<void>((resolve) => this.#wire.once('replicationStart', () => resolve()))
    const command =
      `START_REPLICATION SLOT ${quoted(slot)} LOGICAL 0/0 ` +
      `(proto_version '1', publication_names ${literal(quoted(publication))})`
    // It ends with the stream.
    const refused = this.#client.query(command).then(
      () => followError('PostgreSQL ended the replication stream.'),
      (error: unknown) =>
        followError(`PostgreSQL refuses the replication stream: ${messageOf(error)}.`, error),
    )
    void refused.then((reason) => this.#end(reason))
    const failure = await answerIn(Promise.race([started, this.ended]), deadlineMs)
    if (failure) throw failure
  }

  confirm(position: bigint): void {
    if (position > this.#confirmed) this.#confirmed = position
    this.#report(false)
  }

  ask(): void {
    this.#askedAtMs ??= Date.now()
    this.#report(true)
  }

  pause(): void {
    this.#wire.stream.pause()
  }

  resume(): void {
    this.#wire.stream.resume()
  }

  /** Decides again which columns are read. */
  refresh(): void {
    this.#decoder.refresh()
  }

  #end(reason: Error): void {
    this.#isOver = true
    this.#ended.resolve(reason)
  }

  async close(): Promise<void> {
    this.#isOver = true
    await disconnect(this.#client)
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return
    try {
      if (chunk[0] === walData) this.#take(chunk.readBigUInt64BE(1), chunk.subarray(25))
      else if (chunk[0] === keepalive) this.#answer(chunk)
    } catch (error) {
      this.#end(error instanceof Error ? error : followError(String(error)))
      void this.close()
    }
  }

  #take(position: bigint, bytes: Buffer): void {
    if (position > this.#received) this.#received = position
    const message = this.#decoder.decode(bytes)
    switch (message.kind) {
      case 'begin':
        this.#transaction = message.transaction
        return
      case 'commit':
        if (message.endLsn > this.#received) this.#received = message.endLsn
        return this.#listener.onCommit(message.endLsn, this.#transaction)
      case 'other':
        return
      default:
        this.#listener.onChange(message, this.#transaction)
    }
  }

  #answer(chunk: Buffer): void {
    const position = chunk.readBigUInt64BE(1)
    if (position > this.#received) this.#received = position
    // One that was sent without a question may have been on its way for long.
    if (this.#askedAtMs !== undefined) {
      this.#clock.note(Number(chunk.readBigInt64BE(9)) / 1_000 + postgresEpochMs, this.#askedAtMs)
      this.#askedAtMs = undefined
    }
    this.#listener.onAlive(position, this.#clock.nowMs)
    if (chunk[17] === 1) this.#report(false)
  }

  /** Reports what has been received and confirmed. */
  #report(wantsAnswer: boolean): void {
    if (this.#isOver) return
    const report = Buffer.alloc(34)
    report[0] = statusUpdate
    report.writeBigUInt64BE(this.#received, 1)
    report.writeBigUInt64BE(this.#confirmed, 9)
    report.writeBigUInt64BE(this.#confirmed, 17)
    report.writeBigInt64BE(BigInt(Math.round((Date.now() - postgresEpochMs) * 1_000)), 25)
    report[33] = wantsAnswer ? 1 : 0
    this.#wire.sendCopyFromChunk(report)
  }
}

const walData = 0x77
const keepalive = 0x6b
const statusUpdate = 0x72
