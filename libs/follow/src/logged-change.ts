/** A table as the database's log describes it. */
export interface LoggedTable {
  /** The number of the table in the database, or of a partition if the log has those. */
  readonly oid: number
  readonly schema: string
  readonly name: string
  /** Whether the log has whole rows of before a change (`REPLICA IDENTITY FULL`), instead of their keys. */
  readonly isWhole: boolean
  readonly columns: readonly LoggedColumn[]
}

export interface LoggedColumn {
  readonly name: string
  /** Whether it is part of the replica identity. */
  readonly isKey: boolean
  /** The number of its type in the database. */
  readonly type: number
}

/** The texts of some columns; null for NULL. A column that is missing is unknown, such as a large one that has not changed. */
export type LoggedRow = ReadonlyMap<string, string | null>

/** A change of a row, or of a whole table. */
export type LoggedChange =
  | { readonly kind: 'insert'; readonly table: LoggedTable; readonly row: LoggedRow }
  | {
      readonly kind: 'update'
      readonly table: LoggedTable
      /** The key before it; undefined if it has not changed. */
      readonly before: LoggedRow | undefined
      readonly row: LoggedRow
    }
  | { readonly kind: 'delete'; readonly table: LoggedTable; readonly before: LoggedRow }
  | { readonly kind: 'truncate'; readonly tables: readonly LoggedTable[] }
