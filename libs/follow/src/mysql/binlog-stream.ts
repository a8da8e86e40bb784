import { randomInt } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { answerIn, deadlineMs } from '../answer-in.js'
import { followError } from '../errors.js'
import { messageOf } from '../database-url.js'
import type { BinlogDecoder, BinlogEvent } from './binlog-events.js'
import { cutConnection, type MysqlConnection } from './connect.js'
import type { LogPlace } from './log-position.js'

/** What `mysql2` does not declare. */
interface Packet {
  readonly buffer: Buffer
  readonly offset: number
  readonly end: number
  isEOF(): boolean
  isError(): boolean
  asError(encoding: string): Error
}
interface Wire {
  addCommand(command: unknown): void
  writePacket(packet: unknown): void
  pause(): void
  resume(): void
  sequenceId: number
  on(event: 'error' | 'end', listener: (error?: Error) => void): void
}

/** How often the server says that it has nothing to send, in nanoseconds. */
const heartbeatNs = 400_000_000

/** This reader knows checksums, the server sends its own events as they are, and says when it has nothing to send. */
const settings = `SET @master_binlog_checksum = @@global.binlog_checksum, @mariadb_slave_capability = 4,
  @master_heartbeat_period = ${heartbeatNs}, @source_heartbeat_period = ${heartbeatNs}`

/** Why the server refuses to send the log at a place: it is not there, or not any more, or cannot be read. */
export const isPurged = (error: unknown): boolean =>
  (error as { errno?: unknown } | undefined)?.errno === 1_236

/** Reads the binlog from a place on, through a connection of its own. */
export class BinlogStream {
  readonly #client: MysqlConnection
  readonly #wire: Wire
  readonly #decoder: BinlogDecoder
  readonly #take: (event: BinlogEvent) => void
  readonly #ended = Promise.withResolvers<Error>()
  readonly #started = Promise.withResolvers<void>()
  #isOver = false
  #isUnreadable = false
  /** Who stops the stream: the reader of the changes, and a definition that is looked at. */
  readonly #pauses = new Set<string>()

  /** @param take is called with each event, in order */
  constructor(client: MysqlConnection, decoder: BinlogDecoder, take: (event: BinlogEvent) => void) {
    this.#client = client
    this.#wire = (client as unknown as { readonly connection: Wire }).connection
    this.#decoder = decoder
    this.#take = take
    this.#wire.on('error', (error) => this.#end(`lost the replication stream: ${messageOf(error)}.`, error))
    this.#wire.on('end', () => this.#end('the replication stream was closed.'))
  }

  /** Resolves when it ends, with the reason. */
  get ended(): Promise<Error> {
    return this.#ended.promise
  }

  /**
   * Whether it has ended because of an event that cannot be read, by this process or by the server, such as the last one before a crash:
   * whoever reads from before it ends there as well.
   */
  get isUnreadable(): boolean {
    return this.#isUnreadable
  }

  /** Resolves when the server sends. @throws ModelCacheError (`E_FOLLOW`) whose cause is the error of the server; Error without an answer */
  async start(from: LogPlace): Promise<void> {
    await answerIn(this.#client.query(settings), deadlineMs)
    this.#wire.addCommand(new DumpCommand(from, (packet) => this.#receive(packet)))
    // A server that has nothing to send says in which file it is.
    const failure = await answerIn(Promise.race([this.#started.promise, this.ended]), deadlineMs)
    if (failure) throw failure
  }

  pause(why: string): void {
    this.#pauses.add(why)
    this.#wire.pause()
  }

  resume(why: string): void {
    if (this.#pauses.delete(why) && this.#pauses.size === 0) this.#wire.resume()
  }

  /** Ends it with a reason. */
  end(reason: string): void {
    this.#end(reason)
    this.close()
  }

  close(): void {
    this.#isOver = true
    cutConnection(this.#client)
  }

  #end(reason: string, cause?: unknown): void {
    this.#isOver = true
    this.#ended.resolve(followError(reason, cause))
  }

  /** @returns whether more may come */
  #receive(packet: Packet): boolean {
    if (this.#isOver) return false
    let isOfServer = true
    try {
      if (packet.isError()) throw packet.asError('utf8')
      if (packet.isEOF()) throw new Error('the server has ended it')
      isOfServer = false
      // Behind the length of the packet, its number, and a byte that says that no error follows.
      this.#take(this.#decoder.decode(packet.buffer.subarray(packet.offset + 1, packet.end)))
      this.#started.resolve()
      return true
    } catch (error) {
      this.#isUnreadable = !isOfServer || isPurged(error)
      const remedy = (error as { errno?: unknown }).errno === 1_227 ? mayReplicate : ''
      this.#end(`cannot read the binlog: ${messageOf(error)}.${remedy}`, error)
      this.close()
      return false
    }
  }
}

const mayReplicate = ' Run as an administrator: GRANT REPLICATION SLAVE ON *.* TO …; see docs/follow.md.'

/** COM_BINLOG_DUMP as a command of `mysql2`, which gives it each packet that is an answer. */
class DumpCommand extends EventEmitter {
  readonly #from: LogPlace
  readonly #receive: (packet: Packet) => boolean
  #isSent = false

  constructor(from: LogPlace, receive: (packet: Packet) => boolean) {
    super()
    this.#from = from
    this.#receive = receive
  }

  /** @returns whether it is over */
  execute(packet: Packet | undefined, wire: Wire): boolean {
    if (this.#isSent) return packet !== undefined && !this.#receive(packet)
    this.#isSent = true
    wire.sequenceId = 0
    const file = Buffer.from(this.#from.file)
    // The length and the number of the packet are filled in by the connection.
    const bytes = Buffer.alloc(4 + 11 + file.length)
    bytes[4] = 0x12
    bytes.writeUInt32LE(this.#from.offset, 5)
    // Like a replica, each reader needs a number of its own.
    bytes.writeUInt32LE(randomInt(2 ** 31, 2 ** 32 - 1), 11)
    file.copy(bytes, 15)
    wire.writePacket(new OutgoingPacket(bytes))
    return false
  }
}

/** What the connection needs of a packet that it sends. */
class OutgoingPacket {
  readonly buffer: Buffer
  readonly offset = 4

  constructor(buffer: Buffer) {
    this.buffer = buffer
  }

  length(): number {
    return this.buffer.length
  }

  writeHeader(number: number): void {
    this.buffer.writeUIntLE(this.buffer.length - 4, 0, 3)
    this.buffer[3] = number
  }
}
