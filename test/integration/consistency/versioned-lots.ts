import type { Source } from 'model-cache/advanced'

export interface Lot {
  id: string
  version: number
}

/** A load that has read its rows, and returns them when it is released. */
export interface HeldLoad {
  /** Resolves when it has read the rows. */
  readonly begun: Promise<void>
  release(): void
  fail(): void
}

/** A database of versioned rows whose loads can be held between reading and returning. */
export class VersionedLots {
  readonly #versions = new Map<string, number>()
  #replica = new Map<string, number>()
  readonly #holds: { begin: () => void; end: Promise<void> }[] = []
  /** The ids of each load, in order. */
  readonly loads: (readonly string[])[] = []

  /** How often a row was loaded. */
  loadsOf(id: string): number {
    return this.loads.flat().filter((loaded) => loaded === id).length
  }

  row(id: string): Lot {
    return { id, version: this.#versions.get(id) ?? 1 }
  }

  write(id: string): void {
    this.#versions.set(id, this.row(id).version + 1)
  }

  /** Brings the replica up to date. */
  catchUp(): void {
    this.#replica = new Map(this.#versions)
  }

  /** Holds the next load. */
  hold(): HeldLoad {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    // It may fail before it begins.
    end.promise.catch(() => {})
    this.#holds.push({ begin: begun.resolve, end: end.promise })
    return {
      begun: begun.promise,
      release: end.resolve,
      fail: () => end.reject(new Error('the database has failed')),
    }
  }

  /** In a transaction, its client provides the rows. */
  readonly source: Source<Lot, string> = {
    load: (ids, client) => this.#load(ids, (id) => ((client as VersionedLots | undefined) ?? this).row(id)),
    mayBlameOneId: () => false,
  }

  readonly replicaSource: Source<Lot, string> = {
    load: (ids) => this.#load(ids, (id) => ({ id, version: this.#replica.get(id) ?? 1 })),
    mayBlameOneId: () => false,
  }

  async #load(ids: readonly string[], read: (id: string) => Lot): Promise<Lot[]> {
    this.loads.push([...ids])
    const rows = ids.map(read)
    const hold = this.#holds.shift()
    hold?.begin()
    await hold?.end
    return rows
  }
}
