import { undecodable, type Undecodable } from '../../codec/codec.js'
import {
  handled,
  bucketOf,
  emptySnapshot,
  envelopeStart,
  expiryOf,
  isEnvelopeOf,
  isNegativeEntry,
  isNegativeEntryOf,
  openEnvelope,
  type RegisterSnapshot,
  type RowId,
} from '../../protocol/index.js'
import type { CacheContext, RowStore } from '../context.js'
import { type Load, newLoad } from '../load/load.js'
import type { RowDelivery } from './delivery.js'
import type { RowMemory } from './l1.js'
import { backgroundRead, fillEpochsOf, noEpochs, type Read } from './read.js'

/** What the store did not answer. */
export interface StoreMisses<Row, Id> {
  /** The store has no entry, or did not answer. */
  readonly missed: readonly Read<Row, Id>[]
  /** Rows whose entry cannot be used, or expires soon; known when all rows of the tick have been decoded. Undefined without entries. */
  readonly outdated: Promise<readonly Load<Row, Id>[]> | undefined
}

/** Reads of one call of the store: of rows of two kilobytes, half a megabyte. */
const chunkSize = 250

/**
 * Chunks that are requested before the first of them has been decoded. Payloads that wait for their turn leave the processor's
 * cache, and every garbage collection moves them.
 */
const chunksInFlight = 4

/** Pressure from which on rows are not loaded only because of their age. */
const highPressure = 0.5

/** Reads rows from the store in chunks, decodes each chunk in time slices as it arrives, and delivers its rows. */
export class StoredRows<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #l1: RowMemory<Row> | undefined
  readonly #delivery: RowDelivery<Row>
  readonly #checksExpiry: boolean

  constructor(context: CacheContext<Row, Id>, l1: RowMemory<Row> | undefined, delivery: RowDelivery<Row>) {
    this.#context = context
    this.#l1 = l1
    this.#delivery = delivery
    const { refreshAheadMs, staleForMs } = context.policy
    this.#checksExpiry = refreshAheadMs > 0 || staleForMs > 0
  }

  /** Delivers the rows that the store has, and sets the epochs of the other reads. Never rejects. */
  async read(reads: readonly Read<Row, Id>[]): Promise<StoreMisses<Row, Id>> {
    const { coherence, model } = this.#context
    // Only L1 needs it.
    const readAtMs = this.#l1 ? performance.now() : 0
    // Together with the first chunk, and so in one command with it where they fit. Each chunk awaits it, perhaps in a later turn.
    const snapshot = handled(coherence.register.read())
    if (!model.store.shardOf && reads.length <= chunkSize) return this.#readChunk(reads, readAtMs, snapshot)
    const misses = await Promise.all(
      shardsOf(reads, model.store).flatMap((shard) => this.#readChunks(chunksOf(shard), readAtMs, snapshot)),
    )
    return {
      missed: misses.flatMap(({ missed }) => missed),
      outdated: Promise.all(misses.map(({ outdated }) => outdated ?? [])).then((lists) => lists.flat()),
    }
  }

  /** Each promise resolves with the answer of the store; the chunk counts as in flight until its rows have been decoded. */
  #readChunks(
    chunks: readonly (readonly Read<Row, Id>[])[],
    readAtMs: number,
    snapshot: Promise<RegisterSnapshot>,
  ): Promise<StoreMisses<Row, Id>>[] {
    const answers = chunks.map((chunk) => ({ chunk, ...Promise.withResolvers<StoreMisses<Row, Id>>() }))
    // All of those that run take from one list.
    const waiting = answers.values()
    const readNext = async (): Promise<void> => {
      for (const { chunk, resolve, reject } of waiting) {
        try {
          const misses = await this.#readChunk(chunk, readAtMs, snapshot)
          resolve(misses)
          await misses.outdated
        } catch (error) {
          reject(error)
        }
      }
    }
    for (let started = 0; started < chunksInFlight; started++) void readNext()
    return answers.map(({ promise }) => promise)
  }

  async #readChunk(
    reads: readonly Read<Row, Id>[],
    readAtMs: number,
    reading: Promise<RegisterSnapshot>,
  ): Promise<StoreMisses<Row, Id>> {
    const { coherence, model, telemetry } = this.#context
    const { history, observer } = telemetry
    try {
      const values = await model.store.getManyBytes(reads.map(({ key }) => key))
      const read = await reading
      // Another server, or the same one after a restart, may have answered since.
      const snapshot = read.losses === coherence.register.losses ? read : emptySnapshot
      const epochs = fillEpochsOf(snapshot)
      for (const read of reads) read.epochs = epochs
      const missed = reads.filter((_, i) => values[i] === null)
      for (const { rowId } of missed) history.missed(rowId, 'not_cached')
      if (missed.length > 0) {
        observer.misses('not_cached', missed.length)
        observer.reads('store', 'miss', missed.length)
      }
      return {
        missed,
        outdated:
          missed.length === reads.length ? undefined : this.#decode(reads, readAtMs, values, snapshot),
      }
    } catch {
      observer.reads('store', 'error', reads.length)
      observer.misses('store_error', reads.length)
      for (const read of reads) {
        read.epochs = noEpochs
        history.missed(read.rowId, 'store_error')
      }
      return { missed: reads, outdated: undefined }
    }
  }

  async #decode(
    reads: readonly Read<Row, Id>[],
    readAtMs: number,
    values: readonly (Buffer | null)[],
    { epoch, existence }: RegisterSnapshot,
  ): Promise<readonly Load<Row, Id>[]> {
    const { model, policy, runtime, telemetry } = this.#context
    const delivery = this.#delivery
    const l1 = this.#l1
    const { codec } = model
    const { auditor, history, largePayloads, observer } = telemetry
    const outdated: Load<Row, Id>[] = []
    let found = 0
    let unusable = 0
    let invalidated = 0
    let expired = 0
    // Under pressure expired rows are served as long as they are there: no time to load what is not missing.
    const { isEncrypted = false } = model
    const checksExpiry = isEncrypted || (this.#checksExpiry && runtime.pressure.value < highPressure)
    const rowStart = envelopeStart(codec.fingerprint, epoch)
    let negativeStart: Buffer | undefined
    const decode = (read: Read<Row, Id>, i: number): void => {
      const bytes = values[i]
      if (!bytes) return
      found++
      let payloadStart = openEnvelope(bytes, rowStart)
      const isRow = payloadStart > 0 && !isNegativeEntry(bytes, payloadStart)
      if (!isRow && payloadStart !== 0) {
        negativeStart ??= envelopeStart(codec.fingerprint, existence)
        payloadStart = openEnvelope(bytes, negativeStart)
      }
      let row: Row | null | Undecodable = undecodable
      if (isRow) row = this.#rowAt(bytes, payloadStart, read.rowId)
      else if (payloadStart > 0 && isNegativeEntryOf(bytes, payloadStart, read.rowId)) row = null
      largePayloads.notice(bytes.length)
      if (row === undecodable) {
        const isInvalidated = payloadStart < 0 && isEnvelopeOf(bytes, codec.fingerprint)
        if (isInvalidated) invalidated++
        unusable++
        outdated.push(newLoad(read, true))
        return history.missed(read.rowId, isInvalidated ? 'invalidated' : 'undecodable')
      }
      if (checksExpiry) {
        const leftMs = expiryOf(bytes, payloadStart) - Date.now()
        if (leftMs <= 0) {
          expired++
          unusable++
          const isPutBack = isEncrypted && leftMs < -policy.staleForMs
          outdated.push(newLoad(read, true, isPutBack ? undefined : { row, value: bytes.toString() }))
          return history.missed(read.rowId, 'expired')
        }
        const isDue = leftMs <= policy.refreshAheadMs && row !== null && read.epochs.epoch !== null
        if (isDue) outdated.push(newLoad(backgroundRead(read), true))
      }
      auditor?.hit(read, bytes, payloadStart)
      delivery.deliver(read, row, l1?.keep(read, readAtMs, row, bytes.length) ?? false)
    }
    await runtime.slicer.each(reads, decode, (seconds) => observer.syncSeconds('decode', seconds))
    const undecoded = unusable - invalidated - expired
    if (invalidated > 0) observer.misses('invalidated', invalidated)
    if (expired > 0) observer.misses('expired', expired)
    if (undecoded > 0) observer.misses('undecodable', undecoded)
    if (unusable > 0) observer.reads('store', 'miss', unusable)
    if (unusable < found) observer.reads('store', 'hit', found - unusable)
    return outdated
  }

  /** A row of another id was copied under this key, and must not be served. */
  #rowAt(bytes: Buffer, payloadStart: number, rowId: RowId): Row | Undecodable {
    const { codec, keys } = this.#context.model
    const row = codec.decodeUtf8(bytes, payloadStart)
    return row !== undecodable && row && keys.isRow(row, rowId) ? row : undecodable
  }
}

/** Reads by shard, and within it by bucket: the reads of one bucket are one command of a cluster. */
function shardsOf<Row, Id>(
  reads: readonly Read<Row, Id>[],
  store: RowStore,
): (readonly (readonly Read<Row, Id>[])[])[] {
  const { shardOf } = store
  if (!shardOf) return [[reads]]
  const buckets = Map.groupBy(reads, ({ key }) => bucketOf(key))
  return [...Map.groupBy(buckets.values(), ([first]) => shardOf(first!.key)).values()]
}

/** Joins lists into chunks, and divides only those that are longer than one. */
function chunksOf<T>(lists: readonly (readonly T[])[]): (readonly T[])[] {
  const chunks: T[][] = []
  for (const list of lists) {
    const last = chunks.at(-1)
    if (last && last.length + list.length <= chunkSize) last.push(...list)
    else
      for (let start = 0; start < list.length; start += chunkSize)
        chunks.push(list.slice(start, start + chunkSize))
  }
  return chunks
}
