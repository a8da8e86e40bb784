import type { RegisterScope } from '../backend/store.js'
import type { RowFences } from './row-fences.js'
import type { RowId } from '../format/row-id.js'
import { newToken } from '../format/token.js'
import type { WriteSource } from '../backplane.js'

/**
 * Maximum number of rows per cache that one write fences one by one. Fencing more would keep the transaction open too long, and
 * invalidating all rows costs readers less.
 */
const maxRows = 10_000

/** The rows of one cache that a write affects. */
interface RowsOfCache {
  /** All that are known, each once. */
  readonly rows: Set<RowId>
  /** The {@link rows} that are not fenced yet. */
  unfenced: RowId[]
  /** Unknown rows: all of them, or created ones. Undefined if there are none. */
  scopes: Map<RegisterScope, 'unfenced' | 'fenced'> | undefined
}

/** Gathers the rows of each cache that a write or transaction affects, fences them, and releases the fences after its end. */
export class FenceSet {
  readonly #token = newToken()
  readonly #source: WriteSource
  readonly #affected = new Map<RowFences, RowsOfCache>()
  #fencedAtMs: number | undefined
  #hasFenced = false
  /** What {@link fence} waits for of an earlier call. */
  #fencing: Promise<void> | undefined
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
      if (unfenced.length > 0 || (scopes && [...scopes.values()].includes('unfenced'))) return false
    return true
  }

  /** Adds rows of a cache. Above {@link maxRows}, all rows of the model count as written. */
  markWritten(rowFences: RowFences, rows: readonly RowId[]): void {
    const affected = this.#of(rowFences)
    const { rows: known, scopes } = affected
    if (scopes?.has('all')) return
    for (const row of rows) {
      if (known.has(row)) continue
      known.add(row)
      affected.unfenced.push(row)
    }
    if (known.size <= maxRows) return
    for (const row of affected.unfenced) known.delete(row)
    affected.unfenced = []
    scopesOf(affected).set('all', 'unfenced')
    rowFences.observeUnbounded()
  }

  /**
   * Adds unknown rows of a cache: all, or with the scope `'existence'` created ones.
   *
   * @returns whether they were not in the set yet
   */
  markAllWritten(rowFences: RowFences, scope: RegisterScope): boolean {
    const scopes = scopesOf(this.#of(rowFences))
    if (scopes.has(scope) || scopes.has('all')) return false
    scopes.set(scope, 'unfenced')
    return true
  }

  /**
   * The last step before COMMIT: fences all affected rows that are not fenced yet. What the store refuses is fenced again by the next call.
   *
   * @throws FenceError in strict mode if the store does not accept the fence; the write must not be committed then
   */
  fence(): Promise<void> {
    this.#fencedAtMs ??= performance.now()
    this.#hasFenced = true
    const fences = this.#fencing ? [this.#fencing] : []
    for (const [rowFences, affected] of this.#affected) {
      const { unfenced, scopes = none } = affected
      if (unfenced.length > 0) {
        affected.unfenced = []
        const refuse = (error: unknown): never => {
          affected.unfenced = [...unfenced, ...affected.unfenced]
          throw error
        }
        fences.push(rowFences.fence(unfenced, this.#token).catch(refuse))
      }
      for (const [scope, state] of scopes) {
        if (state === 'fenced') continue
        scopes.set(scope, 'fenced')
        const refuse = (error: unknown): never => {
          scopes.set(scope, 'unfenced')
          throw error
        }
        fences.push(rowFences.fenceAll(this.#token, scope).catch(refuse))
      }
    }
    if (fences.length === 0) return nothing
    const fencing = allOf(fences)
    const end = (): void => {
      if (this.#fencing === fencing) this.#fencing = undefined
    }
    fencing.then(end, end)
    return (this.#fencing = fencing)
  }

  /** The write has ended, and its fences stand until {@link end} is called. */
  hold(): void {
    this.#isOver = true
    for (const [rowFences, { rows, scopes = none }] of this.#affected) {
      if (rows.size > 0) rowFences.hold([...rows], this.#token)
      for (const scope of scopes.keys()) rowFences.holdAll(this.#token, scope)
      this.#observe(rowFences)
    }
    this.#fencedAtMs = undefined
  }

  /**
   * Releases the fences after COMMIT or ROLLBACK. If the end is unknown, because the connection was lost before the database answered,
   * the write may still commit: then the fences stand for another `fenceMs`. When the call returns, this process holds none of the rows.
   * Never rejects.
   */
  end(end: 'known' | 'unknown' = 'known'): Promise<void> {
    this.#isOver = true
    const releases: Promise<void>[] = []
    for (const [rowFences, affected] of this.#affected) releases.push(this.#release(rowFences, affected, end))
    return allOf(releases)
  }

  #release(
    rowFences: RowFences,
    { rows, scopes = none }: RowsOfCache,
    end: 'known' | 'unknown',
  ): Promise<void> {
    const releases: Promise<void>[] = []
    // What the log has is committed although nothing was fenced: replicas of the store must not lack the release then.
    const token = this.#source === 'log' && !this.#hasFenced ? '' : this.#token
    if (rows.size > 0) releases.push(rowFences.release([...rows], token, end, this.#source))
    for (const scope of scopes.keys()) releases.push(rowFences.releaseAll(token, scope, end))
    return allOf(releases).then(() => this.#observe(rowFences))
  }

  #observe(rowFences: RowFences): void {
    if (this.#fencedAtMs !== undefined) rowFences.observeFence((performance.now() - this.#fencedAtMs) / 1_000)
  }

  /** After {@link end}: resolves once the store has taken all of it. Rejects if the process ends before that. */
  async settled(): Promise<void> {
    await Promise.all([...this.#affected.keys()].map((rowFences) => rowFences.settled()))
  }

  #of(rowFences: RowFences): RowsOfCache {
    let affected = this.#affected.get(rowFences)
    if (!affected) {
      affected = { rows: new Set(), unfenced: [], scopes: undefined }
      this.#affected.set(rowFences, affected)
    }
    return affected
  }
}

/** Resolves once all have ended; rejects then if one has. Nearly all writes affect one cache, or none. */
function allOf(promises: readonly Promise<void>[]): Promise<void> {
  if (promises.length === 0) return nothing
  return promises.length === 1 ? promises[0]! : settled(promises)
}

const nothing = Promise.resolve()

async function settled(promises: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

const none: NonNullable<RowsOfCache['scopes']> = new Map()

function scopesOf(affected: RowsOfCache): NonNullable<RowsOfCache['scopes']> {
  return (affected.scopes ??= new Map())
}
