import { FenceError } from '../errors.js'
import type { Backplane } from './backplane.js'
import type { GuardedKey, RegisterScope, Store } from '../store/store.js'
import type { RowId } from './row-id.js'
import type { RegisterWriter } from './register-writer.js'
import { PendingInvalidations } from './pending-invalidations.js'

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
  /** From fence to release. */
  fenceSeconds(seconds: number): void
  /** A write that took longer than half the time for which its fence stands. */
  slowCommits(count: number): void
  /** A write that counts as one of all rows; the reason is a fixed word. */
  unknownWrites(reason: string): void
}
export type FenceOutcome = 'fenced' | 'released' | 'unknown_end' | 'store_error'

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
  readonly guardedKey: (row: RowId, fingerprint: string) => GuardedKey
  /** Told of rows that this process must not keep or go on loading for anybody who asks from now on. */
  readonly onWritten: (rows: readonly RowId[]) => void
  /** The same of rows that are not known: of all, or of those that were not there. */
  readonly onAllWritten: (scope: RegisterScope) => void
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
  readonly #pending: PendingInvalidations

  constructor(parts: ModelWritesParts) {
    this.#parts = parts
    this.#pending = new PendingInvalidations({
      ...parts,
      releaseRows: (rows, holdMs) => this.#releaseStored(rows, '', holdMs),
      releaseModel: (holdMs) => this.#releaseModel('', 'all', holdMs),
    })
  }

  /** Whether rows have to be read from their source, as an invalidation has not reached the store. */
  get pending(): Pick<PendingInvalidations, 'isEmpty' | 'has'> {
    return this.#pending
  }

  /** @throws FenceError in strict mode, when the store does not take it */
  async fence(rows: readonly RowId[], token: string): Promise<void> {
    for (const part of partsOf(rows)) await this.#fence(part, token)
  }

  /**
   * Never rejects: what the store does not take is tried until it does, and this process passes it by for these rows until then.
   *
   * @param token of the fence; `''` where there was none
   * @param end where it is unknown, the database may still commit: the fence stands for another `fenceMs` from now on
   */
  async release(rows: readonly RowId[], token: string, end: 'known' | 'unknown' = 'known'): Promise<void> {
    for (const part of partsOf(rows)) await this.#release(part, token, end)
  }

  /** Like {@link fence}, for a write to rows that are not known; with the scope `'membership'` only ones that it creates. */
  async fenceAll(token: string, scope: RegisterScope): Promise<void> {
    const { backplane, consistency, onAllWritten, register } = this.#parts
    onAllWritten(scope)
    try {
      await register.fence(token, consistency.fenceMs, scope)
      await backplane?.publishAll(scope)
    } catch (error) {
      this.#pending.addAll()
      this.#refuse(error)
    } finally {
      onAllWritten(scope)
    }
  }

  /** Like {@link release}, for a write to rows that are not known. */
  async releaseAll(token: string, scope: RegisterScope, end: 'known' | 'unknown' = 'known'): Promise<void> {
    const { observer, onAllWritten } = this.#parts
    const holdMs = this.#holdMsAfter(end)
    onAllWritten(scope)
    try {
      await this.#releaseModel(token, scope, holdMs)
    } catch {
      observer.fences('store_error', 1)
      this.#pending.addAll(holdMs)
    }
    onAllWritten(scope)
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
    return this.#pending.stop()
  }

  async #fence(rows: readonly RowId[], token: string): Promise<void> {
    const { backplane, consistency, onWritten, store } = this.#parts
    // Before, so that no answer of the store overtakes it; and after, as one may have been on its way.
    onWritten(rows)
    const fence = (prints: readonly string[]): Promise<void> =>
      store.fenceMany(this.#keysOf(rows, prints), token, consistency.fenceMs, consistency.leaseMs)
    try {
      await this.#forAllFingerprints(fence)
      await backplane?.publishRows(rows)
      this.#parts.observer.fences('fenced', rows.length)
    } catch (error) {
      this.#pending.add(rows)
      this.#refuse(error)
    } finally {
      onWritten(rows)
    }
  }

  async #release(rows: readonly RowId[], token: string, end: 'known' | 'unknown'): Promise<void> {
    const { observer, onWritten } = this.#parts
    const holdMs = this.#holdMsAfter(end)
    onWritten(rows)
    try {
      await this.#releaseStored(rows, token, holdMs)
      observer.fences(end === 'known' ? 'released' : 'unknown_end', rows.length)
    } catch {
      observer.fences('store_error', rows.length)
      this.#pending.add(rows, holdMs)
    }
    onWritten(rows)
  }

  /** How long fences stay after the end of a write. */
  #holdMsAfter(end: 'known' | 'unknown'): number {
    const { fenceMs, replicaLagMs } = this.#parts.consistency
    return end === 'known' ? replicaLagMs : fenceMs + replicaLagMs
  }

  async #releaseModel(token: string, scope: RegisterScope, holdMs: number): Promise<void> {
    const { backplane, register } = this.#parts
    await register.release(token, holdMs, scope)
    await backplane?.publishAll(scope)
  }

  async #releaseStored(rows: readonly RowId[], token: string, holdMs: number): Promise<void> {
    const { backplane, consistency, store } = this.#parts
    const release = (prints: readonly string[]): Promise<void> =>
      store.releaseFences(this.#keysOf(rows, prints), token, holdMs, consistency.leaseMs)
    await this.#forAllFingerprints(release)
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

  #keysOf(rows: readonly RowId[], fingerprints: readonly string[]): GuardedKey[] {
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
 * Rows that are fenced or released together, at most: few enough for the store to take them within its deadline, and for the event
 * loop to go on with others in between.
 */
const rowsPerPart = 1_000

function* partsOf(rows: readonly RowId[]): Generator<readonly RowId[]> {
  for (let i = 0; i < rows.length; i += rowsPerPart) yield rows.slice(i, i + rowsPerPart)
}
