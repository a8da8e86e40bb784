import { AsyncLocalStorage } from 'node:async_hooks'
import type { RowId } from '../../protocol/index.js'
import { loadCycleError, loadTimeoutError } from '../../errors.js'

/** The calls of sources that the running code is part of: one, or those that wait for one read together. */
const running = new AsyncLocalStorage<readonly SourceCall[] | undefined>()

const none: readonly never[] = []

/**
 * A call of a source, as the reads know it that its source makes: they are nested in it.
 *
 * A nested load takes no permit, as the call that waits for it has one. So a permit is held only by calls that wait for other calls or
 * for their own source. Calls never wait for each other in a circle: see {@link leadsTo}.
 */
export class SourceCall {
  readonly cache: string
  /** The call whose source requested all rows of this one; undefined if others did. */
  #parent: SourceCall | undefined
  /** The calls that wait for its rows, and {@link outsiders} if others do; empty if no call does. */
  #callers: readonly SourceCall[]
  /** The loader of the rows. Their ids mean something only there. */
  readonly #loader: object
  #requested: readonly { readonly rowId: RowId }[]
  #rowIds: ReadonlySet<RowId> | undefined
  /** The calls that this one waits for, and some that have ended. */
  #awaited: Set<SourceCall> | undefined
  #state: 'running' | 'given up' | 'over' = 'running'
  #timeoutMs = 0

  constructor(
    cache: string,
    loader: object,
    requested: readonly { readonly rowId: RowId }[],
    parent?: SourceCall,
    callers: readonly SourceCall[] = parent ? [parent] : none,
  ) {
    this.cache = cache
    this.#loader = loader
    this.#requested = requested
    this.#parent = parent
    this.#callers = callers
  }

  /** How many rows it loads. */
  get size(): number {
    return this.#requested.length
  }

  /** Whether its source has ended. Reads of code that runs on are not nested any more. */
  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** Whether its deadline has passed. Its source may go on, but nobody waits for it. */
  get isGivenUp(): boolean {
    return this.#state === 'given up'
  }

  /**
   * Calls the source within a deadline. What it gives later is dropped.
   *
   * @throws ModelCacheError (`E_LOAD_TIMEOUT`)
   */
  run<T>(source: () => Promise<T>, timeoutMs: number): Promise<T> {
    this.#timeoutMs = timeoutMs
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        if (this.#state !== 'running') return
        this.#state = 'given up'
        reject(loadTimeoutError(this.cache, timeoutMs, this.#awaitedCaches()))
      }
      // One poll later: if the event loop was blocked, the rows may have arrived unread.
      const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
      const end = (): void => {
        clearTimeout(timer)
        this.#end()
      }
      running.run([this], source).then(
        (value) => {
          end()
          resolve(value)
        },
        (error: unknown) => {
          end()
          reject(error as Error)
        },
      )
    })
  }

  /** Notes that this call waits for another one. */
  await(other: SourceCall): void {
    // Nobody waits for outsiders, and they are never forgotten.
    if (other !== this && this !== outsiders) (this.#awaited ??= new Set()).add(other)
  }

  /** Whether this call waits for another one, directly or not, so that the other one must not wait for it. */
  leadsTo(other: SourceCall): boolean {
    const known = new Set<SourceCall>([this])
    // A set is walked to its end, including what is added meanwhile.
    for (const call of known) {
      if (call === other) return true
      for (const awaited of call.#awaited ?? []) if (awaited.#state === 'running') known.add(awaited)
    }
    return false
  }

  /**
   * Returns the nearest call that loads a row and that this one is nested in, or is; undefined if there is none. It may load the row for
   * another of its rows, so the row can be loaded again. If it has no other row, the row needs itself.
   *
   * @throws ModelCacheError (`E_LOAD_CYCLE`)
   */
  nearestLoading(cache: string, loader: object, rowId: RowId): SourceCall | undefined {
    const path = [cache]
    for (const call of this.#calls()) {
      path.unshift(call.cache)
      if (call.#loader !== loader || !call.#has(rowId)) continue
      if (call.size > 1) return call
      throw loadCycleError(cache, path)
    }
    return undefined
  }

  /** Whether somebody still waits for it, or for code that it has left behind. */
  get isWanted(): boolean {
    return this.#abandoned === undefined
  }

  /** @throws ModelCacheError (`E_LOAD_TIMEOUT`) if this call has been given up, or all that wait for it, so that nobody waits for its reads */
  assertWanted(): void {
    const abandoned = this.#abandoned
    if (abandoned) throw loadTimeoutError(abandoned.cache, abandoned.#timeoutMs)
  }

  /**
   * This call if it has been given up, or one of those that waited for it if all of them have been; undefined if somebody still waits.
   * Callers have begun before the call, so this is no circle.
   */
  get #abandoned(): SourceCall | undefined {
    if (this.#state !== 'running') return this.isGivenUp ? this : undefined
    let first: SourceCall | undefined
    for (const caller of this.#callers) {
      const abandoned = caller.#abandoned
      if (abandoned === undefined) return undefined
      first ??= abandoned
    }
    return first
  }

  /** This call, the one that it is nested in, and so on. */
  *#calls(): Generator<SourceCall> {
    yield this
    if (this.#parent) yield* this.#parent.#calls()
  }

  #has(rowId: RowId): boolean {
    this.#rowIds ??= new Set(this.#requested.map((requested) => requested.rowId))
    return this.#rowIds.has(rowId)
  }

  /** The caches on one way through what this call waits for, for people. */
  #awaitedCaches(): readonly string[] {
    const path = new Set<SourceCall>([this])
    for (const call of path)
      for (const awaited of call.#awaited ?? []) if (awaited.#state === 'running') path.add(awaited)
    return [...new Set([...path].slice(1).map(({ cache }) => cache))]
  }

  /** Code that the source has started may keep this call for as long as it runs. */
  #end(): void {
    this.#state = 'over'
    this.#parent = undefined
    this.#callers = this.#requested = none
    this.#rowIds = undefined
    this.#awaited = undefined
  }
}

/**
 * Stands for callers outside of calls, where these are listed with the calls that wait for the same row. No deadline but that of the row's
 * own load ends their wait.
 */
export const outsiders = new SourceCall('', {}, [])

/**
 * The calls that wait for what the running code reads; undefined outside of calls.
 *
 * @throws ModelCacheError (`E_LOAD_TIMEOUT`) if nobody waits for them any more
 */
export function currentCalls(): readonly SourceCall[] | undefined {
  const calls = running.getStore()
  if (calls === undefined) return undefined
  const open = calls.filter((call) => !call.isOver)
  if (!open.some((call) => call.isWanted)) open[0]?.assertWanted()
  return open.length > 0 ? open : undefined
}

/** Whether the running code is part of a call that has been given up. */
export function isPastDeadline(): boolean {
  return running.getStore()?.some((call) => !call.isWanted) ?? false
}

/**
 * Returns the calls that still run, and {@link outsiders} if they are listed; undefined if there are no such calls. One that nobody waits
 * for is among them: a read that has a permit may come to wait for it, so what it has requested must not wait for a permit.
 */
export function runningCalls(calls: readonly SourceCall[] | undefined): readonly SourceCall[] | undefined {
  const open = calls?.filter((call) => !call.isOver && !call.isGivenUp)
  return open?.some((call) => call !== outsiders) ? open : undefined
}

/** Runs work for calls that wait for it; undefined for work that no call waits for. */
export function forCalls<T>(calls: readonly SourceCall[] | undefined, work: () => T): T {
  return calls === undefined && running.getStore() === undefined ? work() : running.run(calls, work)
}
