import type { RegisterScope } from '../store/store.js'
import type { RowId } from './row-id.js'
import type { ModelWrites } from './model-writes.js'
import { newToken } from './token.js'

/**
 * Rows of one cache that a write touches one by one, at most: more would keep the transaction open while they are fenced, and
 * cost readers less as a whole.
 */
const maxRows = 10_000

/** What a write touches of one cache. */
interface RowsOfCache {
  readonly unfenced: Set<RowId>
  readonly fenced: Set<RowId>
  /** Rows that are not known: all of them, or those that are created. */
  readonly scopes: Map<RegisterScope, 'unfenced' | 'fenced'>
}

/**
 * One write, or one transaction of several, from before its first statement until after its end: gathers what it touches,
 * in whichever models, and has that fenced and ended.
 */
export class WriteUnit {
  readonly #token = newToken()
  readonly #affected = new Map<ModelWrites, RowsOfCache>()
  #fencedAtMs: number | undefined
  #isOver = false

  /** Whether it has been ended: what goes on after that is no part of it. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether nothing has been affected. */
  get isEmpty(): boolean {
    return this.#affected.size === 0
  }

  /** Whether all that has been affected is fenced. */
  get isFenced(): boolean {
    for (const { unfenced, scopes } of this.#affected.values())
      if (unfenced.size > 0 || [...scopes.values()].includes('unfenced')) return false
    return true
  }

  /** Of more rows than {@link maxRows}, all rows of the model count as written. */
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
   * Rows that are not known: all, or with the scope `'membership'` ones that are created.
   *
   * @returns whether that is news
   */
  markAllWritten(writes: ModelWrites, scope: RegisterScope): boolean {
    const { scopes } = this.#of(writes)
    if (scopes.has(scope) || scopes.has('all')) return false
    scopes.set(scope, 'unfenced')
    return true
  }

  /**
   * The last step before COMMIT, for all that has been affected and is not fenced yet.
   *
   * @throws FenceError in strict mode, when the store does not take it: the write must not be committed then
   */
  async fence(): Promise<void> {
    this.#fencedAtMs ??= performance.now()
    const fences = Array.from(this.#affected, async ([writes, affected]) => {
      const rows = [...affected.unfenced]
      affected.unfenced.clear()
      // From here on, whatever becomes of it: what may have been fenced is to be ended.
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
   * After COMMIT or ROLLBACK. When the end is unknown, as the connection was lost before the database answered, it may still
   * commit: then fences stand for another `fenceMs`. Never rejects.
   */
  async end(end: 'known' | 'unknown' = 'known'): Promise<void> {
    this.#isOver = true
    const ended = Array.from(this.#affected, async ([writes, { unfenced, fenced, scopes }]) => {
      const rows = [...fenced, ...unfenced]
      await Promise.all([
        rows.length > 0 && writes.release(rows, this.#token, end),
        ...[...scopes.keys()].map((scope) => writes.releaseAll(this.#token, scope, end)),
      ])
      if (this.#fencedAtMs !== undefined) writes.observeFence((performance.now() - this.#fencedAtMs) / 1_000)
    })
    await Promise.all(ended)
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
