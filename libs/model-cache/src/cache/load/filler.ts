import { type Fill, negativeEntryOf, sealEnvelope } from '../../protocol/index.js'
import { hasCode } from '../../errors.js'
import type { CacheContext } from '../context.js'
import type { FillOutcome } from '../telemetry/observer.js'
import type { Leaseholder } from './load.js'

/** A row that is to be stored. */
export interface Entry {
  readonly holder: Leaseholder
  readonly payload: string
  /** Under which the row counts: the epoch, or the existence epoch for a negative entry. */
  readonly epoch: string
  /** Whether it lives only as long as a negative entry. */
  readonly isBrief: boolean
  /** Called when the store has taken the row, or has not. */
  readonly onStored?: ((isStored: boolean) => void) | undefined
}

interface PendingFill extends Fill, Pick<Entry, 'holder' | 'onStored'> {
  /** Whether it stores no row, and only ends the one that is stored. */
  readonly ends?: true
}

/** The part of its ttl by which a row may expire earlier, so that rows that came together do not expire together. */
const jitter = 0.1

/** Fills of one call of the store: few enough for their commands to be made in a fraction of a turn's budget. */
const fillsPerCall = 64

/** Writes rows to the store. A row that cannot be written is counted, and never an error for its reader. */
export class Filler<Row, Id> {
  readonly #context: CacheContext<Row, Id>
  #fills: PendingFill[] = []
  #unused: { readonly key: string; readonly guard: string; readonly token: string }[] = []
  readonly #sending = new Set<Promise<void>>()
  #hasWarned = false

  constructor(context: CacheContext<Row, Id>) {
    this.#context = context
  }

  /** The payload of a row, or of null for a negative entry; undefined where the schema refuses it. */
  encode({ rowId }: Leaseholder, row: Row | null): string | undefined {
    return row === null ? negativeEntryOf(rowId) : this.encodeLoaded(row)
  }

  /** The payload of a row; undefined where the schema refuses it. */
  encodeLoaded(row: Row): string | undefined {
    try {
      return this.#context.model.codec.encode(row)
    } catch (error) {
      this.#warnOfRefusal(error)
      return undefined
    }
  }

  /** Adds a row, whose holder has a lease. Sends rows when there are enough of them. */
  add({ holder, payload, epoch, isBrief, onStored }: Entry): void {
    const { model, policy, telemetry } = this.#context
    const ttlMs = isBrief ? policy.notFoundTtlMs : policy.ttlMs
    const lifeMs = Math.round(ttlMs * (1 - Math.random() * jitter))
    const createdMs = Date.now()
    const times = { createdMs, expiresMs: createdMs + lifeMs }
    const { text: value, bytes } = sealEnvelope(model.codec.fingerprint, epoch, times, payload)
    telemetry.observer.payloadBytes(bytes)
    telemetry.largePayloads.notice(bytes)
    const { key, guard, token } = holder
    const storedMs = lifeMs + (isBrief ? 0 : policy.staleForMs)
    this.#fills.push({ key, guard, token: token!, value, ttlMs: storedMs, holder, onStored })
    if (this.#fills.length >= fillsPerCall) void this.flush()
  }

  /**
   * Ends what is stored of a row of which the source has said something else, that is not stored. What takes its place counts under no
   * epoch, and is gone at once.
   */
  end(holder: Leaseholder): void {
    const { key, guard, rowId, token } = holder
    if (token === null) return
    const nowMs = Date.now()
    const times = { createdMs: nowMs, expiresMs: nowMs }
    const { fingerprint } = this.#context.model.codec
    const { text: value } = sealEnvelope(fingerprint, '', times, negativeEntryOf(rowId))
    this.#fills.push({ key, guard, token, value, ttlMs: 1, holder, ends: true })
  }

  /** Gives up the lease of a row that will not be stored. */
  release({ key, guard, token }: Leaseholder): void {
    if (token !== null) this.#unused.push({ key, guard, token })
  }

  /**
   * Sends what has been added, except rows that were invalidated meanwhile. Resolves when the store has answered for everything
   * that was sent; never rejects.
   */
  async flush(): Promise<void> {
    const { coherence, runtime } = this.#context
    const current: PendingFill[] = []
    const outdated: PendingFill[] = []
    for (const fill of this.#fills) {
      const { rowId, since } = fill.holder
      if (coherence.clock.isCurrent(rowId, since)) current.push(fill)
      else outdated.push(fill)
    }
    this.#fills = []
    this.#count('outdated', rowsIn(outdated))
    for (const { holder, onStored } of outdated) {
      onStored?.(false)
      this.release(holder)
    }
    if (current.length > 0) {
      const sending = runtime.inFlight.track(this.#send(current))
      this.#sending.add(sending)
      void sending.then(() => this.#sending.delete(sending))
    }
    if (this.#unused.length > 0) {
      const unused = Map.groupBy(this.#unused.splice(0), ({ token }) => token)
      for (const [token, keys] of unused) void runtime.inFlight.track(coherence.leases.release(keys, token))
    }
    await Promise.all(this.#sending)
  }

  async #send(fills: readonly PendingFill[]): Promise<void> {
    let areStored: readonly boolean[] = []
    try {
      areStored = await this.#context.model.store.fillMany(fills)
      const stored = rowsIn(fills, areStored)
      this.#count('stored', stored)
      this.#count('lease_lost', rowsIn(fills) - stored)
    } catch {
      this.#count('store_error', rowsIn(fills))
    }
    for (const [i, { onStored }] of fills.entries()) onStored?.(areStored[i] ?? false)
  }

  #count(outcome: FillOutcome, rows: number): void {
    if (rows > 0) this.#context.telemetry.observer.fills(outcome, rows)
  }

  #warnOfRefusal(error: unknown): void {
    const { model, telemetry } = this.#context
    telemetry.observer.fills('refused', 1)
    // A failed proof has been logged, and says more.
    if (this.#hasWarned || hasCode(error, 'E_CODEC_PROOF')) return
    this.#hasWarned = true
    const reason = hasCode(error, 'E_ENCODE') ? error.message : `ModelCache "${model.name}": ${String(error)}`
    telemetry.log.warn(`${reason} The row is served but not cached; further ones are only counted.`)
  }
}

/** The number of fills that store a row, and do not only end one: of all, or of those that the store has taken. */
function rowsIn(fills: readonly PendingFill[], areStored?: readonly boolean[]): number {
  let rows = 0
  for (let i = 0; i < fills.length; i++) if (!fills[i]!.ends && (!areStored || areStored[i])) rows++
  return rows
}
