import type { Identity } from './identity.js'
import type { ModelWrites } from './model-writes.js'
import { newToken } from './token.js'

/**
 * Rows of one cache that a write touches one by one, at most: more would keep the transaction open while they are fenced, and
 * cost readers less as a whole.
 */
const maxRows = 10_000

/** What a write touches of one cache. */
interface Touched {
  readonly unfenced: Set<Identity>
  readonly fenced: Set<Identity>
  all: 'no' | 'unfenced' | 'fenced'
}

/**
 * One write, or one transaction of several, from before its first statement until after its end: gathers what it touches,
 * in whichever models, and has that fenced and settled.
 */
export class WriteUnit {
  readonly #token = newToken()
  readonly #touched = new Map<ModelWrites, Touched>()
  #fencedAtMs: number | undefined
  #isOver = false

  /** Whether it has been settled: what goes on after that is no part of it. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether all that has been touched is fenced. */
  get isFenced(): boolean {
    for (const { unfenced, all } of this.#touched.values())
      if (unfenced.size > 0 || all === 'unfenced') return false
    return true
  }

  /** Of more rows than {@link maxRows}, all rows of the model count as written. */
  touch(writes: ModelWrites, rows: readonly Identity[]): void {
    const touched = this.#of(writes)
    const { unfenced, fenced } = touched
    if (touched.all !== 'no') return
    for (const row of rows) if (!fenced.has(row)) unfenced.add(row)
    if (fenced.size + unfenced.size <= maxRows) return
    touched.all = 'unfenced'
    unfenced.clear()
    writes.observeUnbounded()
  }

  /** @returns whether that is news */
  touchAll(writes: ModelWrites): boolean {
    const touched = this.#of(writes)
    if (touched.all !== 'no') return false
    touched.all = 'unfenced'
    return true
  }

  /**
   * The last step before COMMIT, for all that has been touched and is not fenced yet.
   *
   * @throws FenceError in strict mode, when the store does not take it: the write must not be committed then
   */
  async fence(): Promise<void> {
    this.#fencedAtMs ??= performance.now()
    const fences = Array.from(this.#touched, async ([writes, touched]) => {
      const rows = [...touched.unfenced]
      touched.unfenced.clear()
      // From here on, whatever becomes of it: what may have been fenced is to be settled.
      for (const row of rows) touched.fenced.add(row)
      const isAll = touched.all === 'unfenced'
      if (isAll) touched.all = 'fenced'
      await Promise.all([
        rows.length > 0 && writes.fence(rows, this.#token),
        isAll && writes.fenceAll(this.#token),
      ])
    })
    const outcomes = await Promise.allSettled(fences)
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  /**
   * After COMMIT or ROLLBACK. When the end is unknown, as the connection was lost before the database answered, it may still
   * commit: then fences stand for another `fenceMs`. Never rejects.
   */
  async settle(end: 'known' | 'unknown' = 'known'): Promise<void> {
    this.#isOver = true
    const settled = Array.from(this.#touched, async ([writes, { unfenced, fenced, all }]) => {
      const rows = [...fenced, ...unfenced]
      await Promise.all([
        rows.length > 0 && writes.settle(rows, this.#token, end),
        all !== 'no' && writes.settleAll(this.#token, end),
      ])
      if (this.#fencedAtMs !== undefined) writes.observeFence((performance.now() - this.#fencedAtMs) / 1_000)
    })
    await Promise.all(settled)
  }

  #of(writes: ModelWrites): Touched {
    let touched = this.#touched.get(writes)
    if (!touched) {
      touched = { unfenced: new Set(), fenced: new Set(), all: 'no' }
      this.#touched.set(writes, touched)
    }
    return touched
  }
}
