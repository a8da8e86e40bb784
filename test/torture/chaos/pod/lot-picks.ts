import type { Random } from '#prisma/demo/random.js'
import {
  fundraiserIdOf,
  hotFundraisersOf,
  type LotRow,
  placeOf,
  placesOfFundraiser,
  statuses,
} from '../rows.ts'
import type { DirectLot as Known, PodDatabase } from './databases/pod-database.ts'
import type { LotKey } from './reader.ts'

/** Deleted lots that are still read. */
const MAX_GONE = 20
const MAX_ORDER = 20

/** Picks lots and values at random. What it knows of the lots is a moment old, so that some writes conflict with others. */
export class LotPicks {
  readonly #random: Random
  readonly #fundraisers: number
  #lots: readonly Known[] = []
  #gone: readonly Known[] = []

  constructor(random: Random, fundraisers: number) {
    this.#random = random
    this.#fundraisers = fundraisers
  }

  /** Learns which lots there are. */
  async refresh(database: PodDatabase): Promise<void> {
    const rows = await database.lots()
    const ids = new Set(rows.map(({ id }) => id))
    this.#gone = [...this.#lots.filter(({ id }) => !ids.has(id)), ...this.#gone].slice(0, MAX_GONE)
    this.#lots = rows
  }

  get average(): number {
    return this.#lots.length / this.#fundraisers
  }

  fundraiser(): string {
    const { chance, integer } = this.#random
    const count = chance(0.5) ? hotFundraisersOf(this.#fundraisers) : this.#fundraisers
    return fundraiserIdOf(integer(0, count - 1))
  }

  /** A lot of a fundraiser, or any if it has none. */
  lot(fundraiserId = this.fundraiser()): Known {
    const ofFundraiser = this.#lots.filter((lot) => lot.fundraiserId === fundraiserId)
    return this.#random.pick(ofFundraiser.length > 0 ? ofFundraiser : this.#lots)
  }

  /** Different lots, in the order of ids, in which all transactions lock them. */
  lots(count: number): Known[] {
    const picked = new Map<string, Known>()
    for (let pick = 0; pick < count * 3 && picked.size < count; pick++) {
      const lot = this.lot()
      picked.set(lot.id, lot)
    }
    return [...picked.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** A key that finds a lot, or did, or never has. */
  key(): LotKey {
    const { chance, pick } = this.#random
    const lot = this.#gone.length > 0 && chance(0.2) ? pick(this.#gone) : this.lot()
    return chance(0.2) ? { ...lot, lot: this.place() } : lot
  }

  /** Any place of a fundraiser. */
  place(): string {
    return placeOf(this.#random.integer(0, placesOfFundraiser - 1))
  }

  /** A place that no lot of the fundraiser is known to have. */
  freePlace(fundraiserId: string): string {
    const taken = new Set(this.#lots.filter((lot) => lot.fundraiserId === fundraiserId).map(({ lot }) => lot))
    const free = Array.from({ length: placesOfFundraiser }, (_, n) => placeOf(n)).filter(
      (one) => !taken.has(one),
    )
    return free.length > 0 ? this.#random.pick(free) : this.place()
  }

  sortOrder(): number {
    return this.#random.integer(0, MAX_ORDER)
  }

  status(): LotRow['status'] {
    // Half of all lots are open.
    return this.#random.chance(0.5) ? 'open' : this.#random.pick(statuses)
  }
}
