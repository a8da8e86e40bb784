import { setTimeout as delay } from 'node:timers/promises'
import type { Codec } from '../codec/codec.js'
import { Backplane } from '../consistency/backplane.js'
import { Leases } from '../consistency/leases.js'
import { EpochRegister } from '../consistency/epoch-register.js'
import type { ConsistencySettings } from '../consistency/model-writes.js'
import { ModelWrites } from '../consistency/model-writes.js'
import { RegisterWriter } from '../consistency/register-writer.js'
import { type CacheDescription, layoutOf } from '../consistency/cache-description.js'
import type { Catalogue } from '../consistency/catalogue.js'
import type { ModelCacheWrites } from '../consistency/writes.js'
import type { WrittenCache } from '../consistency/written-cache.js'
import type { Pressure } from '../event-loop/pressure.js'
import type { Slicer } from '../event-loop/slicer.js'
import type { Source } from '../source/source.js'
import type { RegisterScope, Store } from '../store/store.js'
import { Auditor } from './auditor.js'
import { explain, type Explanation } from './explanation.js'
import { Filler } from './filler.js'
import { History } from './history.js'
import type { RowId } from '../consistency/row-id.js'
import type { KeySpace } from '../consistency/key-space.js'
import { L1 } from './l1.js'
import type { L1Options } from './l1.js'
import { LargePayloads } from './large-payloads.js'
import type { ModelCache } from './model-cache.js'
import type { LoadPermits } from './load-permits.js'
import type { ModelObserver } from './observer.js'
import type { Read } from './read.js'
import { Primer } from './primer.js'
import { ReadCollector } from './read-collector.js'
import { ReadPath } from './read-path.js'
import { InvalidationClock } from './invalidation-clock.js'
import { TransactionReads } from './transaction-reads.js'
import type { Tick } from './tick.js'

export interface ReadThroughCacheParts<Row, Id> {
  readonly name: string
  readonly ttlMs: number
  readonly notFoundTtlMs: number
  /** How long before its time a row is loaded anew. */
  readonly refreshAheadMs: number
  /** How much longer than its time a row stays, for when there is no other. */
  readonly staleForMs: number
  readonly l1: L1Options | undefined
  /** Whether all callers get one row, deeply frozen. */
  readonly sharesRows: boolean
  /** Characters of a row as text from which on it is told of. */
  readonly largePayloadBytes: number
  readonly codec: Codec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly store: Store
  readonly source: Source<Row, Id>
  readonly tick: Tick
  readonly slicer: Slicer
  readonly loads: LoadPermits
  readonly pressure: Pressure
  readonly consistency: ConsistencySettings
  /** Which caches there are, and what it is to say of this one. */
  readonly catalogue: Catalogue
  readonly description: CacheDescription
  /** Tells whether who reads is in a transaction. */
  readonly writes: ModelCacheWrites | undefined
  readonly observer: ModelObserver
  /** The part of hits that are audited; 0 for none. */
  readonly auditRate: number
  /** Told what an operator should know, once per kind or per change of state; never throws. */
  readonly warn: (message: string) => void
  readonly info: (message: string) => void
}

/** How long the end of the process waits for reads and fills. */
const closeLimitMs = 10_000

/** {@link ModelCache} over a codec, a store and a source. */
export class ReadThroughCache<Row, Id> implements ModelCache<Row, Id> {
  readonly #parts: ReadThroughCacheParts<Row, Id>
  readonly #clock = new InvalidationClock()
  readonly #l1: L1<Row> | undefined
  readonly #leases: Leases
  readonly #register: EpochRegister
  readonly #backplane: Backplane | undefined
  readonly #writes: ModelWrites
  readonly #history = new History()
  readonly #auditor: Auditor<Row, Id> | undefined
  readonly #filler: Filler<Row>
  readonly #primer: Primer<Row, Id>
  readonly #path: ReadPath<Row, Id>
  readonly #transactionReads: TransactionReads<Row, Id>
  readonly #reads: ReadCollector<Row, Id>
  /** Reads and fills under way. */
  readonly #working = new Set<Promise<unknown>>()

  constructor(parts: ReadThroughCacheParts<Row, Id>) {
    this.#parts = parts
    const { codec, consistency, keys, store } = parts
    const clock = this.#clock
    const track = (work: Promise<void>): Promise<void> => this.#track(work)
    const { leaseMs, leaseWaitMs } = consistency
    const largePayloads = new LargePayloads(parts)
    this.#leases = new Leases(store, leaseMs)
    this.#l1 = parts.l1 && new L1(parts.l1)
    const { catalogue, description } = parts
    const entry = catalogue.add(description, codec.fingerprint)
    const layout = layoutOf(description)
    const { name, warn, info } = parts
    const log = { warn, info }
    this.#register = new EpochRegister({
      store,
      catalogue,
      cache: { name, registerKey: keys.registerKey, entry, fingerprint: codec.fingerprint },
      times: { rowLifeMs: parts.ttlMs + parts.staleForMs, fenceMs: consistency.fenceMs, leaseMs },
      onJoining: (ms) => this.#tellOfNewSchema(ms),
    })
    this.#backplane =
      store.messages &&
      new Backplane({
        name,
        messages: store.messages,
        channel: keys.channel,
        listener: {
          onRows: (rows) => this.#forget(rows),
          onAll: () => this.#path.forgetMemory(),
          onNotFound: () => this.#path.forgetNotFound(),
        },
        log,
      })
    const backplane = this.#backplane
    this.#writes = new ModelWrites({
      name,
      store,
      keys,
      register: new RegisterWriter(store, keys.registerKey, leaseMs),
      backplane,
      fingerprints: {
        known: () => [...new Set([codec.fingerprint, ...catalogue.fingerprintsOf(layout)])],
        refresh: () => catalogue.ask(),
      },
      consistency,
      listener: {
        onWritten: (rows) => this.#forget(rows),
        onAllWritten: (scope) => this.#forgetAll(scope),
      },
      observer: parts.observer,
      log,
    })
    if (parts.auditRate > 0) {
      const { auditRate: rate } = parts
      this.#auditor = new Auditor({ ...parts, rate, fenceMs: consistency.fenceMs })
    }
    const shared = {
      ...parts,
      backplane,
      history: this.#history,
      auditor: this.#auditor,
      leases: this.#leases,
      register: this.#register,
      largePayloads,
      clock,
      track,
    }
    this.#filler = new Filler(shared)
    this.#primer = new Primer({ ...shared, filler: this.#filler, pending: this.#writes.pending })
    this.#reads = new ReadCollector({ ...parts, clock, onTick: (reads) => this.#answer(reads) })
    this.#transactionReads = new TransactionReads({ ...parts, getOutside: (id) => this.#reads.get(id) })
    this.#path = new ReadPath({
      ...shared,
      leaseWaitMs,
      l1: this.#l1,
      filler: this.#filler,
      pending: this.#writes.pending,
    })
  }

  get(id: Id): Promise<Row | null> {
    const scope = this.#transactionReads.current()
    if (scope) return this.#transactionReads.get(scope, id)
    return this.#reads.get(id)
  }

  getMany(ids: readonly Id[]): Promise<(Row | null)[]> {
    if (ids.length === 0) return Promise.resolve([])
    const scope = this.#transactionReads.current()
    if (scope) return Promise.all(ids.map((id) => this.#transactionReads.get(scope, id)))
    return this.#reads.getMany(ids)
  }

  getManySettled(ids: readonly Id[]): Promise<PromiseSettledResult<Row | null>[]> {
    return Promise.allSettled(ids.map((id) => this.get(id)))
  }

  async prime(rows: readonly Row[]): Promise<void> {
    const { observer, writes } = this.#parts
    if (writes?.current()) {
      observer.fills('not_leased', rows.length)
      return
    }
    await this.#track(this.#primer.store(rows))
  }

  async invalidate(ids: Id | readonly Id[]): Promise<void> {
    const { keys, observer, source } = this.#parts
    const given = Array.isArray(ids) ? (ids as readonly Id[]) : [ids as Id]
    const rows = given.map((id) => {
      const rowId = keys.toRowId(id)
      if (!source.canonicalOf) return rowId
      const canonical = source.canonicalOf(id)
      return canonical === undefined ? undefined : keys.toRowId(canonical)
    })
    observer.invalidations('ids', rows.length)
    if (!rows.every((row) => row !== undefined)) {
      observer.unknownWrites('spelling')
      return this.#invalidateAll()
    }
    const fences = this.#transactionReads.current()?.fences
    if (fences) fences.markWritten(this.#writes, rows)
    else await this.#writes.release(rows, '')
  }

  async invalidateAll(): Promise<void> {
    this.#parts.observer.invalidations('all', 1)
    await this.#invalidateAll()
  }

  async explain(id: Id): Promise<Explanation> {
    const parts = {
      ...this.#parts,
      fingerprint: this.#parts.codec.fingerprint,
      register: this.#register,
      l1: this.#l1,
      backplane: this.#backplane,
      pending: this.#writes.pending,
      history: this.#history,
    }
    return explain(parts, this.#parts.keys.toRowId(id))
  }

  /** Whether rows in this process's memory are not used just now, as writes elsewhere are not heard of. */
  get distrustsL1(): boolean {
    return this.#l1 !== undefined && this.#backplane?.isListening === true && !this.#backplane.isUp
  }

  /** From when on rows are stored, while the schema is new among running processes. Asks the store, if it answers. */
  async fillsFrom(): Promise<Date | undefined> {
    await this.#register.read().catch(() => {})
    const { joiningForMs } = this.#register
    return joiningForMs > 0 ? new Date(Date.now() + joiningForMs) : undefined
  }

  /**
   * Lists the cache in the store, which its first read does otherwise: rows may be stored only a while after that, if there have been
   * writers before. Never rejects; what fails is tried again by reads.
   */
  async join(): Promise<void> {
    await this.#register.join()
  }

  /** This cache, as those see it who write to its model, and to those that it depends on. */
  get written(): readonly WrittenCache[] {
    const { description, keys, observer } = this.#parts
    const common = {
      layout: layoutOf(description),
      rowIdOf: (row: object) => keys.rowIdOf(row as Row),
      writes: this.#writes,
      onAllWritten: (reason: string) => observer.unknownWrites(reason),
    }
    const idFields = description.id.map(({ name }) => name)
    return [
      { ...common, model: description.model, idFields },
      ...description.dependsOn.map((model) => ({ ...common, model, idFields: [] })),
    ]
  }

  /** Resolves when the reads and fills that are under way have ended. */
  async drain(): Promise<void> {
    await this.#endTick()
    while (this.#working.size > 0) await Promise.allSettled(this.#working)
  }

  /**
   * For the end of the process: waits for reads that are under way and for their fills, at most ten seconds, and gives
   * up invalidations that the store has not taken.
   */
  async close(): Promise<void> {
    const limit = new AbortController()
    const tooLate = delay(closeLimitMs, undefined, { signal: limit.signal, ref: false }).catch(() => {})
    this.#auditor?.stop()
    await this.#endTick()
    // Not until nothing is under way: who still reads could keep the process from ending.
    for (const _ of ['reads', 'fills']) await Promise.race([Promise.allSettled(this.#working), tooLate])
    limit.abort()
    await Promise.all([this.#writes.stop(), this.#backplane?.stop()])
  }

  /** Resolves when what has been asked for is under way: a tick takes two turns at most. Who goes on reading is not waited for. */
  async #endTick(): Promise<void> {
    for (const _ of ['this turn', 'the next']) if (!this.#reads.isEmpty) await new Promise(setImmediate)
  }

  async #invalidateAll(): Promise<void> {
    const fences = this.#transactionReads.current()?.fences
    if (fences) fences.markAllWritten(this.#writes, 'all')
    else await this.#writes.releaseAll('', 'all')
  }

  #answer(reads: readonly Read<Row, Id>[]): void {
    // Not before: until somebody reads, there is nothing to forget.
    if (this.#l1) this.#backplane?.start()
    void this.#track(this.#path.answer(reads))
  }

  /** Rows that were asked for before now are not kept, in this process or in the store. */
  #forget(rowIds: readonly RowId[]): void {
    this.#history.written(rowIds)
    for (const rowId of rowIds) {
      this.#clock.advance(rowId)
      this.#l1?.delete(rowId)
    }
  }

  #forgetAll(scope: RegisterScope): void {
    this.#clock.advanceAll()
    if (scope === 'all') this.#path.forgetMemory()
    else this.#path.forgetNotFound()
  }

  #tellOfNewSchema(ms: number): void {
    const { info, name, observer } = this.#parts
    observer.newSchemas(1)
    const until = new Date(Date.now() + ms).toISOString()
    info(
      `ModelCache "${name}": its schema is new among running processes, whose writes may not know it yet, so this process stores no rows ` +
        `until ${until}, in ${Math.ceil(ms / 1_000)} s. They come from their source until then.`,
    )
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#working.add(work)
    try {
      return await work
    } finally {
      this.#working.delete(work)
    }
  }
}
