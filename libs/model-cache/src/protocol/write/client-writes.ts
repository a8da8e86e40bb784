import type { ReadCaches } from '../../source/read-caches.js'
import type { WatchedLookup, WriteCoordinator } from '../../source/write-coordinator.js'
import type { AffectedCaches } from './affected-caches.js'
import { FencedWriteUnit } from './fenced-write-unit.js'
import type { StandbyFences } from './standby-fences.js'

/** The writes of one client. Its models and fields are those of its schema; caches may have other names for the same tables and columns. */
export class ClientWrites implements WriteCoordinator {
  readonly #all: WriteCoordinator
  readonly #caches: AffectedCaches
  readonly #standby: () => StandbyFences | undefined

  /**
   * @param all the writes of all clients
   * @param caches by the schema of this client
   * @param standby what holds the fences of writes
   */
  constructor(all: WriteCoordinator, caches: AffectedCaches, standby: () => StandbyFences | undefined) {
    this.#standby = standby
    this.#all = all
    this.#caches = caches
  }

  get reads(): ReadCaches | undefined {
    return this.#all.reads
  }

  prepare(): Promise<void> | undefined {
    return this.#all.prepare()
  }

  idFieldsOf(model: string): readonly (readonly string[])[] {
    return this.#caches.by(model).idFields
  }

  lookupsOf(model: string): readonly WatchedLookup[] {
    return this.#caches.by(model).lookups
  }

  begin(): FencedWriteUnit {
    return new FencedWriteUnit(this.#caches, 'client', this.#standby())
  }

  within<T>(unit: FencedWriteUnit, client: object, work: () => Promise<T>): Promise<T> {
    return this.#all.within(unit, client, work)
  }
}
