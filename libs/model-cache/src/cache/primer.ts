import type { Codec } from '../codec/codec.js'
import type { Identity } from '../consistency/identity.js'
import type { KeySpace } from '../consistency/key-space.js'
import type { Leases } from '../consistency/leases.js'
import { type ModelRegister, noStanding } from '../consistency/model-register.js'
import type { Slicer } from '../event-loop/slicer.js'
import type { Filler } from './filler.js'
import type { ModelObserver } from './observer.js'
import type { Stamps } from './stamps.js'

export interface PrimerParts<Row, Id> {
  readonly codec: Codec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly register: ModelRegister
  readonly leases: Leases
  readonly filler: Filler<Row>
  readonly stamps: Stamps
  /** Rows that must not be stored, as an invalidation of them has not reached the store. */
  readonly unsettled: { has(identity: Identity): boolean }
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
    const { codec, filler, keys, leases, observer, register, slicer, stamps, unsettled } = this.#parts
    const since = stamps.now()
    const identities = rows.map(keys.identityOfRow)
    const texts: string[] = []
    await slicer.each(rows, (row) => texts.push(codec.encode(row)), this.#observe)
    const { epoch, mayFill } = await register.readForLoaded().catch(() => noStanding)
    if (epoch === null || !mayFill) {
      observer.fills('not_leased', rows.length)
      return
    }
    const keyed = identities.map((identity) => keys.guardedKeyOf(identity, codec.fingerprint))
    const leased = await leases.takeForLoaded(keyed)
    let refused = 0
    let evicting = 0
    const add = (identity: Identity, i: number): void => {
      const { token, refusal } = leased[i]!
      const holder = { ...keyed[i]!, identity, token, since }
      if (refusal === 'evicting') evicting++
      else if (refusal !== null) refused++
      else if (unsettled.has(identity)) filler.release(holder)
      else filler.addText(holder, texts[i]!, epoch, false)
    }
    await slicer.each(identities, add, this.#observe)
    if (refused > 0) observer.fills('not_leased', refused)
    if (evicting > 0) observer.fills('evicting', evicting)
    await filler.flush()
  }

  readonly #observe = (seconds: number): void => this.#parts.observer.syncSeconds('encode', seconds)
}
