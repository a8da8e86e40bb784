import type { Codec } from '../codec/codec.js'
import { notStartedError } from '../errors.js'
import type { CacheContext } from './context.js'
import type { ReadSide } from './create-read-side.js'
import type { WriteSide } from './create-write-side.js'
import { waitToClose } from './in-flight.js'
import { examine, type Explanation } from './inspection/explanation.js'
import type { InspectedCache } from './inspection/inspected-cache.js'
import type { Invalidator } from './invalidator.js'
import type { ModelCache } from './model-cache.js'
import type { LookupKeys, NoLookups } from './policy/lookup-options.js'

/** What a cache consists of, in one object, so that a call finds each part in one step. */
export interface CacheParts<Row, Id> extends ReadSide<Row, Id>, WriteSide {
  readonly context: CacheContext<Row, Id>
  readonly codec: Codec<Row>
  readonly invalidator: Invalidator<Row, Id>
  readonly inspected: InspectedCache<Row, Id>
  /** Called when the cache ends: queries of Prisma go to the database from then on. */
  readonly stopAnswering: () => void
}

/**
 * {@link ModelCache} over a codec, a store and a source, which `createModelCache` binds: Nest injects a cache while providers are
 * created, before there is a Prisma client. Until then every call is rejected.
 */
export class ReadThroughCache<Row, Id, Keys extends LookupKeys = NoLookups> implements ModelCache<
  Row,
  Id,
  Keys
> {
  readonly #name: string
  #bound: CacheParts<Row, Id> | undefined

  constructor(name: string) {
    this.#name = name
  }

  bind(parts: CacheParts<Row, Id>): void {
    this.#bound = parts
  }

  get(id: Id): Promise<Row | null> {
    const bound = this.#bound
    if (!bound) return this.#refuse()
    const { reads, transactionReads } = bound
    const scope = transactionReads.current()
    return scope ? transactionReads.get(scope, id) : reads.get(id)
  }

  getMany(ids: readonly Id[]): Promise<(Row | null)[]> {
    const bound = this.#bound
    if (!bound) return this.#refuse()
    const { reads, transactionReads } = bound
    if (ids.length === 0) return Promise.resolve([])
    const scope = transactionReads.current()
    // A list with holes has as many ids as it is long.
    return scope ? Promise.all(Array.from(ids, (id) => transactionReads.get(scope, id))) : reads.getMany(ids)
  }

  getManySettled(ids: readonly Id[]): Promise<PromiseSettledResult<Row | null>[]> {
    return this.#bound ? Promise.allSettled(Array.from(ids, (id) => this.get(id))) : this.#refuse()
  }

  async getBy<Name extends keyof Keys['unique'] & string>(
    name: Name,
    key: Keys['unique'][Name],
  ): Promise<Row | null> {
    const rows = await this.#parts.lookups.get(name, 'unique').find(key)
    return rows[0] ?? null
  }

  async getManyBy<Name extends keyof Keys['unique'] & string>(
    name: Name,
    keys: readonly Keys['unique'][Name][],
  ): Promise<(Row | null)[]> {
    const found = await this.#parts.lookups.get(name, 'unique').findMany(keys)
    return found.map((rows) => rows[0] ?? null)
  }

  async list<Name extends keyof Keys['lists'] & string>(
    name: Name,
    key: Keys['lists'][Name],
  ): Promise<Row[]> {
    return this.#parts.lookups.get(name, 'list').find(key)
  }

  async listMany<Name extends keyof Keys['lists'] & string>(
    name: Name,
    keys: readonly Keys['lists'][Name][],
  ): Promise<Row[][]> {
    return this.#parts.lookups.get(name, 'list').findMany(keys)
  }

  async prime(rows: readonly Row[]): Promise<void> {
    const { context, primer, transactionReads } = this.#parts
    if (transactionReads.isInTransaction) context.telemetry.observer.fills('not_leased', rows.length)
    else await context.runtime.inFlight.track(primer.store(rows))
  }

  async invalidate(ids: Id | readonly Id[]): Promise<void> {
    await this.#parts.invalidator.invalidate(Array.isArray(ids) ? (ids as readonly Id[]) : [ids as Id])
  }

  async invalidateBy(name: string, keys: unknown): Promise<void> {
    await this.#parts.lookups.get(name).invalidate(Array.isArray(keys) ? keys : [keys])
  }

  async invalidateAll(): Promise<void> {
    await this.#parts.invalidator.invalidateAll()
  }

  async explain(...asked: readonly [id: Id] | readonly [name: string, key: unknown]): Promise<Explanation> {
    const { context, l1, lookups } = this.#parts
    const { explanation } =
      asked.length === 2
        ? await lookups.get(asked[0]).examine(asked[1])
        : await examine(context, l1, context.model.keys.toRowId(asked[0]))
    return explanation
  }

  /** The cache as people look at it. */
  get inspected(): InspectedCache<Row, Id> {
    return this.#parts.inspected
  }

  /**
   * Proves the codec, which the first read does otherwise. Never throws: a cache whose codec fails its proof has logged that, and
   * reads all rows from their source.
   */
  prove(): void {
    try {
      this.#parts.codec.prove()
    } catch {
      // Logged by the codec's `onUnproven`.
    }
  }

  /** Whether L1 is not used just now, as writes of other processes are not heard. */
  get distrustsL1(): boolean {
    const { backplane, l1 } = this.#parts
    return l1 !== undefined && backplane?.isListening === true && !backplane.isUp
  }

  /**
   * When a process whose schema is new begins to store rows; undefined if it may already. Reads the store, if it answers. A schema is
   * not new once the store has lost what it held: then all processes wait, those that have stored rows before as well.
   */
  async fillsFrom(): Promise<Date | undefined> {
    const { register } = this.#parts
    await register.read().catch(() => {})
    if (register.losses > 0 || register.joiningForMs === 0) return undefined
    return new Date(Date.now() + register.joiningForMs)
  }

  /**
   * Lists the cache in the catalogue, which its first read does otherwise. If there have been writers before, rows may be stored
   * only a while after that. Never rejects: reads try again.
   */
  async join(): Promise<void> {
    await this.#parts.register.join()
  }

  /** Resolves when the reads and fills in flight have ended. */
  async drain(): Promise<void> {
    await this.#endTick()
    await this.#parts.context.runtime.inFlight.drained()
  }

  /** Resolves when the reads that were requested before have ended, and their fills. */
  async settled(): Promise<void> {
    await this.#endTick()
    // Twice, not until nothing is in flight, as callers may go on reading.
    for (const _ of ['reads', 'fills']) await this.#parts.context.runtime.inFlight.settled()
  }

  /**
   * Ends the cache with its process: waits for reads in flight and for their fills, at most ten seconds, then gives up
   * invalidations that the store has not taken.
   */
  async close(): Promise<void> {
    const { backplane, context, fences, lookups, onClose, stopAnswering } = this.#parts
    const { telemetry } = context
    stopAnswering()
    telemetry.auditor?.stop()
    lookups.stop()
    await waitToClose(this.settled())
    await Promise.all([fences.stop(), backplane?.stop()])
    await Promise.all(onClose.map((end) => end()))
  }

  /** @throws ModelCacheError (`E_NOT_STARTED`) */
  get #parts(): CacheParts<Row, Id> {
    if (!this.#bound) throw notStartedError(this.#name)
    return this.#bound
  }

  async #refuse(): Promise<never> {
    throw notStartedError(this.#name)
  }

  /** Resolves when the requested reads are in flight: a tick takes two turns at most. */
  async #endTick(): Promise<void> {
    const { lookups, reads } = this.#parts
    for (const _ of ['this turn', 'the next'])
      if (!reads.isEmpty || !lookups.isEmpty) await new Promise(setImmediate)
  }
}
