/** Rows of the database as numbers, and the lists of their ids that lookups store. */
/** The row does not exist. As a stored value: a negative entry. */
export const ABSENT = 0

/** A row: 0, or its fields as bits. */
export type Row = number

/** What a write sets. Numbers from 0 to 3. */
export interface Fields {
  /** What lists are by. */
  readonly group?: number
  /** What lists are ordered by; rows of the same rank are ordered by id. */
  readonly rank?: number
  /** Unique. */
  readonly slug?: number
  /** 1 if a list of open rows does not have it. */
  readonly closed?: number
  /** A field that no lookup knows. */
  readonly note?: number
}

export type Field = keyof Fields

const EXISTS = 1
const shifts: Record<Field, number> = { group: 1, rank: 3, slug: 5, closed: 7, note: 9 }
const fieldNames = Object.keys(shifts) as Field[]

export const fieldOf = (row: Row, field: Field): number => (row >> shifts[field]) & 3

/** The row with some fields changed; a new one if it does not exist. */
export function rowWith(row: Row, fields: Fields): Row {
  let changed = row | EXISTS
  for (const field of fieldNames) {
    const value = fields[field]
    if (value !== undefined) changed = (changed & ~(3 << shifts[field])) | (value << shifts[field])
  }
  return changed
}

/** A lookup of the model. */
export interface Lookup {
  readonly name: string
  readonly by: Field
  /** Whether it has only rows that are not closed. */
  readonly isOfOpen: boolean
  readonly isOrdered: boolean
  readonly limit: number
}

export const lookups = {
  /** A list without a limit: its entries are complete. */
  all: { name: 'all', by: 'group', isOfOpen: false, isOrdered: true, limit: Infinity },
  /** A list with a limit and a `where`: its entries are not complete. */
  first: { name: 'first', by: 'group', isOfOpen: true, isOrdered: true, limit: 1 },
  /** A unique key. */
  place: { name: 'place', by: 'slug', isOfOpen: false, isOrdered: false, limit: Infinity },
} satisfies Record<string, Lookup>

export type LookupName = keyof typeof lookups

/** One key of a lookup. */
export interface Key {
  readonly lookup: LookupName
  readonly key: number
}

export const isUnique = ({ lookup }: Key): boolean => lookup === 'place'

/** Whether the row has the key, and satisfies `where`. */
export function belongs(row: Row, { lookup, key }: Key): boolean {
  const { by, isOfOpen } = lookups[lookup]
  return row !== ABSENT && fieldOf(row, by) === key && !(isOfOpen && fieldOf(row, 'closed') !== 0)
}

/** Whether a write of these fields may let a row enter the lookup, or take another place in it. */
export function mayEnter(fields: Fields, { lookup }: Key, countsOrder: boolean): boolean {
  const { by, isOfOpen, isOrdered } = lookups[lookup]
  return (
    fields[by] !== undefined ||
    (isOfOpen && fields.closed !== undefined) ||
    (isOrdered && countsOrder && fields.rank !== undefined)
  )
}

/** Negative if the first row comes before the second. */
export const compared = (a: Row, aId: number, b: Row, bId: number): number =>
  fieldOf(a, 'rank') - fieldOf(b, 'rank') || aId - bId

/** The ids that the database gives for a key, in its order. */
export function idsOf(rows: readonly Row[], key: Key): number[] {
  const ids = [...rows.keys()].filter((id) => belongs(rows[id]!, key))
  return ids.toSorted((a, b) => compared(rows[a]!, a, rows[b]!, b)).slice(0, lookups[key.lookup].limit)
}

/** A stored entry as a number: for each id two bits, then for each two of its rank, then whether it is complete. */
export type Entry = number

const MOST_IDS = 3
const COMPLETE = 1 << (4 * MOST_IDS)

export function entryOf(rows: readonly Row[], key: Key): Entry {
  const ids = idsOf(rows, key)
  let entry = ids.length < lookups[key.lookup].limit ? COMPLETE : 0
  for (const [at, id] of ids.entries()) {
    entry |= ((id + 1) << (2 * at)) | (fieldOf(rows[id]!, 'rank') << (2 * (MOST_IDS + at)))
  }
  return entry
}

const idsByBits = Array.from({ length: 1 << (2 * MOST_IDS) }, (_, bits): readonly number[] =>
  [0, 1, 2].map((at) => ((bits >> (2 * at)) & 3) - 1).filter((id) => id >= 0),
)

export const idsIn = (entry: Entry): readonly number[] => idsByBits[entry & (idsByBits.length - 1)]!

export const isComplete = (entry: Entry): boolean => (entry & COMPLETE) !== 0

/** The rank that the row at this position had when the entry was loaded. */
export const rankIn = (entry: Entry, at: number): number => (entry >> (2 * (MOST_IDS + at))) & 3

export const isNegative = (entry: Entry): boolean => idsIn(entry).length === 0
