/** A row in one version, with the fields by which lookups find and order it. */
export interface Row {
  readonly id: string
  /** From 1 on; each write of a row makes a new one. */
  readonly version: number
  readonly [field: string]: string | number
}

/** A way to read rows: by id, by a unique key, or as a list. */
export interface Lookup {
  readonly name: string
  readonly by: readonly string[]
  /** Rows of other statuses are not in it. */
  readonly statuses?: readonly string[]
  /** Of `sortOrder`. */
  readonly order?: 'asc' | 'desc'
  readonly limit?: number
}

/** The key under which a lookup finds a row, as text; null if it does not. */
export function keyOf({ by, statuses }: Lookup, row: Row | null): string | null {
  if (!row || statuses?.includes(row.status as string) === false) return null
  return textOf(by.map((field) => row[field]!))
}

export const textOf = (values: readonly (string | number)[]): string => values.join(' ')

/** The state of a row from one of its committed writes until the next one. */
export interface Version {
  readonly id: string
  readonly version: number
  /** Null from its deletion on. An id is never used again. */
  readonly row: Row | null
  /** A moment before its statement. */
  readonly from: number
  /** The tag of its write, if rows of the model have one. */
  readonly tag?: string | null
}
