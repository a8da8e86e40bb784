import { entryIn, type RowId, readGuard } from '../../protocol/index.js'
import type { CacheContext } from '../context.js'
import type { L1 } from '../read/l1.js'
import type { Writer } from '../telemetry/history.js'
import type { MissReason } from '../telemetry/observer.js'
import { readStored, type StoredValue } from './stored-value.js'

/** What this process knows of a row by itself. Times are milliseconds. */
export interface LocalExplanation {
  /** The memory of this process; undefined without `l1`. Not trusted while no messages about writes of other processes arrive. */
  readonly l1: { readonly isHeld: boolean; readonly isTrusted: boolean } | undefined
  /** Whether an invalidation by this process has not reached the store, so that it reads the row from the source. */
  readonly isInvalidationPending: boolean
  /** Why this process last missed the row; undefined when it does not remember. */
  readonly lastMiss: { readonly reason: MissReason; readonly agoMs: number } | undefined
  /**
   * When this process last heard of a write to the row, and from whom: from itself, from a message of another process (which
   * needs `l1`), or from the follower of the database's log. Undefined if it does not remember.
   */
  readonly lastWrite:
    | {
        readonly agoMs: number
        readonly by: Writer
        /** The rows of the cache that the same write has changed: the first ten, a compound id as one text. */
        readonly rows: readonly (string | number | bigint)[]
        /** How many rows of the cache the same write has changed. */
        readonly rowCount: number
      }
    | undefined
  /**
   * When this process last wrote rows that it could not name, which ends what the store has of the row: `all` rows of the model may
   * have been written, or, for the entry of a lookup, rows `created` with unknown keys. Undefined if it has not.
   */
  readonly lastUnknownWrite: { readonly agoMs: number; readonly what: 'all' | 'created' } | undefined
}

/** What is known of a row, layer by layer: why it is missed, or how fresh it is. Times are milliseconds, lengths bytes. */
export interface Explanation extends LocalExplanation {
  readonly key: string
  /** The fingerprint of this process's schema. */
  readonly fingerprint: string
  /** The fingerprints of all schemas whose rows may be in the store. */
  readonly fingerprints: readonly string[]
  /** The epoch under which rows of the model count; null while a write to unknown rows is under way. */
  readonly epoch: string | null
  /** Whether this process may store rows of the model; false while its schema is new among others. */
  readonly mayFill: boolean
  /** Milliseconds until a process with a new schema may store rows; otherwise 0. */
  readonly mayFillInMs: number
  /** The entry in the store, and whether a read would use it. */
  readonly stored:
    | { readonly isHit: true; readonly ageMs: number; readonly expiresInMs: number; readonly length: number }
    | { readonly isHit: false; readonly reason: MissReason }
  /** What guards the row in the store: nothing, the lease of a load, the fences of writes, or the mark of a recent write. */
  readonly guard: 'none' | 'lease' | 'fences' | 'released'
  /** The tokens of the lease or the fences; those of fences with their deadline by the store's clock. */
  readonly holders: readonly string[]
}

/** An explanation, with what is stored. */
export interface Examination<Row> {
  readonly explanation: Explanation
  readonly stored: StoredValue<Row>
}

/** @throws StoreError when the store does not answer */
export async function examine<Row, Id>(
  context: CacheContext<Row, Id>,
  l1: L1<Row> | undefined,
  rowId: RowId,
): Promise<Examination<Row>> {
  const { model, coherence } = context
  const { register } = coherence
  const { fingerprint } = model.codec
  const { stored, guard, snapshot } = await readStored(context, rowId)
  const explanation = {
    key: model.keys.guardedKeyOf(rowId, fingerprint).key,
    fingerprint,
    fingerprints: register.fingerprints,
    epoch: snapshot.epoch,
    mayFill: snapshot.mayFill,
    mayFillInMs: register.joiningForMs,
    stored: explainStored(stored),
    ...explainGuard(guard),
    ...explainLocally(context, l1, rowId),
  }
  return { explanation, stored }
}

/** The part of {@link examine} that reads no store. */
export function explainLocally<Row, Id>(
  { coherence, telemetry }: CacheContext<Row, Id>,
  l1: L1<Row> | undefined,
  rowId: RowId,
): LocalExplanation {
  const { backplane, pending } = coherence
  const { miss, unknownWrite, write } = telemetry.history.of(rowId)
  const since = (atMs: number): number => Math.round(performance.now() - atMs)
  return {
    l1: l1 && { isHeld: l1.has(rowId), isTrusted: backplane?.isUp ?? true },
    isInvalidationPending: pending.has(rowId),
    lastMiss: miss && { reason: miss.reason, agoMs: since(miss.atMs) },
    lastWrite: write && { agoMs: since(write.atMs), by: write.by, ...rowsOf(write.rowIds) },
    lastUnknownWrite: unknownWrite && {
      agoMs: since(unknownWrite.atMs),
      what: unknownWrite.scope === 'all' ? 'all' : 'created',
    },
  }
}

/** Rows that an explanation names, at most. */
const maxNamed = 10

function rowsOf(written: readonly RowId[]): { readonly rows: readonly RowId[]; readonly rowCount: number } {
  const rows = new Set(written.filter((rowId) => !entryIn(rowId)))
  return { rows: [...rows].slice(0, maxNamed), rowCount: rows.size }
}

/** What is to be said of a stored value without showing it. */
export function explainStored(stored: StoredValue<unknown>): Explanation['stored'] {
  if (!stored.isHit) return stored
  const nowMs = Date.now()
  const { createdMs, expiresMs, length } = stored
  return { isHit: true, ageMs: nowMs - createdMs, expiresInMs: expiresMs - nowMs, length }
}

/** Explains the guard of a row, as the store has it. */
export function explainGuard(value: string | null): Pick<Explanation, 'guard' | 'holders'> {
  if (value === null) return { guard: 'none', holders: [] }
  // Expired entries stay in the guard for as long as it remembers its last write.
  const { fences, lease } = readGuard(value, Date.now(), 0)
  const holders = Array.from(fences, ([token, untilMs]) => `${token}@${untilMs}`)
  if (holders.length > 0) return { guard: 'fences', holders }
  return lease === '' ? { guard: 'released', holders } : { guard: 'lease', holders: [lease] }
}
