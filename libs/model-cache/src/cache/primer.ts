import type { Codec } from '../codec/codec.js'
import type { RowId } from '../consistency/row-id.js'
import type { KeySpace } from '../consistency/key-space.js'
import type { Leases } from '../consistency/leases.js'
import { type EpochRegister, emptySnapshot } from '../consistency/epoch-register.js'
import type { Slicer } from '../event-loop/slicer.js'
import type { Filler } from './filler.js'
import type { ModelObserver } from './observer.js'
import type { InvalidationClock } from './invalidation-clock.js'

export interface PrimerParts<Row, Id> {
  readonly codec: Codec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly register: EpochRegister
  readonly leases: Leases
  readonly filler: Filler<Row>
  readonly clock: InvalidationClock
  /** Rows that must not be stored, as an invalidation of them has not reached the store. */
  readonly pending: { has(rowId: RowId): boolean }
  readonly slicer: Slicer
  readonly observer: ModelObserver
}

/** Stores rows that somebody has read already, unless they may have been written since. */
export class Primer<Row, Id> {
  readonly #parts: PrimerParts<Row, Id>

  constructor(parts: PrimerParts<Row, Id>) {
    this.#parts = parts
  }

  /** @throws InvalidIdError, EncodeError */
  async store(rows: readonly Row[]): Promise<void> {
    const { codec, filler, keys, leases, observer, register, slicer, clock, pending } = this.#parts
    const since = clock.now()
    const rowIds = rows.map(keys.rowIdOf)
    const texts: string[] = []
    await slicer.each(rows, (row) => texts.push(codec.encode(row)), this.#observe)
    const { epoch, mayFill } = await register.readForLoaded().catch(() => emptySnapshot)
    if (epoch === null || !mayFill) {
      observer.fills('not_leased', rows.length)
      return
    }
    const keyed = rowIds.map((rowId) => keys.guardedKeyOf(rowId, codec.fingerprint))
    const leased = await leases.takeForLoaded(keyed)
    let refused = 0
    let evicting = 0
    const add = (rowId: RowId, i: number): void => {
      const { token, refusal } = leased[i]!
      const holder = { ...keyed[i]!, rowId, token, since }
      if (refusal === 'evicting') evicting++
      else if (refusal !== null) refused++
      else if (pending.has(rowId)) filler.release(holder)
      else filler.addText(holder, texts[i]!, epoch, false)
    }
    await slicer.each(rowIds, add, this.#observe)
    if (refused > 0) observer.fills('not_leased', refused)
    if (evicting > 0) observer.fills('evicting', evicting)
    await filler.flush()
  }

  readonly #observe = (seconds: number): void => this.#parts.observer.syncSeconds('encode', seconds)
}
