import { FenceError } from '../errors.js'
import type { Backplane } from './backplane.js'
import type { GuardedKey, RegisterScope, Store } from '../store/store.js'
import type { Identity } from './identity.js'
import type { RegisterWriter } from './register-writer.js'
import { Unsettled } from './unsettled.js'

/** How writes are kept in step with the cache. Times are milliseconds. */
export interface ConsistencySettings {
  /** When the store does not take a fence: `'available'` writes all the same, `'strict'` refuses the write. */
  readonly mode: 'available' | 'strict'
  /** How long a fence stands at most: longer than any commit takes. */
  readonly fenceMs: number
  /** How long a lease holds: longer than most loads take. */
  readonly leaseMs: number
  /** How long a read waits for another process's load, before it loads the row itself. */
  readonly leaseWaitMs: number
  /** How long rows are not stored after a write, as the database that is read from may be behind. */
  readonly replicaLagMs: number
}

/** What is told of writes; see the observer of a cache. */
export interface WriteObserver {
  fences(outcome: FenceOutcome, count: number): void
  /** From fence to settle. */
  fenceSeconds(seconds: number): void
  /** A write that took longer than half the time for which its fence stands. */
  slowCommits(count: number): void
  /** A write that counts as one of all rows; the reason is a fixed word. */
  unknownWrites(reason: string): void
}
export type FenceOutcome = 'fenced' | 'settled' | 'unknown_end' | 'store_error'

export interface ModelWritesParts {
  readonly name: string
  readonly store: Store
  readonly register: RegisterWriter
  /** Fingerprints whose rows may be in the store, as far as is known now. */
  readonly fingerprints: () => readonly string[]
  /** Finds out whether there are others. Rejects when the store does not answer. */
  readonly askForFingerprints: () => Promise<void>
  /** Tells other processes, where the store has such a thing. */
  readonly backplane: Backplane | undefined
  readonly consistency: ConsistencySettings
  /** Where rows of a fingerprint stand. */
  readonly guardedKey: (row: Identity, fingerprint: string) => GuardedKey
  /** Told of rows that this process must not keep or go on loading for anybody who asks from now on. */
  readonly onTouched: (rows: readonly Identity[]) => void
  /** The same of rows that are not known: of all, or of those that were not there. */
  readonly onAllTouched: (scope: RegisterScope) => void
  readonly observer: WriteObserver
  readonly warn: (message: string) => void
  readonly info: (message: string) => void
}

/**
 * Keeps the store in step with writes of one model: FENCE before a commit, SETTLE after it. In between, and after a
 * process that ended in between, no row of those that are written is in the store, whatever its schema version, and
 * none can be stored.
 */
export class ModelWrites {
  readonly #parts: ModelWritesParts
  readonly #unsettled: Unsettled

  constructor(parts: ModelWritesParts) {
    this.#parts = parts
    this.#unsettled = new Unsettled({
      ...parts,
      settleRows: (rows, holdMs) => this.#settleStored(rows, '', holdMs),
      settleModel: (holdMs) => this.#settleModel('', 'all', holdMs),
    })
  }

  /** Whether rows have to be read from their source, as an invalidation has not reached the store. */
  get unsettled(): Pick<Unsettled, 'isEmpty' | 'has'> {
    return this.#unsettled
  }

  /** @throws FenceError in strict mode, when the store does not take it */
  async fence(rows: readonly Identity[], token: string): Promise<void> {
    for (const part of partsOf(rows)) await this.#fence(part, token)
  }

  /**
   * Never rejects: what the store does not take is tried until it does, and this process passes it by for these rows until then.
   *
   * @param token of the fence; `''` where there was none
   * @param end where it is unknown, the database may still commit: the fence stands for another `fenceMs` from now on
   */
  async settle(rows: readonly Identity[], token: string, end: 'known' | 'unknown' = 'known'): Promise<void> {
    for (const part of partsOf(rows)) await this.#settle(part, token, end)
  }

  /** Like {@link fence}, for a write to rows that are not known; with the scope `'membership'` only ones that it creates. */
  async fenceAll(token: string, scope: RegisterScope): Promise<void> {
    const { backplane, consistency, onAllTouched, register } = this.#parts
    onAllTouched(scope)
    try {
      await register.fence(token, consistency.fenceMs, scope)
      await backplane?.publishAll(scope)
    } catch (error) {
      this.#unsettled.addAll()
      this.#refuse(error)
    } finally {
      onAllTouched(scope)
    }
  }

  /** Like {@link settle}, for a write to rows that are not known. */
  async settleAll(token: string, scope: RegisterScope, end: 'known' | 'unknown' = 'known'): Promise<void> {
    const { observer, onAllTouched } = this.#parts
    const holdMs = this.#holdMsAfter(end)
    onAllTouched(scope)
    try {
      await this.#settleModel(token, scope, holdMs)
    } catch {
      observer.fences('store_error', 1)
      this.#unsettled.addAll(holdMs)
    }
    onAllTouched(scope)
  }

  /** Told how long a fence stood. */
  observeFence(seconds: number): void {
    const { consistency, observer } = this.#parts
    observer.fenceSeconds(seconds)
    if (seconds * 2_000 > consistency.fenceMs) observer.slowCommits(1)
  }

  /** Records a write of more rows than are fenced one by one. */
  observeUnbounded(): void {
    this.#parts.observer.unknownWrites('unbounded')
  }

  /** For the end of the process. */
  stop(): Promise<void> {
    return this.#unsettled.stop()
  }

  async #fence(rows: readonly Identity[], token: string): Promise<void> {
    const { backplane, consistency, onTouched, store } = this.#parts
    // Before, so that no answer of the store overtakes it; and after, as one may have been on its way.
    onTouched(rows)
    const fence = (prints: readonly string[]): Promise<void> =>
      store.fenceMany(this.#keysOf(rows, prints), token, consistency.fenceMs, consistency.leaseMs)
    try {
      await this.#forAllFingerprints(fence)
      await backplane?.publishRows(rows)
      this.#parts.observer.fences('fenced', rows.length)
    } catch (error) {
      this.#unsettled.add(rows)
      this.#refuse(error)
    } finally {
      onTouched(rows)
    }
  }

  async #settle(rows: readonly Identity[], token: string, end: 'known' | 'unknown'): Promise<void> {
    const { observer, onTouched } = this.#parts
    const holdMs = this.#holdMsAfter(end)
    onTouched(rows)
    try {
      await this.#settleStored(rows, token, holdMs)
      observer.fences(end === 'known' ? 'settled' : 'unknown_end', rows.length)
    } catch {
      observer.fences('store_error', rows.length)
      this.#unsettled.add(rows, holdMs)
    }
    onTouched(rows)
  }

  /** How long fences stay after the end of a write. */
  #holdMsAfter(end: 'known' | 'unknown'): number {
    const { fenceMs, replicaLagMs } = this.#parts.consistency
    return end === 'known' ? replicaLagMs : fenceMs + replicaLagMs
  }

  async #settleModel(token: string, scope: RegisterScope, holdMs: number): Promise<void> {
    const { backplane, register } = this.#parts
    await register.settle(token, holdMs, scope)
    await backplane?.publishAll(scope)
  }

  async #settleStored(rows: readonly Identity[], token: string, holdMs: number): Promise<void> {
    const { backplane, consistency, store } = this.#parts
    const settle = (prints: readonly string[]): Promise<void> =>
      store.settleMany(this.#keysOf(rows, prints), token, holdMs, consistency.leaseMs)
    await this.#forAllFingerprints(settle)
    // Only now: who hears of it asks the store, which must not have the old row any more.
    await backplane?.publishRows(rows)
  }

  /**
   * Does something for the fingerprints that are known, looks side by side whether there are others by now, and does it for
   * these as well. So it misses none that was there before.
   */
  async #forAllFingerprints(run: (fingerprints: readonly string[]) => Promise<void>): Promise<void> {
    const { askForFingerprints, fingerprints } = this.#parts
    const known = fingerprints()
    await Promise.all([run(known), askForFingerprints()])
    const others = fingerprints().filter((fingerprint) => !known.includes(fingerprint))
    if (others.length > 0) await run(others)
  }

  #keysOf(rows: readonly Identity[], fingerprints: readonly string[]): GuardedKey[] {
    const { guardedKey } = this.#parts
    return fingerprints.flatMap((fingerprint) => rows.map((row) => guardedKey(row, fingerprint)))
  }

  #refuse(error: unknown): void {
    const { consistency, name, observer } = this.#parts
    observer.fences('store_error', 1)
    if (consistency.mode === 'strict') throw new FenceError(name, error)
  }
}

/**
 * Rows that are fenced or settled together, at most: few enough for the store to take them within its deadline, and for the event
 * loop to go on with others in between.
 */
const rowsPerPart = 1_000

function* partsOf(rows: readonly Identity[]): Generator<readonly Identity[]> {
  for (let i = 0; i < rows.length; i += rowsPerPart) yield rows.slice(i, i + rowsPerPart)
}
