import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Codec } from '../codec/codec.js'
import { undecodable } from '../codec/codec.js'
import type { Source } from '../source/source.js'
import type { Store } from '../store/store.js'
import { ofAnotherEpoch, openEnvelope } from './envelope.js'
import { Filler } from './filler.js'
import { loadIsolating } from './isolating-load.js'
import type { KeySpace } from './key-space.js'
import type { ModelCache } from './model-cache.js'
import type { MissReason, ModelObserver } from './observer.js'
import type { Tick } from './tick.js'
import { Unsettled } from './unsettled.js'

export interface ReadThroughCacheParts<Row, Id> {
  readonly name: string
  readonly ttlMs: number
  readonly absentTtlMs: number
  readonly codec: Codec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly store: Store
  readonly source: Source<Row, Id>
  readonly tick: Tick
  readonly observer: ModelObserver
  /** Told what an operator should know, once per kind. */
  readonly warn: (message: string) => void
}

/** One id that somebody waits for. */
interface Read<Row, Id> {
  readonly id: Id
  readonly key: string
  readonly waiters: Waiter<Row>[]
  /** Invalidated since it was read from the source: must not be written to the store. */
  outdated: boolean
}

interface Waiter<Row> {
  resolve(row: Row | null): void
  reject(error: unknown): void
}

/** How long the end of the process waits for reads and fills. */
const closeLimitMs = 10_000

/** {@link ModelCache} over a codec, a store and a source. */
export class ReadThroughCache<Row, Id> implements ModelCache<Row, Id> {
  readonly #parts: ReadThroughCacheParts<Row, Id>
  readonly #unsettled: Unsettled
  readonly #filler: Filler<Row>
  /** Asked for in this tick. */
  #asked = new Map<string, Read<Row, Id>>()
  #askedSince = 0
  #joined = 0
  /** Being loaded from the source. */
  readonly #loading = new Map<string, Read<Row, Id>>()
  /** Reads and fills under way. */
  readonly #working = new Set<Promise<unknown>>()
  /** Rows on their way from prime to the store. */
  readonly #priming = new Set<{ readonly key: string; outdated: boolean }>()

  constructor(parts: ReadThroughCacheParts<Row, Id>) {
    this.#parts = parts
    this.#filler = new Filler(parts)
    this.#unsettled = new Unsettled(parts.store, () => parts.store.set(parts.keys.epochKey, randomUUID()))
  }

  get(id: Id): Promise<Row | null> {
    return new Promise((resolve, reject) => this.#ask(id, { resolve, reject }))
  }

  getMany(ids: readonly Id[]): Promise<(Row | null)[]> {
    return Promise.all(ids.map((id) => this.get(id)))
  }

  getManySettled(ids: readonly Id[]): Promise<PromiseSettledResult<Row | null>[]> {
    return Promise.allSettled(ids.map((id) => this.get(id)))
  }

  async prime(rows: readonly Row[]): Promise<void> {
    const { keys } = this.#parts
    const reads = rows.map((row) => ({ key: keys.keyOfRow(row), outdated: false, row }))
    for (const { row } of reads) this.#parts.codec.encode(row)
    for (const read of reads) this.#priming.add(read)
    await this.#track(this.#prime(reads)).finally(() => {
      for (const read of reads) this.#priming.delete(read)
    })
  }

  async invalidate(ids: Id | readonly Id[]): Promise<void> {
    const { keys, store } = this.#parts
    const outdated = (Array.isArray(ids) ? (ids as readonly Id[]) : [ids as Id]).map((id) => keys.keyOf(id))
    for (const key of outdated) this.#forgetLoad(key)
    const keySet = new Set(outdated)
    for (const read of this.#priming) if (keySet.has(read.key)) read.outdated = true
    try {
      await store.deleteMany(outdated)
    } catch {
      this.#unsettled.add(outdated)
    }
  }

  async invalidateAll(): Promise<void> {
    const { keys, store } = this.#parts
    for (const key of this.#loading.keys()) this.#forgetLoad(key)
    for (const read of this.#priming) read.outdated = true
    try {
      await store.set(keys.epochKey, randomUUID())
    } catch {
      this.#unsettled.addAll()
    }
  }

  /** Resolves when the reads and fills that are under way have ended. */
  async drain(): Promise<void> {
    if (this.#asked.size > 0) await new Promise(setImmediate)
    while (this.#working.size > 0) await Promise.allSettled(this.#working)
  }

  /**
   * For the end of the process: waits for reads that are under way and for their fills, at most ten seconds, and gives
   * up invalidations that the store has not taken.
   */
  async close(): Promise<void> {
    const limit = new AbortController()
    const tooLate = delay(closeLimitMs, undefined, { signal: limit.signal, ref: false }).catch(() => {})
    if (this.#asked.size > 0) await new Promise(setImmediate)
    // Not until nothing is under way: who still reads could keep the process from ending.
    for (const _ of ['reads', 'fills']) await Promise.race([Promise.allSettled(this.#working), tooLate])
    limit.abort()
    await this.#unsettled.stop()
  }

  #ask(id: Id, waiter: Waiter<Row>): void {
    // Inside the promise's executor, so that an invalid id rejects instead of throwing.
    const key = this.#parts.keys.keyOf(id)
    const read = this.#asked.get(key)
    if (read) {
      this.#joined++
      read.waiters.push(waiter)
      return
    }
    if (this.#asked.size === 0) {
      this.#askedSince = performance.now()
      this.#parts.tick.schedule(this.#answerAsked)
    }
    this.#asked.set(key, { id: this.#parts.keys.snapshot(id), key, waiters: [waiter], outdated: false })
  }

  readonly #answerAsked = (): void => {
    const reads = [...this.#asked.values()]
    const since = this.#askedSince
    const joined = this.#joined
    this.#asked = new Map()
    this.#joined = 0
    const { observer } = this.#parts
    observer.batchKeys(reads.length)
    if (joined > 0) observer.reads('tick', 'joined', joined)
    const answered = this.#answer(reads).catch((error: unknown) => {
      for (const read of reads) reject(read, error)
    })
    void this.#track(answered.then(() => observer.readSeconds((performance.now() - since) / 1_000)))
  }

  async #answer(reads: readonly Read<Row, Id>[]): Promise<void> {
    if (this.#unsettled.isEmpty) return this.#answerFromStore(reads)
    const unsettled = reads.filter((read) => this.#unsettled.has(read.key))
    const settled = reads.filter((read) => !this.#unsettled.has(read.key))
    if (unsettled.length > 0) this.#parts.observer.misses('unsettled', unsettled.length)
    await Promise.all([this.#answerFromStore(settled), this.#answerFromSource(unsettled, null)])
  }

  async #answerFromStore(reads: readonly Read<Row, Id>[]): Promise<void> {
    if (reads.length === 0) return
    const { keys, observer, store } = this.#parts
    let epoch: string | null
    let values: (string | null)[]
    try {
      ;[epoch = null, ...values] = await store.getMany([keys.epochKey, ...reads.map((read) => read.key)])
    } catch {
      observer.reads('store', 'error', reads.length)
      observer.misses('store_error', reads.length)
      return this.#answerFromSource(reads, null)
    }
    const missed = this.#answerHits(reads, values, epoch)
    observer.reads('store', 'hit', reads.length - missed.length)
    if (missed.length === 0) return
    observer.reads('store', 'miss', missed.length)
    // Without an epoch nothing that is stored counts, and nothing can be stored until there is one.
    epoch ??= await store.setIfAbsent(keys.epochKey, randomUUID()).catch(() => null)
    await this.#answerFromSource(missed, epoch)
  }

  /** @returns the reads that the store has no row for */
  #answerHits(
    reads: readonly Read<Row, Id>[],
    values: readonly (string | null)[],
    epoch: string | null,
  ): readonly Read<Row, Id>[] {
    const { codec, keys, observer } = this.#parts
    const startedAt = performance.now()
    const missed: Read<Row, Id>[] = []
    const reasons = new Map<MissReason, number>()
    const miss = (read: Read<Row, Id>, reason: MissReason): void => {
      missed.push(read)
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
    for (let i = 0; i < reads.length; i++) {
      const read = reads[i]!
      const value = values[i]
      if (value === null || value === undefined) {
        miss(read, 'absent')
        continue
      }
      const start = epoch === null ? ofAnotherEpoch : openEnvelope(value, codec.fingerprint, epoch)
      const row = start > 0 ? codec.decode(value, start) : undecodable
      if (row === undecodable) miss(read, start === ofAnotherEpoch ? 'invalidated' : 'undecodable')
      // A row of another id came here by no fault of ours, and must not go further.
      else if (row && !isOf(keys, row, read.key)) miss(read, 'undecodable')
      else this.#settle(read, row ?? null)
    }
    observer.syncSeconds('decode', (performance.now() - startedAt) / 1_000)
    for (const [reason, count] of reasons) observer.misses(reason, count)
    return missed
  }

  /** @param epoch under which the rows are stored, or null when they must not be */
  async #answerFromSource(reads: readonly Read<Row, Id>[], epoch: string | null): Promise<void> {
    const fresh = reads.filter((read) => !this.#joinLoad(read))
    if (fresh.length === 0) return
    const { keys, name, source } = this.#parts
    for (const read of fresh) this.#loading.set(read.key, read)
    try {
      const loaded = await loadIsolating(source, keys, fresh, name)
      const stored: { read: Read<Row, Id>; row: Row | null }[] = []
      let absent = 0
      fresh.forEach((read, i) => {
        const outcome = loaded[i]!
        if ('error' in outcome) return reject(read, outcome.error)
        if (outcome.row === null) absent++
        stored.push({ read, row: outcome.row })
      })
      this.#countLoads(fresh.length - stored.length, absent, stored.length - absent)
      // Encoded before anybody gets the row, who might change it.
      const entries = epoch === null ? [] : this.#filler.encode(stored, epoch)
      void this.#track(this.#filler.fill(entries))
      for (const { read, row } of stored) this.#settle(read, row)
    } finally {
      for (const read of fresh) {
        if (this.#loading.get(read.key) === read) this.#loading.delete(read.key)
      }
    }
  }

  /** Lets a read wait for a load of the same row, unless the row has been invalidated since that began. */
  #joinLoad(read: Read<Row, Id>): boolean {
    const load = this.#loading.get(read.key)
    load?.waiters.push(...read.waiters)
    return load !== undefined
  }

  #forgetLoad(key: string): void {
    const load = this.#loading.get(key)
    if (load) load.outdated = true
    this.#loading.delete(key)
  }

  #countLoads(failed: number, absent: number, found: number): void {
    const { observer } = this.#parts
    if (failed > 0) observer.reads('source', 'error', failed)
    if (absent > 0) observer.reads('source', 'absent', absent)
    if (found > 0) observer.reads('source', 'hit', found)
  }

  /** The first caller gets the row itself, each other one a copy. */
  #settle(read: Read<Row, Id>, row: Row | null): void {
    const { waiters } = read
    if (waiters.length === 1 || row === null) {
      for (const waiter of waiters) waiter.resolve(row)
      return
    }
    const { codec, observer } = this.#parts
    const start = performance.now()
    try {
      const copies = waiters.map((_, i) => (i === 0 ? row : codec.clone(row)))
      waiters.forEach((waiter, i) => waiter.resolve(copies[i]!))
    } catch {
      // A row that does not match its schema cannot be copied; it is served all the same, one for all.
      for (const waiter of waiters) waiter.resolve(row)
    }
    observer.syncSeconds('copy', (performance.now() - start) / 1_000)
  }

  async #prime(
    reads: readonly { readonly key: string; readonly outdated: boolean; readonly row: Row }[],
  ): Promise<void> {
    const { keys, observer, store } = this.#parts
    try {
      const [held = null] = await store.getMany([keys.epochKey])
      const epoch = held ?? (await store.setIfAbsent(keys.epochKey, randomUUID()))
      const current = reads
        .filter((read) => !this.#unsettled.has(read.key))
        .map((read) => ({ read, row: read.row }))
      await this.#filler.fill(this.#filler.encode(current, epoch))
    } catch {
      observer.fills('store_error', reads.length)
    }
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

function reject<Row, Id>(read: Read<Row, Id>, error: unknown): void {
  for (const waiter of read.waiters) waiter.reject(error)
}

function isOf<Row, Id>(keys: KeySpace<Row, Id>, row: Row, key: string): boolean {
  try {
    return keys.keyOfRow(row) === key
  } catch {
    return false
  }
}
