import { ByteReader } from './byte-reader.js'
import { readGtid, readTaggedGtid } from './gtid.js'
import { type MappedTable, readTableMap } from './table-map.js'

/** An event of the binlog, as far as a follower needs it. `offset` is where the next one begins; 0 if the event does not say. */
export type BinlogEvent =
  | { readonly kind: 'rotate'; readonly file: string; readonly offset: number }
  | {
      readonly kind: 'begin'
      /** The position at which it begins. */
      readonly start: number
      /** The whole event, by which a transaction is recognized. */
      readonly bytes: Buffer
      /** When it was committed, or before that: when its first statement began. In milliseconds. */
      readonly atMs: number
      /** The GTID as the server lists it. */
      readonly gtid: string
      /** Whether one statement may follow, which is committed by itself. */
      readonly isSingle: boolean
    }
  | {
      readonly kind: 'insert' | 'update' | 'delete'
      /** Undefined if the log has not described it. */
      readonly table: DescribedTable | undefined
      readonly rows: ByteReader
      /** Which columns the rows have. */
      readonly before: Buffer | undefined
      readonly after: Buffer | undefined
      /** Whether foreign keys were not checked, so that nothing was cascaded. */
      readonly isUnchecked: boolean
    }
  | {
      readonly kind: 'statement'
      readonly text: string
      /** The database in which it was run. */
      readonly schema: string
      readonly offset: number
    }
  | { readonly kind: 'commit'; readonly offset: number }
  /** The server was started again. */
  | { readonly kind: 'restart'; readonly offset: number }
  | { readonly kind: 'alive'; readonly offset: number }
  /** Changes that cannot be read: compressed ones, parts of documents, files that were loaded, and events of unknown kinds. */
  | { readonly kind: 'unreadable'; readonly offset: number }
  | { readonly kind: 'other'; readonly offset: number }

/** A description of a table in the log, which is the same object until another one comes. */
export interface DescribedTable extends MappedTable {
  readonly id: number
}

/**
 * Decodes events of a binlog as MariaDB and MySQL write it with `binlog_row_metadata = FULL`. It has to see all events of
 * a transaction: tables are described before their changes.
 *
 * Source: https://mariadb.com/kb/en/replication-protocol/, https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_replication.html
 */
export class BinlogDecoder {
  readonly #charsets: ReadonlyMap<number, string>
  readonly #tables = new Map<number, { readonly bytes: Buffer; readonly table: DescribedTable }>()

  #hasChecksums: boolean
  /** Whether MariaDB has begun the transaction that is being read. */
  #ofMariadb = false

  /**
   * @param charsets by the number of a collation
   * @param hasChecksums whether events end with a checksum; each file says it again
   */
  constructor(charsets: ReadonlyMap<number, string>, hasChecksums: boolean) {
    this.#charsets = charsets
    this.#hasChecksums = hasChecksums
  }

  /** @throws RangeError for an event that ends too early; Error for a transaction of MySQL that it cannot be asked about */
  decode(sent: Buffer): BinlogEvent {
    const type = sent[4]!
    // The description of a file always has one, behind the number of its kind.
    if (type === 15) this.#hasChecksums = sent.at(-checksumBytes - 1) === 1
    const bytes = this.#hasChecksums ? sent.subarray(0, -checksumBytes) : sent
    const offset = bytes.readUInt32LE(13)
    const reader = new ByteReader(bytes.subarray(headerBytes))
    switch (type) {
      case 15:
        // Set in the first file of a server's life, and read by nobody who begins in the middle of a file.
        return { kind: bytes.readUInt32LE(headerBytes + 52) === 0 ? 'other' : 'restart', offset }
      case 2:
        return { kind: 'statement', ...readStatement(reader), offset }
      case 4: {
        const first = Number(reader.uint64())
        return { kind: 'rotate', file: reader.rest().toString('utf8'), offset: first }
      }
      case 16: // a transaction of InnoDB
      case 38: // XA PREPARE
        return { kind: 'commit', offset }
      case 19:
        this.#describe(reader)
        return { kind: 'other', offset: 0 }
      case 23:
      case 24:
      case 25:
      case 30:
      case 31:
      case 32:
        return this.#readChange(type, reader)
      case 27:
      case 41:
        return { kind: 'alive', offset: type === 27 ? offset : 0 }
      case 34:
        // The server lists the others as executed once readers see them: of this one they would be waited for forever.
        throw new Error('a transaction of MySQL has no GTID: gtid_mode is not ON, or was not')
      case 33:
      case 42:
      case mariadbGtid: {
        this.#forgetMany()
        this.#ofMariadb = type === mariadbGtid
        const begun = { kind: 'begin', start: offset - bytes.readUInt32LE(9), bytes } as const
        // MySQL says BEGIN if there are more statements.
        if (!this.#ofMariadb)
          return { ...begun, ...(type === 42 ? readTaggedGtid(reader) : readGtid(reader)), isSingle: true }
        const isSingle = (bytes[headerBytes + 12]! & 1) === 1
        return { ...begun, atMs: bytes.readUInt32LE(0) * 1_000, gtid: mariadbGtidIn(bytes), isSingle }
      }
      default:
        return { kind: harmless.has(type) || isIgnorable(bytes) ? 'other' : 'unreadable', offset }
    }
  }

  #describe(reader: ByteReader): void {
    const id = reader.uint(6)
    reader.skip(2)
    const bytes = reader.rest()
    if (this.#tables.get(id)?.bytes.equals(bytes)) return
    // What the connection gives is a part of a larger buffer.
    const kept = Buffer.from(bytes)
    this.#tables.set(id, {
      bytes: kept,
      table: { id, ...readTableMap(new ByteReader(kept), this.#charsets, this.#ofMariadb) },
    })
  }

  #readChange(type: number, reader: ByteReader): BinlogEvent {
    const id = reader.uint(6)
    const flags = reader.uint(2)
    if (type >= 30) reader.skip(reader.uint(2) - 2)
    const width = Math.ceil(reader.length() / 8)
    const kind = changeKinds[type % 7]!
    const first = reader.bytes(width)
    return {
      kind,
      table: this.#tables.get(id)?.table,
      before: kind === 'insert' ? undefined : first,
      after: kind === 'insert' ? first : kind === 'update' ? reader.bytes(width) : undefined,
      rows: reader,
      isUnchecked: (flags & 2) !== 0,
    }
  }

  /** Numbers of tables are not used again. */
  #forgetMany(): void {
    if (this.#tables.size > 1_000) this.#tables.clear()
  }
}

const headerBytes = 19
const checksumBytes = 4
const mariadbGtid = 162

/** What an event of rows does, by its type modulo 7, which is the same for both versions of these events. */
const changeKinds = { 2: 'insert', 3: 'update', 4: 'delete' } as Readonly<
  Record<number, 'insert' | 'update' | 'delete'>
>

/**
 * What the server says of itself and of transactions, and what a statement needs. All others may change rows: LOAD DATA, a gap that the server
 * knows of, parts of documents, MySQL's compressed transactions, MariaDB's compressed events, and those of newer servers.
 */
const harmless = new Set([3, 5, 9, 11, 13, 14, 17, 28, 29, 35, 36, 37, 160, 161, 163, 164])

/** Whether the server says that a reader which does not know the event may leave it out. */
const isIgnorable = (bytes: Buffer): boolean => (bytes[17]! & 0x80) !== 0

/** Returns the GTID as in `gtid_binlog_state`: `domain-server-number`. */
const mariadbGtidIn = (bytes: Buffer): string =>
  `${bytes.readUInt32LE(headerBytes + 8)}-${bytes.readUInt32LE(5)}-${bytes.readBigUInt64LE(headerBytes)}`

function readStatement(reader: ByteReader): { readonly schema: string; readonly text: string } {
  reader.skip(8)
  const length = reader.uint(1)
  reader.skip(2)
  reader.skip(reader.uint(2))
  const schema = reader.text(length)
  reader.skip(1)
  return { schema, text: reader.rest().toString('utf8') }
}
