import type { LotAnswer, LotWrite, UnknownLotEnd } from '../../lots/protocol.ts'
import type { Lot } from '../../lots/lot.ts'
import { type LotLookup, lotLookups } from '../../lots/lookups.ts'

export interface LotWriteOfPod extends LotWrite {
  readonly pod: number
}

export interface UnknownLotEndOfPod extends UnknownLotEnd {
  readonly pod: number
}

/** A row that was in the database at a moment, or no longer was. */
export interface LotSighting {
  readonly id: string
  readonly version: number | 'gone'
  readonly at: number
}

/** What one lookup has answered for one key. */
export interface LotRead {
  readonly pod: number
  readonly lookup: LotLookup
  readonly key: string
  readonly start: number
  readonly end: number
  readonly lots: readonly Lot[]
}

/** The reports of all pods on lots. */
export class LotLog {
  /** Confirmed writes. */
  readonly writes: LotWriteOfPod[] = []
  readonly unknownEnds: UnknownLotEndOfPod[] = []
  /** In order of time. */
  readonly sightings: LotSighting[] = []
  readonly reads: LotRead[] = []
  /** Equal rows are kept once. */
  readonly #known = new Map<string, Lot>()

  addAnswers(pod: number, answers: readonly LotAnswer[]): void {
    for (const [lookup, key, start, end, lots] of answers)
      this.reads.push({ pod, lookup: lotLookups[lookup]!, key, start, end, lots: lots.map(this.#keep) })
  }

  readonly #keep = (lot: Lot): Lot => {
    const text = JSON.stringify(lot)
    const known = this.#known.get(text)
    if (!known) this.#known.set(text, lot)
    return known ?? lot
  }
}
