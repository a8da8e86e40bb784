import { followError } from '../errors.js'
import type { LoggedTransaction } from '../database-log.js'
import type { LoggedChange, LoggedColumn, LoggedRow, LoggedTable } from '../logged-change.js'

/** A message of a replication stream, decoded as far as a follower needs it. */
export type LogMessage =
  | LoggedChange
  | { readonly kind: 'begin'; readonly transaction: LoggedTransaction }
  | { readonly kind: 'commit'; readonly endLsn: bigint }
  | { readonly kind: 'other' }

/** Which columns of a table are decoded; the others are left out of rows. */
export type WantedColumns = (table: LoggedTable) => ReadonlySet<string>

/**
 * Decodes the messages of PostgreSQL's plugin `pgoutput` in protocol version 1. It has to see all messages of a stream: tables
 * are described before their first change, and whenever they have changed.
 *
 * Source: https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html
 */
export class PgOutput {
  readonly #wanted: WantedColumns
  readonly #tables = new Map<number, DecodedTable>()

  constructor(wanted: WantedColumns) {
    this.#wanted = wanted
  }

  /** Decides again which columns are wanted. */
  refresh(): void {
    for (const decoded of this.#tables.values()) decoded.wanted = this.#wanted(decoded.table)
  }

  /** @throws ModelCacheError (`E_FOLLOW`) for a message that is not of this protocol */
  decode(bytes: Buffer): LogMessage {
    const reader = new Reader(bytes)
    const tag = reader.byte()
    switch (tag) {
      case 0x42: // B
        reader.skip(8)
        return { kind: 'begin', transaction: { committedAtMs: reader.timeMs(), id: reader.int32() } }
      case 0x43: // C
        reader.skip(1 + 8)
        return { kind: 'commit', endLsn: reader.int64() }
      case 0x52: // R
        this.#describe(reader)
        return other
      case 0x49: {
        // I
        const table = this.#tableOf(reader)
        reader.skip(1)
        return { kind: 'insert', table: table.table, row: readRow(reader, table, false) }
      }
      case 0x55: {
        // U
        const table = this.#tableOf(reader)
        const first = reader.byte()
        if (first === newRow)
          return { kind: 'update', table: table.table, before: undefined, row: readRow(reader, table, false) }
        const before = readRow(reader, table, first === keyOfRow)
        reader.skip(1)
        return { kind: 'update', table: table.table, before, row: readRow(reader, table, false) }
      }
      case 0x44: {
        // D
        const table = this.#tableOf(reader)
        return {
          kind: 'delete',
          table: table.table,
          before: readRow(reader, table, reader.byte() === keyOfRow),
        }
      }
      case 0x54: {
        // T
        const count = reader.int32()
        reader.skip(1)
        const tables = Array.from({ length: count }, () => this.#tableOf(reader).table)
        return { kind: 'truncate', tables }
      }
      case 0x59: // Y: a type
      case 0x4f: // O: an origin
      case 0x4d: // M: a message of an application
        return other
      default:
        throw followError(
          `PostgreSQL sends a replication message of an unknown kind, 0x${tag.toString(16)}; update the library.`,
        )
    }
  }

  #describe(reader: Reader): void {
    const oid = reader.int32()
    const schema = reader.text()
    const name = reader.text()
    const identity = String.fromCharCode(reader.byte())
    const columns: LoggedColumn[] = Array.from({ length: reader.int16() }, () => {
      const isKey = (reader.byte() & 1) === 1
      const column = reader.text()
      const type = reader.int32()
      reader.skip(4)
      return { name: column, isKey, type }
    })
    // An empty schema stands for pg_catalog.
    const table: LoggedTable = {
      oid,
      schema: schema || 'pg_catalog',
      name,
      isWhole: identity === 'f',
      columns,
    }
    this.#tables.set(oid, { table, wanted: this.#wanted(table) })
  }

  #tableOf(reader: Reader): DecodedTable {
    const oid = reader.int32()
    const table = this.#tables.get(oid)
    if (table) return table
    throw followError(`PostgreSQL sends a change of table ${oid}, which it has not described.`)
  }
}

interface DecodedTable {
  readonly table: LoggedTable
  wanted: ReadonlySet<string>
}

const other: LogMessage = { kind: 'other' }
const newRow = 0x4e
const keyOfRow = 0x4b

/**
 * @param isKeyOnly whether the row has its key alone, and null in all other columns. A key is never null, but the columns of a
 * partition's key may be fewer than those of its table's.
 */
function readRow(reader: Reader, { table, wanted }: DecodedTable, isKeyOnly: boolean): LoggedRow {
  const row = new Map<string, string | null>()
  const count = reader.int16()
  for (let i = 0; i < count; i++) {
    const column = table.columns[i]!
    const isWanted = wanted.has(column.name) && (!isKeyOnly || column.isKey)
    const kind = reader.byte()
    // Null, or too large and unchanged, so that it is not sent.
    if (kind === 0x6e) {
      if (isWanted && !isKeyOnly) row.set(column.name, null)
    } else if (kind !== 0x75) {
      const length = reader.int32()
      if (isWanted) row.set(column.name, reader.string(length))
      else reader.skip(length)
    }
  }
  return row
}

/** Milliseconds from 1970 to 2000, where PostgreSQL's clock begins. */
export const postgresEpochMs = 946_684_800_000

class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  byte(): number {
    return this.#bytes[this.#at++]!
  }

  int16(): number {
    this.#at += 2
    return this.#bytes.readInt16BE(this.#at - 2)
  }

  /** Unsigned, as table and type numbers are. */
  int32(): number {
    this.#at += 4
    return this.#bytes.readUInt32BE(this.#at - 4)
  }

  int64(): bigint {
    this.#at += 8
    return this.#bytes.readBigUInt64BE(this.#at - 8)
  }

  timeMs(): number {
    this.#at += 8
    return Number(this.#bytes.readBigInt64BE(this.#at - 8)) / 1_000 + postgresEpochMs
  }

  /** Up to the next NUL. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at)
    const text = this.#bytes.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }

  string(length: number): string {
    this.#at += length
    return this.#bytes.toString('utf8', this.#at - length, this.#at)
  }

  skip(length: number): void {
    this.#at += length
  }
}
