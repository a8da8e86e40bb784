import type { BulkheadPolicy } from 'cockatiel'
import { bulkhead } from 'cockatiel'
import type { Codec } from '../codec/codec.js'
import { undecodable, type Undecodable } from '../codec/codec.js'
import type { RowId } from '../consistency/row-id.js'
import type { EpochRegister, RegisterSnapshot } from '../consistency/epoch-register.js'
import type { Pressure } from '../event-loop/pressure.js'
import type { Slicer } from '../event-loop/slicer.js'
import type { Store } from '../store/store.js'
import { isNegativeEntry, isNegativeEntryOf } from './negative-entry.js'
import type { Auditor } from './auditor.js'
import { envelopeStart, expiryOf, isEnvelopeOf, openEnvelope } from './envelope.js'
import type { History } from './history.js'
import type { KeySpace } from '../consistency/key-space.js'
import { bucketOf } from '../consistency/key-space.js'
import type { LargePayloads } from './large-payloads.js'
import type { MissReason, ModelObserver } from './observer.js'
import { loadOf, type Read, noEpochs } from './read.js'

export interface StoredRowsParts<Row, Id> {
  readonly codec: Codec<Row>
  readonly keys: KeySpace<Row, Id>
  readonly store: Store
  readonly register: EpochRegister
  /** How long before its time a row is due to be loaded anew. */
  readonly refreshAheadMs: number
  /** How much longer than its time a row stays in the store. */
  readonly staleForMs: number
  readonly pressure: Pressure
  readonly slicer: Slicer
  readonly largePayloads: LargePayloads
  readonly observer: ModelObserver
  readonly history: History
  readonly auditor: Auditor<Row, Id> | undefined
  /** Takes a row, or null for none, and the bytes of its text; one after the other, in slices. */
  readonly onDecoded: (read: Read<Row, Id>, row: Row | null, length: number) => void
  /** Told of reads that have been answered with a row whose time is nearly over. */
  readonly onDue: (reads: readonly Read<Row, Id>[]) => void
}

/** What the store did not answer. */
export interface Unanswered<Row, Id> {
  /** The store has nothing for them. */
  readonly missed: readonly Read<Row, Id>[]
  /** The store could not be asked. */
  readonly failed: readonly Read<Row, Id>[]
  /** What the store has for them is of no use; known when all rows of the tick have been decoded. */
  readonly useless: Promise<readonly Read<Row, Id>[]>
}

/** How many reads go into one call of the store: of rows of two kilobytes, half a megabyte. */
const chunkSize = 250

/**
 * Chunks that are asked for before the first of them has been decoded. Texts that would lie about until it is their turn
 * leave the processor's cache, and are carried about by each collection of garbage.
 */
const chunksUnderWay = 4

/** Looks rows up in the store, in chunks; each is decoded as soon as it is there, in slices. */
export class StoredRows<Row, Id> {
  readonly #parts: StoredRowsParts<Row, Id>

  constructor(parts: StoredRowsParts<Row, Id>) {
    this.#parts = parts
  }

  /** Answers the reads that the store has rows for, and tells the others whether they may be stored. Never rejects. */
  async answer(reads: readonly Read<Row, Id>[]): Promise<Unanswered<Row, Id>> {
    const { keys, register, slicer, store } = this.#parts
    const name = (read: Read<Row, Id>): void => {
      read.key = keys.keyOf(read.rowId)
    }
    await slicer.each(reads, name, untold)
    // Together with the first chunk, and so in one command with it where they fit.
    const standing = register.read()
    // It is awaited with each chunk, which may be in a later turn.
    standing.catch(() => {})
    const answers = await Promise.all(
      shardsOf(reads, store).flatMap((shard) => {
        const underWay = bulkhead(chunksUnderWay, Number.MAX_SAFE_INTEGER)
        return chunksOf(shard).map((chunk) => this.#askAmong(underWay, chunk, standing))
      }),
    )
    return {
      missed: answers.flatMap(({ missed }) => missed),
      failed: answers.flatMap(({ failed }) => failed),
      useless: Promise.all(answers.map(({ useless }) => useless)).then((lists) => lists.flat()),
    }
  }

  /** Holds a place among those under way until all rows have been decoded; the answer is there before. */
  #askAmong(
    underWay: BulkheadPolicy,
    reads: readonly Read<Row, Id>[],
    standing: Promise<RegisterSnapshot>,
  ): Promise<Unanswered<Row, Id>> {
    return new Promise((resolve, reject) => {
      const asked = underWay.execute(async () => {
        const answer = await this.#ask(reads, standing)
        resolve(answer)
        await answer.useless
      })
      asked.catch(reject)
    })
  }

  async #ask(
    reads: readonly Read<Row, Id>[],
    asking: Promise<RegisterSnapshot>,
  ): Promise<Unanswered<Row, Id>> {
    const { history, observer, store } = this.#parts
    try {
      const [values, { epoch, membership, mayFill }] = await Promise.all([
        store.getManyBytes(reads.map(({ key }) => key)),
        asking,
      ])
      // Without an epoch, writers of rows that they do not know are at work.
      const standing = mayFill ? { epoch, membership } : noEpochs
      for (const read of reads) read.standing = standing
      const missed = reads.filter((_, i) => values[i] === null)
      if (missed.length > 0) observer.misses('not_cached', missed.length)
      for (const { rowId } of missed) history.missed(rowId, 'not_cached')
      if (missed.length > 0) observer.reads('store', 'miss', missed.length)
      const useless = missed.length === reads.length ? none : this.#decode(reads, values, epoch, membership)
      return { missed, failed: [], useless }
    } catch {
      observer.reads('store', 'error', reads.length)
      observer.misses('store_error', reads.length)
      for (const read of reads) {
        read.standing = noEpochs
        history.missed(read.rowId, 'store_error')
      }
      return { missed: [], failed: reads, useless: none }
    }
  }

  /** @returns the reads whose values are of no use */
  async #decode(
    reads: readonly Read<Row, Id>[],
    values: readonly (Buffer | null)[],
    epoch: string | null,
    membership: string | null,
  ): Promise<readonly Read<Row, Id>[]> {
    const { auditor, codec, history, largePayloads, observer, onDecoded, onDue, slicer } = this.#parts
    const useless: Read<Row, Id>[] = []
    let found = 0
    let invalidated = 0
    let expired = 0
    const due: Read<Row, Id>[] = []
    const { refreshAheadMs, staleForMs, pressure } = this.#parts
    // Under pressure what is expired is given as long as it is there: no time to load what is not missing.
    const expiryMatters = (staleForMs > 0 || refreshAheadMs > 0) && pressure.value < tooMuch
    const start = envelopeStart(codec.fingerprint, epoch)
    const absenceStart = envelopeStart(codec.fingerprint, membership)
    const decode = (read: Read<Row, Id>, i: number): void => {
      const bytes = values[i]
      if (!bytes) return
      found++
      let textStart = openEnvelope(bytes, start)
      const isRow = textStart > 0 && !isNegativeEntry(bytes, textStart)
      if (!isRow && textStart !== 0) textStart = openEnvelope(bytes, absenceStart)
      let row: Row | null | Undecodable = undecodable
      if (isRow) row = this.#rowAt(bytes, textStart, read.rowId)
      else if (textStart > 0 && isNegativeEntryOf(bytes, textStart, read.rowId)) row = null
      const isInvalidated = textStart < 0 && isEnvelopeOf(bytes, codec.fingerprint)
      if (isInvalidated) invalidated++
      largePayloads.notice(bytes.length)
      if (row === undecodable) {
        loadOf(read).isReplacing = true
        useless.push(read)
        history.missed(read.rowId, isInvalidated ? 'invalidated' : 'undecodable')
      } else if (expiryMatters && this.#isExpired(read, row, bytes, expiryOf(bytes, textStart), due)) {
        expired++
        useless.push(read)
        history.missed(read.rowId, 'expired')
      } else {
        auditor?.hit(read, bytes, textStart)
        onDecoded(read, row, bytes.length)
      }
    }
    await slicer.each(reads, decode, (seconds) => observer.syncSeconds('decode', seconds))
    const count = (reason: MissReason, misses: number): void => {
      if (misses > 0) observer.misses(reason, misses)
    }
    count('invalidated', invalidated)
    count('expired', expired)
    count('undecodable', useless.length - invalidated - expired)
    if (due.length > 0) onDue(due)
    if (useless.length > 0) observer.reads('store', 'miss', useless.length)
    if (useless.length < found) observer.reads('store', 'hit', found - useless.length)
    return useless
  }

  /** A row of another id came here by no fault of ours, and must not go further. */
  #rowAt(bytes: Buffer, textStart: number, rowId: RowId): Row | Undecodable {
    const { codec, keys } = this.#parts
    const row = codec.decodeUtf8(bytes, textStart)
    return row !== undecodable && row && keys.isRow(row, rowId) ? row : undecodable
  }

  /** Whether the time of a row is over, which is kept in case there is no other; if not, whether it is due soon. */
  #isExpired(
    read: Read<Row, Id>,
    row: Row | null,
    bytes: Buffer,
    expiresMs: number,
    due: Read<Row, Id>[],
  ): boolean {
    const leftMs = expiresMs - Date.now()
    if (leftMs <= 0) {
      const load = loadOf(read)
      load.isReplacing = true
      load.expired = { row, value: bytes.toString() }
      return true
    }
    if (leftMs <= this.#parts.refreshAheadMs && row !== null) due.push(read)
    return false
  }
}

/** Pressure from which on rows are not loaded only because of their age. */
const tooMuch = 0.5

/** For work whose time is told nobody. */
const untold = (): void => {}

const none: Promise<readonly never[]> = Promise.resolve([])

/** Reads by shard, and in it by bucket: those of one bucket are one command of a cluster. */
function shardsOf<Row, Id>(
  reads: readonly Read<Row, Id>[],
  store: Store,
): (readonly (readonly Read<Row, Id>[])[])[] {
  const { shardOf } = store
  if (!shardOf) return [[reads]]
  const buckets = Map.groupBy(reads, ({ key }) => bucketOf(key))
  return [...Map.groupBy(buckets.values(), ([first]) => shardOf(first!.key)).values()]
}

/** Chunks of lists that stay together as far as they fit. */
function chunksOf<T>(lists: readonly (readonly T[])[]): (readonly T[])[] {
  const chunks: T[][] = []
  for (const list of lists.flatMap(cut)) {
    const last = chunks.at(-1)
    if (last && last.length + list.length <= chunkSize) last.push(...list)
    else chunks.push([...list])
  }
  return chunks
}

function cut<T>(items: readonly T[]): (readonly T[])[] {
  const count = Math.ceil(items.length / chunkSize)
  return Array.from({ length: count }, (_, i) => items.slice(i * chunkSize, (i + 1) * chunkSize))
}
