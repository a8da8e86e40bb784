import { createHash } from 'node:crypto'
import type { DatabaseDescription } from '../../source/database.js'

/** A description, and which of its states stored values are from. */
export interface DatabaseIdentity extends DatabaseDescription {
  /** Changes when the database is found at an earlier position of its history than before. */
  readonly incarnation: string
}

/** What the databases of two processes are to each other; unknown if they are known by something different. */
export type Kinship = 'same' | 'other' | 'other state' | 'unknown'

/** Compares databases: of one database, two histories are states that different servers may have. */
export function kinshipOf(one: DatabaseIdentity, other: DatabaseIdentity): Kinship {
  if (kindOf(one.id) !== kindOf(other.id)) return 'unknown'
  // A client whose models name their schemas shares tables with clients of each of them.
  const isOne = one.schema === other.schema || one.schema === '' || other.schema === ''
  if (one.id !== other.id || !isOne) return 'other'
  return one.history === other.history && one.incarnation === other.incarnation ? 'same' : 'other state'
}

/** Roles with different rights may know one database by different ids. */
export function kindOf(id: string): string {
  return id.slice(0, id.indexOf('/'))
}

/** What the epochs of stored values end with, so that values count only where they are from this very database. */
export function markOf({ id, history, incarnation }: DatabaseIdentity): string {
  return `.${digestOf([id, history, incarnation])}`
}

/**
 * Tells in which incarnation a database is: that of other processes, unless one of them has seen it at a later position.
 *
 * @param seen what was known of the same database, the likeliest first
 */
export function identityAmong(now: DatabaseDescription, seen: readonly DatabaseIdentity[]): DatabaseIdentity {
  const before = seen.filter(({ id, history }) => id === now.id && history === now.history)
  /** The latest of each incarnation. */
  const latest = new Map<string, DatabaseIdentity>()
  for (const one of before) {
    const known = latest.get(one.incarnation)
    if (!known || isLater(one, known)) latest.set(one.incarnation, one)
  }
  const current = [...latest.values()].find((one) => !isLater(one, now))
  if (current) return { ...now, incarnation: current.incarnation }
  // Derived from all that is known, so that processes which find the same agree, and no earlier incarnation comes back.
  const left = [...latest].map(([incarnation, { position }]) => [incarnation, position]).toSorted()
  return { ...now, incarnation: left.length === 0 ? '' : digestOf(left) }
}

/** Whether a database was seen at a later position than another time; never if one of them is unknown. */
export function isLater(one: DatabaseDescription, other: DatabaseDescription): boolean {
  const [a, b] = [positionOf(one), positionOf(other)]
  return a !== undefined && b !== undefined && a > b
}

/** Returns the position; undefined as well for what another version of the library has put. */
function positionOf({ position }: DatabaseDescription): bigint | undefined {
  return position !== undefined && /^\d+$/.test(position) ? BigInt(position) : undefined
}

function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)
}
