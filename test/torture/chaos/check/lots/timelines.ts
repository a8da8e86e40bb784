import { keyOf, type LotLookup } from '../../lots/lookups.ts'
import type { RecordedVersion } from '../../lots/lot-table.ts'
import type { Lot } from '../../lots/lot.ts'

/** All versions of one row, by number: before its creation it is absent, which is version 0. */
export class Timeline {
  readonly versions: readonly RecordedVersion[]
  readonly #moves = new Map<LotLookup, readonly number[]>()

  /** @param recorded from version 1 on, in order */
  constructor(recorded: readonly RecordedVersion[]) {
    const { id } = recorded[0]!
    const absent = { id, version: 0, lot: null, transaction: '', tag: null, from: -Infinity }
    this.versions = [absent, ...recorded]
  }

  get last(): number {
    return this.versions.length - 1
  }

  lotAt(version: number): Lot | null {
    return this.versions[version]?.lot ?? null
  }

  /** The last version that may have been committed by a moment. */
  lastBy(moment: number): number {
    let [low, high] = [0, this.last]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.versions[middle]!.from <= moment) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The versions that entered a key of the lookup, left one or changed their order, descending. */
  movesIn(lookup: LotLookup): readonly number[] {
    let moves = this.#moves.get(lookup)
    if (!moves) {
      const isMove = (version: number): boolean =>
        version > 0 && placeIn(lookup, this.lotAt(version)) !== placeIn(lookup, this.lotAt(version - 1))
      moves = [...this.versions.keys()].filter(isMove).toReversed()
      this.#moves.set(lookup, moves)
    }
    return moves
  }
}

const placeIn = (lookup: LotLookup, lot: Lot | null): string | null => {
  const key = keyOf(lookup, lot)
  return key === null ? null : `${key} ${lookup.order ? lot!.sortOrder : ''}`
}

/** The timelines of all rows. */
export class Timelines {
  readonly #byId: ReadonlyMap<string, Timeline>
  readonly #members = new Map<LotLookup, Map<string, Set<string>>>()

  constructor(recorded: readonly RecordedVersion[]) {
    const byId = Map.groupBy(recorded, ({ id }) => id)
    this.#byId = new Map(Array.from(byId, ([id, versions]) => [id, new Timeline(versions)]))
  }

  get(id: string): Timeline | undefined {
    return this.#byId.get(id)
  }

  all(): Iterable<Timeline> {
    return this.#byId.values()
  }

  /** The rows that have ever been found by a key. */
  everIn(lookup: LotLookup, key: string): Iterable<string> {
    let ofLookup = this.#members.get(lookup)
    if (!ofLookup) this.#members.set(lookup, (ofLookup = this.#membersOf(lookup)))
    return ofLookup.get(key) ?? []
  }

  #membersOf(lookup: LotLookup): Map<string, Set<string>> {
    const members = new Map<string, Set<string>>()
    for (const { versions } of this.#byId.values()) {
      for (const { id, lot } of versions) {
        const key = keyOf(lookup, lot)
        if (key !== null) members.set(key, (members.get(key) ?? new Set()).add(id))
      }
    }
    return members
  }
}
