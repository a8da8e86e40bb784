import { keyOf, type Lookup, type Row, type Version } from './rows.ts'

/** All versions of one row, by number: before its creation it is absent, which is version 0. */
export class Timeline {
  readonly versions: readonly Version[]
  readonly #moves = new Map<Lookup, readonly number[]>()

  /** @param recorded from version 1 on, in order */
  constructor(recorded: readonly Version[]) {
    const { id } = recorded[0]!
    this.versions = [{ id, version: 0, row: null, from: -Infinity }, ...recorded]
  }

  get last(): number {
    return this.versions.length - 1
  }

  rowAt(version: number): Row | null {
    return this.versions[version]?.row ?? null
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
  movesIn(lookup: Lookup): readonly number[] {
    let moves = this.#moves.get(lookup)
    if (!moves) {
      const places = this.versions.map(({ row }) => placeIn(lookup, row))
      moves = [...places.keys()].filter((i) => i > 0 && places[i] !== places[i - 1]).toReversed()
      this.#moves.set(lookup, moves)
    }
    return moves
  }
}

const placeIn = (lookup: Lookup, row: Row | null): string | null => {
  const key = keyOf(lookup, row)
  return key === null ? null : `${key} ${lookup.order ? row!.sortOrder : ''}`
}

/** The timelines of all rows. */
export class Timelines {
  readonly #byId: ReadonlyMap<string, Timeline>
  readonly #members = new Map<Lookup, Map<string, Set<string>>>()

  /** @param recorded those of one row in order */
  constructor(recorded: readonly Version[]) {
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
  everIn(lookup: Lookup, key: string): Iterable<string> {
    let ofLookup = this.#members.get(lookup)
    if (!ofLookup) this.#members.set(lookup, (ofLookup = this.#membersOf(lookup)))
    return ofLookup.get(key) ?? []
  }

  #membersOf(lookup: Lookup): Map<string, Set<string>> {
    const members = new Map<string, Set<string>>()
    for (const { versions } of this.#byId.values()) {
      for (const { id, row } of versions) {
        const key = keyOf(lookup, row)
        if (key === null) continue
        let ids = members.get(key)
        if (!ids) members.set(key, (ids = new Set()))
        ids.add(id)
      }
    }
    return members
  }
}
