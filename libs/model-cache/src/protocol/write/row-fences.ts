import { FenceError } from '../../errors.js'
import { chunksOf } from '../backend/chunks.js'
import type { ConsistencySettings } from '../settings.js'
import type { GuardedKey, RegisterChange, RegisterScope, Store } from '../backend/store.js'
import { handled } from './handled.js'
import type { Backplane } from '../backplane.js'
import type { OperatorLog } from '../operator-log.js'
import {
  PendingInvalidations,
  type PendingRows,
  type Releases,
  rowsPerPart,
} from './pending-invalidations.js'
import { isLong, type RowId } from '../format/row-id.js'
import type { WriteSource } from '../backplane.js'

/** The part of a cache's observer that counts writes. */
export interface WriteObserver {
  fences(outcome: FenceOutcome, count: number): void
  /** How long a fence stood, from fence to release. */
  fenceSeconds(seconds: number): void
  /** A write that took more than half of the time that its fence stands. */
  slowCommits(count: number): void
  /** A write that counts as a write to all rows; the reason is a metric label. */
  unknownWrites(reason: string): void
}
export type FenceOutcome = 'fenced' | 'released' | 'unknown_end' | 'store_error'

export interface RowFencesOptions {
  /** The cache's name, for messages. */
  readonly name: string
  readonly store: Store
  readonly keys: {
    /** The key and guard of a row under a fingerprint. */
    guardedKeyOf(row: RowId, fingerprint: string): GuardedKey
  }
  readonly registerKey: string
  /** Announces writes to other processes, if the store carries messages. */
  readonly backplane: Backplane | undefined
  readonly fingerprints: StoredFingerprints
  readonly consistency: ConsistencySettings
  readonly listener: WriteListener
  readonly observer: WriteObserver
  readonly log: OperatorLog
}

/** The fingerprints whose rows may be in the store. */
export interface StoredFingerprints {
  /** Returns the fingerprints that are known now. */
  current(): readonly string[]
  /** Checks whether there are others. Rejects if the store does not answer. */
  refresh(): Promise<void>
}

/** Invalidates what this process holds of written rows. */
export interface WriteListener {
  /** Called with rows that this process must not keep, and whose running loads must not answer reads from now on. */
  onWritten(rows: readonly RowId[], source: WriteSource): void
  /** Called with unknown rows: all of them, or created ones. */
  onAllWritten(scope: RegisterScope): void
}

/**
 * Keeps the store consistent with writes to one model: fences rows before a commit and releases them after it. In between, even
 * if the process dies in between, the store holds none of the written rows, of any schema version, and
 * accepts none.
 */
export class RowFences {
  readonly #options: RowFencesOptions
  readonly #pending: PendingInvalidations
  readonly #releasing = new Set<Promise<void>>()
  /** The tokens of writes that are committed without a fence, with the reasons. What the store takes before their end does not count. */
  readonly #unfenced = new Map<string, unknown>()

  constructor(options: RowFencesOptions) {
    this.#options = options
    const release: Releases = {
      rows: (rows, holdMs) => this.#releaseStored(rows, '', holdMs, 'client'),
      model: (holdMs) => this.#releaseModel('', 'all', holdMs),
    }
    this.#pending = new PendingInvalidations(options.name, release, options.log)
  }

  get pending(): PendingRows {
    return this.#pending
  }

  /** @throws FenceError in strict mode if the store does not accept the fence */
  fence(rows: readonly RowId[], token: string): Promise<void> {
    return inParts(rows, (part) => this.#fence(part, token))
  }

  /**
   * Never rejects: the process retries what the store does not accept, and bypasses the store for these rows meanwhile. When the call
   * returns, this process holds none of the rows.
   *
   * @param token of the fence; `''` if there was none
   * @param end if unknown, the database may still commit, and the fence stands for another `fenceMs`
   */
  release(
    rows: readonly RowId[],
    token: string,
    end: 'known' | 'unknown' = 'known',
    source: WriteSource = 'client',
  ): Promise<void> {
    this.#options.listener.onWritten(rows, source)
    if (this.#unfenced.has(token))
      this.#pending.add(storable(rows), this.#unfenced.get(token), this.#holdMsAfter(end))
    return this.#track(
      inParts(rows, (part) => this.#release(part, token, end, source)),
      token,
    )
  }

  /**
   * The write has ended, and its fences stand until {@link release} is called. Where the store has refused them, the process bypasses it for
   * the rows, which must not be stored for another `fenceMs` once it takes them.
   */
  hold(rows: readonly RowId[], token: string): void {
    if (!this.#unfenced.has(token)) return
    this.#options.listener.onWritten(rows, 'client')
    this.#pending.add(storable(rows), this.#unfenced.get(token), this.#holdMsAfter('unknown'))
  }

  /** Like {@link fence}, for unknown rows; with the scope `'existence'` for rows that the write creates. */
  async fenceAll(token: string, scope: RegisterScope): Promise<void> {
    this.#options.listener.onAllWritten(scope)
    try {
      const { backplane, consistency } = this.#options
      const { fenceMs, leaseMs: markMs, replicas } = consistency
      const announcement = backplane?.announcementOfAll(scope, replicas)
      await this.#change({ kind: 'fence', scope, token, fenceMs, markMs, replicas, announcement })
    } catch (error) {
      this.#pending.addAll(error)
      this.#refuse(token, error)
    } finally {
      this.#options.listener.onAllWritten(scope)
    }
  }

  /** Like {@link release}, for unknown rows. */
  releaseAll(token: string, scope: RegisterScope, end: 'known' | 'unknown' = 'known'): Promise<void> {
    this.#options.listener.onAllWritten(scope)
    if (this.#unfenced.has(token)) this.#pending.addAll(this.#unfenced.get(token), this.#holdMsAfter(end))
    return this.#track(this.#releaseAll(token, scope, end), token)
  }

  /** Like {@link hold}, for unknown rows. */
  holdAll(token: string, scope: RegisterScope): void {
    if (!this.#unfenced.has(token)) return
    this.#options.listener.onAllWritten(scope)
    this.#pending.addAll(this.#unfenced.get(token), this.#holdMsAfter('unknown'))
  }

  async #releaseAll(token: string, scope: RegisterScope, end: 'known' | 'unknown'): Promise<void> {
    const holdMs = this.#holdMsAfter(end)
    try {
      await this.#releaseModel(token, scope, holdMs)
    } catch (error) {
      this.#options.observer.fences('store_error', 1)
      this.#pending.addAll(error, holdMs)
    }
    this.#options.listener.onAllWritten(scope)
  }

  /** Records how long a fence stood. */
  observeFence(seconds: number): void {
    this.#options.observer.fenceSeconds(seconds)
    if (seconds * 2_000 > this.#options.consistency.fenceMs) this.#options.observer.slowCommits(1)
  }

  /** Records a write of more rows than are fenced one by one. */
  observeUnbounded(): void {
    this.#options.observer.unknownWrites('unbounded')
  }

  /** Resolves once fences that are being released have been, or their invalidation is pending. */
  async released(): Promise<void> {
    await Promise.all(this.#releasing)
  }

  /** Resolves once no invalidation is pending. Rejects if the process ends before that. */
  settled(): Promise<void> {
    return this.#pending.settled()
  }

  /** Call it when the process ends: waits for fences that are being released, and tries pending invalidations once more. */
  async stop(): Promise<void> {
    await this.released()
    await this.#pending.stop()
  }

  #track(releasing: Promise<void>, token: string): Promise<void> {
    this.#releasing.add(releasing)
    void releasing.then(() => {
      this.#releasing.delete(releasing)
      this.#unfenced.delete(token)
    })
    return releasing
  }

  async #fence(rows: readonly RowId[], token: string): Promise<void> {
    // Before, so that no answer of the store overtakes it, and again afterwards, because one may have been on its way.
    this.#options.listener.onWritten(rows, 'client')
    try {
      await this.#forAllFingerprints((fingerprints) => this.#fenceStored(rows, fingerprints, token))
      this.#options.observer.fences('fenced', rows.length)
    } catch (error) {
      this.#pending.add(rows, error)
      this.#refuse(token, error)
    } finally {
      this.#options.listener.onWritten(rows, 'client')
    }
  }

  async #release(
    rows: readonly RowId[],
    token: string,
    end: 'known' | 'unknown',
    source: WriteSource,
  ): Promise<void> {
    const holdMs = this.#holdMsAfter(end)
    try {
      await this.#releaseStored(rows, token, holdMs, source)
      this.#options.observer.fences(end === 'known' ? 'released' : 'unknown_end', rows.length)
    } catch (error) {
      this.#options.observer.fences('store_error', rows.length)
      this.#pending.add(rows, error, holdMs)
    }
    this.#options.listener.onWritten(rows, source)
  }

  /**
   * How many replicas must have acknowledged a release. A replica that lacks the release of a fence has that fence until its deadline, which
   * does as well.
   */
  #replicasOfRelease(token: string, holdMs: number): number {
    return token === '' || holdMs > 0 ? this.#options.consistency.replicas : 0
  }

  /** How long fences stay after the end of a write. */
  #holdMsAfter(end: 'known' | 'unknown'): number {
    const { fenceMs, replicaLagMs } = this.#options.consistency
    return end === 'known' ? replicaLagMs : fenceMs + replicaLagMs
  }

  async #releaseModel(token: string, scope: RegisterScope, holdMs: number): Promise<void> {
    const { backplane, consistency } = this.#options
    const replicas = this.#replicasOfRelease(token, holdMs)
    const announcement = backplane?.announcementOfAll(scope, replicas)
    const markMs = consistency.leaseMs
    await this.#change({ kind: 'release', scope, token, holdMs, markMs, replicas, announcement })
  }

  async #change(change: RegisterChange): Promise<void> {
    const { backplane, registerKey, store } = this.#options
    const { isAnnounced } = await store.change(registerKey, change)
    if (!isAnnounced) backplane?.warnOfForbidden()
  }

  async #releaseStored(
    rows: readonly RowId[],
    token: string,
    holdMs: number,
    source: WriteSource,
  ): Promise<void> {
    const replicas = this.#replicasOfRelease(token, holdMs)
    const release = async (fingerprints: readonly string[]): Promise<void> => {
      const keys = this.#keysOf(rows, fingerprints)
      const announcement = this.#options.backplane?.announcementOf(rows, source, replicas)
      const isAnnounced = await this.#options.store.releaseFences(keys, {
        token,
        holdMs,
        markMs: this.#options.consistency.leaseMs,
        announcement,
        replicas,
      })
      if (!isAnnounced) this.#options.backplane?.warnOfForbidden()
    }
    // A fence has looked for other fingerprints. One that is described later stores nothing until the write has ended.
    if (token === '') await this.#forAllFingerprints(release)
    else await release(this.#options.fingerprints.current())
  }

  /** The command announces the rows when it is done: a process that hears of them reads the store, which must not have the old ones. */
  async #fenceStored(rows: readonly RowId[], fingerprints: readonly string[], token: string): Promise<void> {
    const { fenceMs, leaseMs, replicas } = this.#options.consistency
    const keys = this.#keysOf(rows, fingerprints)
    const announcement = this.#options.backplane?.announcementOf(rows, 'client', replicas)
    const isAnnounced = await this.#options.store.fenceMany(keys, {
      token,
      fenceMs,
      markMs: leaseMs,
      announcement,
      replicas,
    })
    if (!isAnnounced) this.#options.backplane?.warnOfForbidden()
  }

  /**
   * Runs a command for the known fingerprints, checks at the same time whether there are others, and runs it for
   * these as well. So it misses no fingerprint that existed before.
   */
  async #forAllFingerprints(run: (fingerprints: readonly string[]) => Promise<void>): Promise<void> {
    const known = this.#options.fingerprints.current()
    const running = run(known)
    const refreshing = handled(this.#options.fingerprints.refresh())
    await running
    await refreshing
    const all = this.#options.fingerprints.current()
    if (all === known) return
    const others = all.filter((fingerprint) => !known.includes(fingerprint))
    if (others.length > 0) await run(others)
  }

  #keysOf(rows: readonly RowId[], fingerprints: readonly string[]): GuardedKey[] {
    const found: GuardedKey[] = []
    for (const fingerprint of fingerprints)
      for (const row of rows) found.push(this.#options.keys.guardedKeyOf(row, fingerprint))
    return found
  }

  #refuse(token: string, error: unknown): void {
    this.#options.observer.fences('store_error', 1)
    if (this.#options.consistency.mode === 'strict') throw new FenceError(this.#options.name, error)
    this.#unfenced.set(token, error)
  }
}

/** Runs a command for each part of the rows that may be stored, in sequence. Nearly all writes are of one part. */
function inParts(rows: readonly RowId[], run: (part: readonly RowId[]) => Promise<void>): Promise<void> {
  const parts = chunksOf(storable(rows), rowsPerPart)
  return parts.length === 1 ? run(parts[0]!) : runInTurn(parts, run)
}

function storable(rows: readonly RowId[]): readonly RowId[] {
  return rows.some(isLong) ? rows.filter((row) => !isLong(row)) : rows
}

async function runInTurn(
  parts: readonly (readonly RowId[])[],
  run: (part: readonly RowId[]) => Promise<void>,
): Promise<void> {
  for (const part of parts) await run(part)
}
