import { emptySnapshot, isLong, type RowId } from '../../protocol/index.js'
import { hasCode } from '../../errors.js'
import { copyByValue } from '../../codec/codec.js'
import type { CacheContext } from '../context.js'
import type { InvalidationMoment } from '../invalidation-clock.js'
import { type Epochs, fillEpochsOf } from '../read/read.js'
import type { Filler } from './filler.js'

/** Milliseconds in which rows are encoded at once, when an application gives them. */
const atOnceMs = 1

/** Stores rows that the application has read already, unless they may have been written since. */
export class Primer<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  readonly #filler: Filler<Row, Id>

  constructor(context: CacheContext<Row, Id>, filler: Filler<Row, Id>) {
    this.#context = context
    this.#filler = filler
  }

  /**
   * Takes rows as they are at the call: the application may change them later, and would have stored what the database never had.
   *
   * @throws InvalidIdError, ModelCacheError (`E_ENCODE`)
   */
  async store(given: readonly Row[]): Promise<void> {
    const { coherence, model, runtime, telemetry } = this.#context
    const rows = given.filter((row) => !isLong(model.keys.rowIdOf(row)))
    const loadedAtMs = performance.now()
    const since = coherence.clock.now()
    const rowIds = rows.map(model.keys.rowIdOf)
    const payloads: string[] = []
    try {
      const encode = (row: Row): void => void payloads.push(model.codec.encode(row))
      await runtime.slicer.each(this.#takeRows(rows, encode), encode, this.#observe)
    } catch (error) {
      if (!hasCode(error, 'E_CODEC_PROOF')) throw error
      // The cache stores nothing, and has logged why.
      telemetry.observer.fills('refused', rows.length)
      return
    }
    const snapshot = await coherence.register.readForLoaded().catch(() => emptySnapshot)
    await this.#store({ rowIds, payloads, since, loadedAtMs, epochs: fillEpochsOf(snapshot) })
  }

  /**
   * Encodes rows for a moment, and copies the others, which takes less time.
   *
   * @returns the copies, which are to be encoded in time slices
   */
  #takeRows(rows: readonly Row[], encode: (row: Row) => void): readonly Row[] {
    const { codec } = this.#context.model
    const startedAtMs = performance.now()
    let encoded = 0
    while (encoded < rows.length && performance.now() - startedAtMs < atOnceMs) encode(rows[encoded++]!)
    // Without fields that the schema lacks, which may be computed, or lead to all rows. Not by the schema: the copy of a row
    // that does not match it might match it.
    const copies = rows.slice(encoded).map((row) => copyByValue(codec.normalize(row)))
    this.#observe((performance.now() - startedAtMs) / 1_000)
    return copies
  }

  /**
   * Encodes rows that the cache has loaded itself, without those that are not stored: they do not match their schema, or have long ids.
   * Never throws.
   *
   * @param loadedAtMs when their query began, in milliseconds of `performance.now()`
   * @param epochs that were read before their query
   * @param keep called with each row that the store has taken, and its payload's length
   * @returns stores them, unless too much time has passed since then; the answer is `'written'` if one may have been written meanwhile
   */
  async prepare(
    rows: readonly Row[],
    loadedAtMs: number,
    epochs: RowEpochs,
    keep?: (rowId: RowId, row: Row, length: number) => void,
  ): Promise<() => Promise<'written' | 'stored'>> {
    const { coherence, model, runtime } = this.#context
    const filler = this.#filler
    const since = coherence.clock.now()
    const rowIds: RowId[] = []
    const payloads: string[] = []
    const encoded: Row[] = []
    const encode = (row: Row): void => {
      const rowId = model.keys.rowIdOf(row)
      if (isLong(rowId)) return
      const payload = filler.encodeLoaded(row)
      if (payload === undefined) return
      rowIds.push(rowId)
      payloads.push(payload)
      encoded.push(row)
    }
    await runtime.slicer.each(rows, encode, this.#observe)
    const onStored = keep && ((i: number): void => keep(rowIds[i]!, encoded[i]!, payloads[i]!.length))
    return async () => {
      const outcome = await this.#store({ rowIds, payloads, since, loadedAtMs, epochs, onStored })
      // Nobody knows of those that are never stored.
      return rowIds.length < rows.length ? 'written' : outcome
    }
  }

  async #store(stored: EncodedRows): Promise<'written' | 'stored'> {
    const { rowIds, payloads, since, loadedAtMs, onStored } = stored
    const { epoch, leaseUntilMs } = stored.epochs
    if (rowIds.length === 0) return 'stored'
    const { coherence, model, runtime, telemetry } = this.#context
    const filler = this.#filler
    if (epoch === null) {
      telemetry.observer.fills('not_leased', rowIds.length)
      return 'written'
    }
    const guarded = rowIds.map((rowId) => model.keys.guardedKeyOf(rowId, model.codec.fingerprint))
    const answers = await coherence.leases.takeForLoaded(guarded, loadedAtMs, leaseUntilMs)
    let refused = 0
    let evicting = 0
    let outcome: 'written' | 'stored' = 'stored'
    const add = (rowId: RowId, i: number): void => {
      const { token, refusal } = answers[i]!
      const holder = { ...guarded[i]!, rowId, token, since }
      if ((refusal !== null && refusal !== 'leased' && refusal !== 'filled') || coherence.pending.has(rowId))
        outcome = 'written'
      if (refusal === 'evicting') evicting++
      else if (refusal !== null) refused++
      else if (coherence.pending.has(rowId)) filler.release(holder)
      else {
        const keep = onStored && ((isStored: boolean): void => void (isStored && onStored(i)))
        filler.add({ holder, payload: payloads[i]!, epoch, isBrief: false, onStored: keep })
      }
    }
    await runtime.slicer.each(rowIds, add, this.#observe)
    if (refused > 0) telemetry.observer.fills('not_leased', refused)
    if (evicting > 0) telemetry.observer.fills('evicting', evicting)
    await filler.flush()
    return outcome
  }

  readonly #observe = (seconds: number): void =>
    this.#context.telemetry.observer.syncSeconds('encode', seconds)
}

/** What rows are stored under. */
type RowEpochs = Pick<Epochs, 'epoch' | 'leaseUntilMs'>

interface EncodedRows {
  readonly rowIds: readonly RowId[]
  readonly payloads: readonly string[]
  /** Time of the invalidation clock before the rows were encoded. */
  readonly since: InvalidationMoment
  /** When the rows were read at the earliest, in milliseconds of `performance.now()`. */
  readonly loadedAtMs: number
  readonly epochs: RowEpochs
  /** Called with the place of each row that the store has taken. */
  readonly onStored?: ((place: number) => void) | undefined
}
