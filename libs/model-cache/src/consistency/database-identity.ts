import { createHash } from 'node:crypto'
import type { DatabaseDescription } from '../source/database.js'

/** A description, and which of its states stored values are from. */
export interface DatabaseIdentity extends DatabaseDescription {
  /** Changes when the database is found at an earlier position of its history than before. */
  readonly incarnation: string
}

/** What the databases of two processes are to each other. */
export type Kinship = 'same' | 'other' | 'other state'

/** Compares databases: of one database, two histories are states that different servers may have. */
export function kinshipOf(one: DatabaseIdentity, other: DatabaseIdentity): Kinship {
  // A client whose models name their schemas shares tables with clients of each of them.
  const isOne = one.schema === other.schema || one.schema === '' || other.schema === ''
  if (one.id !== other.id || !isOne) return 'other'
  return one.history === other.history && one.incarnation === other.incarnation ? 'same' : 'other state'
}

/** What the epochs of stored values end with, so that values count only where they are from this very database. */
export function markOf({ id, schema, history, incarnation }: DatabaseIdentity): string {
  return `.${digestOf([id, schema, history, incarnation])}`
}

/**
 * Tells in which incarnation a database is: that of other processes, unless one of them has seen it at a later position.
 *
 * @param seen what was known of the same database, the likeliest first
 */
export function identityAmong(now: DatabaseDescription, seen: readonly DatabaseIdentity[]): DatabaseIdentity {
  const before = seen.filter(
    ({ id, schema, history }) => id === now.id && schema === now.schema && history === now.history,
  )
  const left = new Set(before.filter((one) => isLater(one, now)).map(({ incarnation }) => incarnation))
  const current = before.find(({ incarnation }) => !left.has(incarnation))
  if (current) return { ...now, incarnation: current.incarnation }
  // Derived, so that processes which find the same agree.
  return { ...now, incarnation: before[0] ? digestOf([before[0].incarnation, before[0].position]) : '' }
}

function isLater({ position: one }: DatabaseDescription, { position: other }: DatabaseDescription): boolean {
  return one !== undefined && other !== undefined && BigInt(one) > BigInt(other)
}

function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12)
}
