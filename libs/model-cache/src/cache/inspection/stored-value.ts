import { type Undecodable, undecodable } from '../../codec/codec.js'
import {
  envelopeStart,
  isEnvelopeOf,
  isNegativeEntry,
  isNegativeEntryOf,
  type KeySpace,
  openEnvelope,
  type RegisterSnapshot,
  type RowId,
  timesOf,
} from '../../protocol/index.js'
import type { CacheContext, RowCodec } from '../context.js'
import type { MissReason } from '../telemetry/observer.js'

/** What the store has under the key of a row, and whether a read would use it. */
export type StoredValue<Row> =
  | {
      readonly isHit: true
      /** Null for a negative entry. */
      readonly row: Row | null
      readonly payload: string
      /** Milliseconds since 1970. */
      readonly createdMs: number
      readonly expiresMs: number
      /** Bytes, with the header. */
      readonly length: number
    }
  | { readonly isHit: false; readonly reason: MissReason }

/** What tells whether a stored value is one of the model. */
interface RowModel<Row> {
  readonly codec: Pick<RowCodec<Row>, 'fingerprint' | 'decodeUtf8'>
  readonly keys: Pick<KeySpace<Row, never>, 'isRow'>
}

/** What the store has of a row at one time. */
export interface ReadRow<Row> {
  readonly stored: StoredValue<Row>
  /** As it is in the store. */
  readonly value: Buffer | null
  readonly guard: string | null
  readonly snapshot: RegisterSnapshot
}

/**
 * Reads a row, its guard and the register, with none of the effects of a read.
 *
 * @throws StoreError
 */
export async function readStored<Row, Id>(
  context: CacheContext<Row, Id>,
  rowId: RowId,
): Promise<ReadRow<Row>> {
  return (await readManyStored(context, [rowId]))[0]!
}

/**
 * As {@link readStored}, in the order of the ids.
 *
 * @throws StoreError
 */
export async function readManyStored<Row, Id>(
  { coherence, model }: CacheContext<Row, Id>,
  rowIds: readonly RowId[],
): Promise<readonly ReadRow<Row>[]> {
  const keys = rowIds.map((rowId) => model.keys.guardedKeyOf(rowId, model.codec.fingerprint))
  const [snapshot, values] = await Promise.all([
    coherence.register.read(),
    model.store.getManyBytes(keys.flatMap(({ guard, key }) => [key, guard])),
  ])
  return rowIds.map((rowId, i) => {
    const [value = null, guard = null] = values.slice(2 * i, 2 * i + 2)
    const stored = openStored(model, rowId, value, snapshot)
    return { stored, value, guard: guard && guard.toString(), snapshot }
  })
}

/** Opens what the store has under the key of a row as a read would, with none of its effects. */
export function openStored<Row>(
  { codec, keys }: RowModel<Row>,
  rowId: RowId,
  value: Buffer | null,
  { epoch, existence }: Pick<RegisterSnapshot, 'epoch' | 'existence'>,
): StoredValue<Row> {
  if (value === null) return { isHit: false, reason: 'not_cached' }
  const { fingerprint } = codec
  let payloadStart = openEnvelope(value, envelopeStart(fingerprint, epoch))
  if (payloadStart < 0 || (payloadStart > 0 && isNegativeEntry(value, payloadStart))) {
    payloadStart = openEnvelope(value, envelopeStart(fingerprint, existence))
    if (payloadStart > 0 && !isNegativeEntry(value, payloadStart)) payloadStart = -1
  }
  if (payloadStart <= 0) {
    const isInvalidated = payloadStart < 0 && isEnvelopeOf(value, fingerprint)
    return { isHit: false, reason: isInvalidated ? 'invalidated' : 'undecodable' }
  }
  const row = rowIn(codec, rowId, value, payloadStart)
  if (row === undecodable || (row !== null && !keys.isRow(row, rowId)))
    return { isHit: false, reason: 'undecodable' }
  const { createdMs, expiresMs } = timesOf(value, payloadStart)
  if (expiresMs <= Date.now()) return { isHit: false, reason: 'expired' }
  const payload = value.toString('utf8', payloadStart)
  return { isHit: true, row, payload, createdMs, expiresMs, length: value.length }
}

function rowIn<Row>(
  codec: RowModel<Row>['codec'],
  rowId: RowId,
  value: Buffer,
  payloadStart: number,
): Row | null | Undecodable {
  if (isNegativeEntry(value, payloadStart))
    return isNegativeEntryOf(value, payloadStart, rowId) ? null : undecodable
  return codec.decodeUtf8(value, payloadStart) ?? undecodable
}
