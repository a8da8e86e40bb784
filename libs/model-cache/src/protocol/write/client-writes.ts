import type { ReadCaches } from '../../source/read-caches.js'
import type { WatchedLookup, WriteCoordinator } from '../../source/write-coordinator.js'
import type { AffectedCaches, WriterCaches } from './affected-caches.js'
import type { FencedWriteUnit } from './fenced-write-unit.js'

/** The writes of one client. Its models and fields are those of its schema; caches may have other names for the same tables and columns. */
export class ClientWrites implements WriteCoordinator {
  readonly #all: WriteCoordinator
  readonly #caches: AffectedCaches
  readonly #begin: (caches: WriterCaches) => FencedWriteUnit

  /**
   * @param all the writes of all clients
   * @param caches by the schema of this client
   * @param begin begins a write to caches
   */
  constructor(
    all: WriteCoordinator,
    caches: AffectedCaches,
    begin: (caches: WriterCaches) => FencedWriteUnit,
  ) {
    this.#all = all
    this.#caches = caches
    this.#begin = begin
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
    return this.#begin(this.#caches)
  }

  within<T>(unit: FencedWriteUnit, client: object, work: () => Promise<T>): Promise<T> {
    return this.#all.within(unit, client, work)
  }
}
