import type { RegisterSnapshot } from '../consistency/epoch-register.js'
import type { RowId } from '../consistency/row-id.js'
import type { Coherence, ModelContext, Telemetry } from './context.js'
import { envelopeStart, isEnvelopeOf, openEnvelope, timesOf } from './read/envelope.js'
import { isNegativeEntry } from './read/negative-entry.js'
import type { Writer } from './telemetry/history.js'
import type { MissReason } from './telemetry/observer.js'

/** What is known of a row, layer by layer: why it is missed, or how fresh it is. Times are milliseconds, lengths bytes. */
export interface Explanation {
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
  /** The memory of this process; undefined without `l1`. Not trusted while writes of other processes are not heard. */
  readonly l1: { readonly isHeld: boolean; readonly isTrusted: boolean } | undefined
  /** The entry in the store, and whether a read would use it. */
  readonly stored:
    | { readonly isHit: true; readonly ageMs: number; readonly expiresInMs: number; readonly length: number }
    | { readonly isHit: false; readonly reason: MissReason }
  /** What guards the row in the store: nothing, the lease of a load, the fences of writes, or the mark of a recent write. */
  readonly guard: 'none' | 'lease' | 'fences' | 'released'
  /** The tokens of the lease or the fences; those of fences with their deadline by the store's clock. */
  readonly holders: readonly string[]
  /** Whether an invalidation by this process has not reached the store, so that it reads the row from the source. */
  readonly isInvalidationPending: boolean
  /** Why this process last missed the row; undefined when it does not remember. */
  readonly lastMiss: { readonly reason: MissReason; readonly agoMs: number } | undefined
  /**
   * When this process last heard of a write to the row, and by whom: itself, a message of another process, which needs `l1`, or the follower
   * of the database's log. Undefined when it does not remember.
   */
  readonly lastWrite: { readonly agoMs: number; readonly by: Writer } | undefined
}

export interface ExplainDependencies<Row, Id> {
  readonly model: Pick<ModelContext<Row, Id>, 'codec' | 'keys' | 'store'>
  readonly coherence: Coherence
  readonly telemetry: Pick<Telemetry<Id>, 'history'>
  readonly l1: { has(rowId: RowId): boolean } | undefined
}

/** @throws StoreError when the store does not answer */
export async function explain<Row, Id>(
  { model, coherence, telemetry, l1 }: ExplainDependencies<Row, Id>,
  rowId: RowId,
): Promise<Explanation> {
  const { register, pending, backplane } = coherence
  const { fingerprint } = model.codec
  const { key, guard } = model.keys.guardedKeyOf(rowId, fingerprint)
  const [snapshot, [value = null, guardValue = null]] = await Promise.all([
    register.read(),
    model.store.getManyBytes([key, guard]),
  ])
  const { miss, write } = telemetry.history.of(rowId)
  return {
    key,
    fingerprint,
    fingerprints: register.fingerprints,
    epoch: snapshot.epoch,
    mayFill: snapshot.mayFill,
    mayFillInMs: register.joiningForMs,
    l1: l1 && { isHeld: l1.has(rowId), isTrusted: backplane?.isUp ?? true },
    stored: explainValue(value, fingerprint, snapshot),
    ...explainGuard(guardValue && guardValue.toString()),
    isInvalidationPending: pending.has(rowId),
    lastMiss: miss && { reason: miss.reason, agoMs: performance.now() - miss.atMs },
    lastWrite: write && { agoMs: performance.now() - write.atMs, by: write.by },
  }
}

function explainValue(
  value: Buffer | null,
  fingerprint: string,
  { epoch, membership }: RegisterSnapshot,
): Explanation['stored'] {
  if (value === null) return { isHit: false, reason: 'not_cached' }
  let payloadStart = openEnvelope(value, envelopeStart(fingerprint, epoch))
  if (payloadStart < 0 || (payloadStart > 0 && isNegativeEntry(value, payloadStart))) {
    payloadStart = openEnvelope(value, envelopeStart(fingerprint, membership))
    if (payloadStart > 0 && !isNegativeEntry(value, payloadStart)) payloadStart = -1
  }
  if (payloadStart <= 0) {
    const isInvalidated = payloadStart < 0 && isEnvelopeOf(value, fingerprint)
    return { isHit: false, reason: isInvalidated ? 'invalidated' : 'undecodable' }
  }
  const { createdMs, expiresMs } = timesOf(value, payloadStart)
  const nowMs = Date.now()
  if (expiresMs <= nowMs) return { isHit: false, reason: 'expired' }
  return { isHit: true, ageMs: nowMs - createdMs, expiresInMs: expiresMs - nowMs, length: value.length }
}

function explainGuard(value: string | null): Pick<Explanation, 'guard' | 'holders'> {
  if (value === null) return { guard: 'none', holders: [] }
  const [, lease = '', fenced = ''] = value.split(';')
  // Expired entries stay in the guard for as long as it remembers its last write.
  const nowMs = Date.now()
  const fences = fenced.split(' ').filter((fence) => Number(fence.split('@')[1]) > nowMs)
  if (fences.length > 0) return { guard: 'fences', holders: fences }
  const isLeased = Number(lease.split('@')[1]) / 1_000 > nowMs
  return isLeased ? { guard: 'lease', holders: [lease] } : { guard: 'released', holders: [] }
}
