import type { RowId } from '../consistency/row-id.js'
import type { EpochRegister, RegisterSnapshot } from '../consistency/epoch-register.js'
import type { Store } from '../store/store.js'
import { isNegativeEntry } from './negative-entry.js'
import { envelopeStart, isEnvelopeOf, openEnvelope, timesOf } from './envelope.js'
import type { History } from './history.js'
import type { KeySpace } from '../consistency/key-space.js'
import type { MissReason } from './observer.js'

/** What is known of a row, layer by layer, for who wonders why it is missed, or whether it is fresh. Times are milliseconds, lengths bytes. */
export interface Explanation {
  readonly key: string
  /** Of the schema of this process, and of all whose rows may be in the store. */
  readonly fingerprint: string
  readonly fingerprints: readonly string[]
  /** The word under which rows of the model count now; null while writers of unknown rows are at work. */
  readonly epoch: string | null
  /** Whether this process may store rows of the model; not while its schema is new among others. */
  readonly mayFill: boolean
  /** Milliseconds until it may, while its schema is new among others; 0 when it does not wait for that. */
  readonly mayFillInMs: number
  /** The memory of this process: undefined where the model has none; not trusted while writes elsewhere are not heard of. */
  readonly l1: { readonly isHeld: boolean; readonly isTrusted: boolean } | undefined
  /** The store: what it has, and whether a read would take it. */
  readonly stored:
    | { readonly isHit: true; readonly ageMs: number; readonly expiresInMs: number; readonly length: number }
    | { readonly isHit: false; readonly reason: MissReason }
  /** Who may write the row in the store: nobody asked for it, one who loads it, writers at work, or writers a moment ago. */
  readonly guard: 'none' | 'lease' | 'fences' | 'released'
  /** Tokens of those who have the lease or the fences; fences with the time, by the store's clock, when they end. */
  readonly holders: readonly string[]
  /** Whether an invalidation by this process has not reached the store yet, so that it reads the row from the source. */
  readonly isInvalidationPending: boolean
  /** Why this process missed the row last, and when it last heard of a write to it; undefined when it does not remember. */
  readonly lastMiss: { readonly reason: MissReason; readonly agoMs: number } | undefined
  readonly lastWrite: { readonly agoMs: number } | undefined
}

export interface ExplainedParts<Row, Id> {
  readonly fingerprint: string
  readonly keys: KeySpace<Row, Id>
  readonly store: Store
  readonly register: EpochRegister
  readonly l1: { has(rowId: RowId): boolean } | undefined
  readonly backplane: { readonly isUp: boolean } | undefined
  readonly pending: { has(rowId: RowId): boolean }
  readonly history: History
}

/** @throws StoreError when the store does not answer */
export async function explain<Row, Id>(parts: ExplainedParts<Row, Id>, rowId: RowId): Promise<Explanation> {
  const { backplane, fingerprint, history, keys, l1, register, store, pending } = parts
  const { key, guard } = keys.guardedKeyOf(rowId, fingerprint)
  const [{ epoch, membership, mayFill }, [value = null, held = null]] = await Promise.all([
    register.read(),
    store.getManyBytes([key, guard]),
  ])
  const { miss, write } = history.of(rowId)
  return {
    key,
    fingerprint,
    fingerprints: register.fingerprints,
    epoch,
    mayFill,
    mayFillInMs: register.joiningForMs,
    l1: l1 && { isHeld: l1.has(rowId), isTrusted: backplane?.isUp ?? true },
    stored: explainValue(value, fingerprint, { epoch, membership }),
    ...explainGuard(held && held.toString()),
    isInvalidationPending: pending.has(rowId),
    lastMiss: miss && { reason: miss.reason, agoMs: performance.now() - miss.atMs },
    lastWrite: write && { agoMs: performance.now() - write.atMs },
  }
}

function explainValue(
  value: Buffer | null,
  fingerprint: string,
  { epoch, membership }: Pick<RegisterSnapshot, 'epoch' | 'membership'>,
): Explanation['stored'] {
  if (value === null) return { isHit: false, reason: 'not_cached' }
  let textStart = openEnvelope(value, envelopeStart(fingerprint, epoch))
  if (textStart < 0 || (textStart > 0 && isNegativeEntry(value, textStart))) {
    textStart = openEnvelope(value, envelopeStart(fingerprint, membership))
    if (textStart > 0 && !isNegativeEntry(value, textStart)) textStart = -1
  }
  if (textStart <= 0) {
    const isInvalidated = textStart < 0 && isEnvelopeOf(value, fingerprint)
    return { isHit: false, reason: isInvalidated ? 'invalidated' : 'undecodable' }
  }
  const { createdMs, expiresMs } = timesOf(value, textStart)
  const nowMs = Date.now()
  if (expiresMs <= nowMs) return { isHit: false, reason: 'expired' }
  return { isHit: true, ageMs: nowMs - createdMs, expiresInMs: expiresMs - nowMs, length: value.length }
}

function explainGuard(held: string | null): Pick<Explanation, 'guard' | 'holders'> {
  if (held === null) return { guard: 'none', holders: [] }
  const [, lease = '', fenced = ''] = held.split(';')
  // What has expired stays there for as long as its write is remembered.
  const nowMs = Date.now()
  const fences = fenced.split(' ').filter((fence) => Number(fence.split('@')[1]) > nowMs)
  if (fences.length > 0) return { guard: 'fences', holders: fences }
  const isLeased = Number(lease.split('@')[1]) / 1_000 > nowMs
  return isLeased ? { guard: 'lease', holders: [lease] } : { guard: 'released', holders: [] }
}
