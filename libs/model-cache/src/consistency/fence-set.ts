import type { RegisterScope } from '../store/store.js'
import type { ModelWrites } from './model-writes.js'
import type { RowId } from './row-id.js'
import { newToken } from './token.js'
import type { WriteSource } from './write-source.js'

/**
 * Maximum number of rows per cache that one write fences one by one. Fencing more would keep the transaction open too long, and
 * invalidating all rows costs readers less.
 */
const maxRows = 10_000

/** The rows of one cache that a write affects. */
interface RowsOfCache {
  readonly unfenced: Set<RowId>
  readonly fenced: Set<RowId>
  /** Unknown rows: all of them, or created ones. */
  readonly scopes: Map<RegisterScope, 'unfenced' | 'fenced'>
}

/** Gathers the rows of each cache that a write or transaction affects, fences them, and releases the fences after its end. */
export class FenceSet {
  readonly #token = newToken()
  readonly #source: WriteSource
  readonly #affected = new Map<ModelWrites, RowsOfCache>()
  #fencedAtMs: number | undefined
  #isOver = false

  constructor(source: WriteSource = 'client') {
    this.#source = source
  }

  /** Whether the write has ended. Whatever continues after that does not belong to it. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether no row is affected. */
  get isEmpty(): boolean {
    return this.#affected.size === 0
  }

  /** Whether all affected rows are fenced. */
  get isFenced(): boolean {
    for (const { unfenced, scopes } of this.#affected.values())
      if (unfenced.size > 0 || [...scopes.values()].includes('unfenced')) return false
    return true
  }

  /** Adds rows of a cache. Above {@link maxRows}, all rows of the model count as written. */
  markWritten(writes: ModelWrites, rows: readonly RowId[]): void {
    const affected = this.#of(writes)
    const { unfenced, fenced, scopes } = affected
    if (scopes.has('all')) return
    for (const row of rows) if (!fenced.has(row)) unfenced.add(row)
    if (fenced.size + unfenced.size <= maxRows) return
    scopes.set('all', 'unfenced')
    unfenced.clear()
    writes.observeUnbounded()
  }

  /**
   * Adds unknown rows of a cache: all, or with the scope `'membership'` created ones.
   *
   * @returns whether they were not in the set yet
   */
  markAllWritten(writes: ModelWrites, scope: RegisterScope): boolean {
    const { scopes } = this.#of(writes)
    if (scopes.has(scope) || scopes.has('all')) return false
    scopes.set(scope, 'unfenced')
    return true
  }

  /**
   * The last step before COMMIT: fences all affected rows that are not fenced yet.
   *
   * @throws FenceError in strict mode if the store does not accept the fence; the write must not be committed then
   */
  async fence(): Promise<void> {
    this.#fencedAtMs ??= performance.now()
    const fences = Array.from(this.#affected, async ([writes, affected]) => {
      const rows = [...affected.unfenced]
      affected.unfenced.clear()
      // Counts as fenced even if the command fails, because the store may have executed it: `end` has to release it.
      for (const row of rows) affected.fenced.add(row)
      const scopes = [...affected.scopes].flatMap(([scope, state]) => (state === 'unfenced' ? [scope] : []))
      for (const scope of scopes) affected.scopes.set(scope, 'fenced')
      await Promise.all([
        rows.length > 0 && writes.fence(rows, this.#token),
        ...scopes.map((scope) => writes.fenceAll(this.#token, scope)),
      ])
    })
    const outcomes = await Promise.allSettled(fences)
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  /**
   * Releases the fences after COMMIT or ROLLBACK. If the end is unknown, because the connection was lost before the database answered,
   * the write may still commit: then the fences stand for another `fenceMs`. When the call returns, this process holds none of the rows.
   * Never rejects.
   */
  async end(end: 'known' | 'unknown' = 'known'): Promise<void> {
    this.#isOver = true
    const released = Array.from(this.#affected, async ([writes, { unfenced, fenced, scopes }]) => {
      const rows = [...fenced, ...unfenced]
      await Promise.all([
        rows.length > 0 && writes.release(rows, this.#token, end, this.#source),
        ...[...scopes.keys()].map((scope) => writes.releaseAll(this.#token, scope, end)),
      ])
      if (this.#fencedAtMs !== undefined) writes.observeFence((performance.now() - this.#fencedAtMs) / 1_000)
    })
    await Promise.all(released)
  }

  /** After {@link end}: resolves once the store has taken all of it. Rejects if the process ends before that. */
  async settled(): Promise<void> {
    await Promise.all([...this.#affected.keys()].map((writes) => writes.settled()))
  }

  #of(writes: ModelWrites): RowsOfCache {
    let affected = this.#affected.get(writes)
    if (!affected) {
      affected = { unfenced: new Set(), fenced: new Set(), scopes: new Map() }
      this.#affected.set(writes, affected)
    }
    return affected
  }
}
