import type { WatchedLookup, WriteCoordinator } from '../../source/write-coordinator.js'
import { AffectedCaches } from './affected-caches.js'
import type { AnsweringCaches } from '../read/answering-caches.js'
import type { WriterSchema } from '../../source/tables.js'
import { type ExistingCaches, FencedWriteUnit } from './fenced-write-unit.js'

/** What the writes of all clients share. */
export interface SharedWrites {
  readonly reads: AnsweringCaches
  prepare(): Promise<void> | undefined
  within<T>(unit: FencedWriteUnit, client: object, work: () => Promise<T>): Promise<T>
}

/** The writes of one client. Its models and fields are those of its schema; caches may have other names for the same tables and columns. */
export class ClientWrites implements WriteCoordinator {
  readonly #writes: SharedWrites
  readonly #affected: AffectedCaches
  readonly #caches: ExistingCaches

  /** @param schema without it, models and fields are those of the caches */
  constructor(writes: SharedWrites, existing: Pick<ExistingCaches, 'all' | 'ask'>, schema?: WriterSchema) {
    const affected = new AffectedCaches(existing.all, schema)
    this.#writes = writes
    this.#affected = affected
    this.#caches = { ...existing, of: (model) => affected.by(model).caches }
  }

  get reads(): AnsweringCaches {
    return this.#writes.reads
  }

  prepare(): Promise<void> | undefined {
    return this.#writes.prepare()
  }

  idFieldsOf(model: string): readonly (readonly string[])[] {
    return this.#affected.by(model).idFields
  }

  lookupsOf(model: string): readonly WatchedLookup[] {
    return this.#affected.by(model).lookups
  }

  begin(): FencedWriteUnit {
    return new FencedWriteUnit(this.#caches)
  }

  within<T>(unit: FencedWriteUnit, client: object, work: () => Promise<T>): Promise<T> {
    return this.#writes.within(unit, client, work)
  }
}
