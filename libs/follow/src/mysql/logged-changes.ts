import type { Table } from 'model-cache/internal'
import type { LoggedTransaction, OpenLogOptions } from '../database-log.js'
import type { LoggedChange, LoggedRow, LoggedTable } from '../logged-change.js'
import type { BinlogEvent, DescribedTable } from './binlog-events.js'
import type { CommitViews } from './commit-views.js'
import type { FollowedSchema } from './followed-schema.js'
import type { ForeignKeys } from './foreign-keys.js'
import { areWhole, changedRows, type ChangedRow } from './logged-rows.js'
import { placeText, positionOf } from './log-position.js'
import { mayDefine, names, statementKind } from './statement-kind.js'
import { tableId } from './table-id.js'

type RowsEvent = Extract<BinlogEvent, { readonly before: unknown }>

/** How changes of a table are reported. */
interface Interest {
  /** The table as caches name it: in letters of either case, with its schema and without; empty if no cache needs it. */
  readonly logged: readonly LoggedTable[]
  readonly isWanted: readonly boolean[]
  readonly cascade: ReturnType<ForeignKeys['cascadeOf']>
}

export interface ChangesOptions extends Pick<OpenLogOptions, 'columnsOf' | 'listener'> {
  readonly schema: Pick<FollowedSchema, 'foreignKeys' | 'inDatabase'>
  readonly views: CommitViews
  /** Tells the server apart from those that it replicates with. */
  readonly server: string
  /** Whether the server has everything after a crash that readers have seen. */
  readonly isDurable: boolean
  /** Whether names of tables that differ in case alone are of one table. */
  readonly ignoresCase: boolean
  /** Called for a statement that may change foreign keys, or which tables there are. */
  readonly onDefinition: () => void
}

/** A transaction that is being read. */
interface Group {
  readonly transaction: LoggedTransaction
  readonly start: number
  readonly bytes: Buffer
  isSingle: boolean
  hasChanges: boolean
  /** The tables of which all rows are reported. */
  readonly all: Set<string>
}

/** Turns the events of a binlog into changes of the tables that caches need. */
export class LoggedChanges {
  readonly #options: ChangesOptions
  #wanted: ReadonlyMap<string, readonly LoggedTable[]> = new Map()
  #interests = new WeakMap<DescribedTable, Interest>()
  #file = ''
  #group: Group | undefined
  #received = 0n
  #isAsked = false
  /** The places of transactions, by their ends, oldest first: of all since the last that was noted, or of some. */
  #places: {
    readonly end: bigint
    readonly of: readonly [file: string, start: number, bytes: Buffer]
  }[] = []

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  /** Reports changes of these tables from now on. */
  follow(tables: readonly Table[]): void {
    const wanted = new Map<string, LoggedTable[]>()
    for (const { name, schema } of tables) {
      const table = { oid: 0, schema, name, isWhole: true, columns: [] }
      const id = tableId(this.#options.schema.inDatabase(table))
      wanted.set(id, [...(wanted.get(id) ?? []), table])
    }
    this.#wanted = wanted
    this.refresh()
  }

  /** Decides again which columns are read, and what foreign keys change. */
  refresh(): void {
    this.#interests = new WeakMap()
  }

  /** Has the next sign of life reported. */
  ask(): void {
    this.#isAsked = true
  }

  /** What the log has to be given to go on after a position. */
  placeOf(position: bigint): string {
    const last = this.#places.findLastIndex(({ end }) => end <= position)
    if (last < 0) return ''
    this.#places.splice(0, last)
    const [file, start, bytes] = this.#places[0]!.of
    return placeText({ file, offset: start }, bytes, this.#options.server)
  }

  take(event: BinlogEvent): void {
    this.#take(event)
    // Whatever the server sends is a sign of life.
    if (!this.#isAsked || this.#received === 0n) return
    this.#isAsked = false
    this.#options.listener.onAlive(this.#received, this.#options.views.nowMs)
  }

  #take(event: BinlogEvent): void {
    switch (event.kind) {
      case 'rotate':
        this.#file = event.file
        return this.#note(event.offset)
      case 'begin':
        return this.#begin(event)
      case 'statement':
        return this.#takeStatement(event)
      case 'commit':
        return this.#commit(event.offset)
      case 'unreadable':
        return this.#takeUnreadable(event.offset)
      case 'restart':
        return this.#restart(event.offset)
      case 'other':
      case 'alive':
        if (!this.#group) this.#note(event.offset)
        return
      default:
        this.#takeRows(event)
    }
  }

  #begin({ atMs, bytes, gtid, isSingle, start }: Extract<BinlogEvent, { readonly kind: 'begin' }>): void {
    const position = positionOf({ file: this.#file, offset: start })
    const transaction = this.#options.views.begin({ start: position, gtid }, atMs)
    // What the connection gives is a part of a larger buffer.
    const kept = Buffer.from(bytes)
    this.#group = { transaction, start, bytes: kept, isSingle, hasChanges: false, all: new Set() }
  }

  /** Where they are compressed, a statement of MariaDB and a whole transaction of MySQL are one event, their end included. */
  #takeUnreadable(offset: number): void {
    this.#reportAll()
    if (!this.#isAlone) return
    this.#options.onDefinition()
    this.#commit(offset)
  }

  /** Whether the next event is a transaction by itself. */
  get #isAlone(): boolean {
    return this.#group?.isSingle ?? true
  }

  #takeStatement({ offset, schema, text }: Extract<BinlogEvent, { readonly kind: 'statement' }>): void {
    const kind = statementKind(text)
    if (kind === 'none' && this.#group) this.#group.isSingle = false
    if (kind === 'unknown') this.#reportAll()
    if (kind === 'definition') {
      for (const [id, tables] of this.#wanted)
        if (tables.some((table) => names(text, schema, this.#options.schema.inDatabase(table))))
          this.#reportTables([id])
    }
    if (kind === 'definition' || (kind === 'unknown' && mayDefine(text))) this.#options.onDefinition()
    // What XA PREPARE has written is committed now.
    if (/^XA COMMIT\b/i.test(text) || this.#isAlone || kind === 'commit') this.#commit(offset)
  }

  #commit(offset: number): void {
    const { listener } = this.#options
    const group = this.#group
    this.#group = undefined
    const end = positionOf({ file: this.#file, offset })
    if (!group) return this.#note(offset)
    this.#places.push({ end, of: [this.#file, group.start, group.bytes] })
    // A follower that resumes at an earlier one reads a little again.
    if (this.#places.length > mostPlaces) this.#places = this.#places.filter((_, i) => i % 2 === 0)
    if (!group.hasChanges) return this.#note(offset)
    this.#received = end
    listener.onCommit(end, group.transaction)
  }

  /** A server that ended while it wrote a transaction has rolled it back: the log has no end of it. */
  #restart(offset: number): void {
    const group = this.#group
    this.#group = undefined
    if (!this.#options.isDurable) this.#reportAll()
    else if (group?.hasChanges) this.#options.listener.onCommit(this.#received, group.transaction)
    else this.#note(offset)
  }

  /** Everything before a place has been read. */
  #note(offset: number): void {
    const position = positionOf({ file: this.#file, offset })
    if (offset > 0 && position > this.#received) this.#received = position
  }

  #takeRows(event: RowsEvent): void {
    const { table } = event
    // Without a description, they may be of any table.
    if (!table) return this.#reportAll()
    const { cascade, isWanted, logged } = this.#interestIn(table)
    if (logged.length === 0 && !cascade) return
    const id = tableId(table)
    if (!table.columns) {
      this.#reportTables([id])
      return this.#cascadeAll(cascade)
    }
    // An INSERT that names no column may log none, and such rows have no bytes.
    if (event.rows.left === 0) return this.#reportTables([id])
    const count = table.columns.length
    const isWhole = areWhole(event.before, count) && areWhole(event.after, count)
    const known = isWhole ? logged : logged.map((one) => ({ ...one, isWhole }))
    const cascades = event.isUnchecked ? undefined : cascade
    try {
      for (const row of changedRows(event, table.columns, isWanted)) {
        for (const one of known) this.#report(changeOf(event.kind, one, row))
        if (cascades) this.#cascade(cascades, row)
      }
    } catch (error) {
      // A value of another length than the description says.
      if (!(error instanceof RangeError)) throw error
      this.#reportTables([id])
      this.#cascadeAll(cascades)
    }
  }

  #cascade({ ofDelete, ofUpdate }: NonNullable<Interest['cascade']>, { after, before }: ChangedRow): void {
    if (!before) return
    if (!after) return this.#reportTables(ofDelete)
    for (const { columns, tables } of ofUpdate)
      if (columns.some((column) => isChanged(before, after, column))) this.#reportTables(tables)
  }

  #cascadeAll(cascade: Interest['cascade']): void {
    if (!cascade) return
    this.#reportTables(cascade.ofDelete)
    for (const { tables } of cascade.ofUpdate) this.#reportTables(tables)
  }

  #reportAll(): void {
    this.#reportTables(this.#wanted.keys())
  }

  /** Reports that any row of some tables may have changed, once in a transaction. */
  #reportTables(ids: Iterable<string>): void {
    for (const id of ids) {
      const tables = this.#wanted.get(id)
      if (!tables || this.#group?.all.has(id)) continue
      this.#group?.all.add(id)
      this.#report({ kind: 'truncate', tables })
    }
  }

  #report(change: LoggedChange): void {
    const group = this.#group
    // An event of the server itself is of no transaction.
    const transaction =
      group?.transaction ??
      this.#options.views.begin({ start: this.#received, gtid: undefined }, this.#options.views.nowMs)
    if (group) group.hasChanges = true
    this.#options.listener.onChange(change, transaction)
    if (!group) this.#options.listener.onCommit(this.#received, transaction)
  }

  #interestIn(table: DescribedTable): Interest {
    const found = this.#interests.get(table)
    if (found) return found
    const { columnsOf, ignoresCase, schema } = this.#options
    const wanted = this.#wanted.get(tableId(table)) ?? []
    const isSame = (place: Table): boolean => place.schema === table.schema && place.name === table.name
    const own = wanted.filter((one) => isSame(schema.inDatabase(one)))
    const named = ignoresCase ? wanted : own.length > 0 ? own : wanted.slice(0, 1)
    const cascade = schema.foreignKeys.cascadeOf(table)
    const read = new Set(named.flatMap((one) => [...columnsOf(one)]))
    for (const { columns } of cascade?.ofUpdate ?? []) for (const column of columns) read.add(column)
    const columns = table.columns ?? []
    const interest = {
      cascade,
      isWanted: columns.map(({ name }) => read.has(name)),
      logged: named.map((one) => ({
        ...one,
        columns: columns.map(({ name, type }) => ({ name, type, isKey: false })),
      })),
    }
    this.#interests.set(table, interest)
    return interest
  }
}

/** While the caches do not take a change, nothing is noted, and the log has all transactions of its server. */
const mostPlaces = 10_000

function changeOf(
  kind: 'insert' | 'update' | 'delete',
  table: LoggedTable,
  { after, before }: ChangedRow,
): LoggedChange {
  if (kind === 'insert') return { kind, table, row: after! }
  return kind === 'update' ? { kind, table, before, row: after! } : { kind, table, before: before! }
}

function isChanged(before: LoggedRow, after: LoggedRow, column: string): boolean {
  return !after.has(column) || before.get(column) !== after.get(column)
}
