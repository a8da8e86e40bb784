/** What the labels of metrics mean, in a sentence; docs/metrics.md has more. */
export const MISS_REASONS = {
  not_cached: 'Not in the store: never stored, invalidated, expired or evicted.',
  expired: 'Past its ttl, and kept for staleFor.',
  invalidated:
    'Stored in an earlier epoch: since then all rows of the model were invalidated, or, for an entry, rows with unknown keys were created.',
  undecodable: 'Damaged, or written by another version.',
  pending_invalidation:
    'An invalidation has not reached the store, so the process does not read the store until it has.',
  long_id: 'Never stored: the id or key has more than 1,024 characters.',
  store_error: 'No answer from the store.',
  transaction: 'Read through the client of a transaction, which bypasses the cache.',
  outdated: 'A row no longer belonged to the entry, so the entry was loaded again.',
}

export const FILL_OUTCOMES = {
  stored: 'Stored.',
  refused: 'Not stored: the row does not match its schema.',
  too_long: 'Not stored: the list has more than maxRows rows.',
  too_many:
    'Not stored: rows that do not exist, and empty lists, have as many bytes as maxNotFoundBytes allows.',
  outdated: 'Not stored: this process wrote the row while it was loaded.',
  lease_lost: 'Not stored: the row was written while it was loaded, or the lease expired.',
  not_leased: 'Not stored: another process loads the row, or a write to it is under way or has just ended.',
  evicting: 'Not stored: the server may evict the guards that this needs.',
  store_error: 'Not stored: the store did not take it.',
}

export const AUDIT_OUTCOMES = {
  fresh: 'The stored value was that of the database.',
  stale: 'The stored value differed from the database. A write was not heard.',
  changed: 'It was written while it was compared, which says nothing.',
  failed: 'The comparison failed, because the database or the store did not answer.',
}

const GUARDS = {
  none: 'Nothing guards it: no load and no write is under way.',
  lease: 'A process holds the lease: it loads the value now.',
  fences: 'A fence stands: a write is under way, and nothing is stored until it has ended.',
  released: 'Its guard remembers a write that has ended.',
  unknown: 'The store did not say what guards it.',
}

export const explainGuard = (guard) => GUARDS[guard] ?? guard

/** Who blocked the event loop. */
export const describeHolder = (holder) => (holder === 'none' ? 'code outside of handlers' : holder)

/** Who invalidated a value, as a process heard it. */
export function describeWriter(by, process) {
  if (by === 'this process') return process
  if (by === 'log') return 'the follower, which read a write in the log of the database'
  return `another process, of which ${process} had a message`
}

/** What a process did that ended stored values without naming them. */
export const UNKNOWN_WRITES = {
  all: 'invalidated all rows: it was asked to, wrote rows that it could not name, or may have missed changes',
  created: 'created rows with unknown keys, which ends all entries that were stored before',
}
