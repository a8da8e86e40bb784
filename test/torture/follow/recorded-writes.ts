import { setTimeout as sleep } from 'node:timers/promises'
import { machineTime } from '../clock.ts'
import { numbers } from '../users.ts'
import { ROWS, type Written } from './judge-reads.ts'

/** Connections, each with rows of its own. */
export const LOOPS = 4
/** One of as many transactions deletes its rows and inserts them again. */
const REPLACES_EACH = 10
/** After an outage, transactions that are due since longer are left out. */
const LATEST_MS = 500

export interface Pace {
  /** Of one writer. */
  readonly rowsPerSecond: number
  readonly rowsPerTransaction: number
}

export interface RecordedWritesOptions {
  /** Which of how many writers this one is: each has rows of its own. */
  readonly number: number
  readonly of: number
  /**
   * Writes rows in a transaction, after it has deleted them if it `replaces` them.
   *
   * @param versions of the rows
   * @returns what to record beside it, and the time that COMMIT took, in milliseconds, where that is known
   */
  readonly commit: (
    rows: readonly number[],
    versions: readonly number[],
    replaces: boolean,
  ) => Promise<Pick<Written, 'isPromised'> & { readonly commitMs?: number }>
  /** The version that the database has of a row. */
  readonly versionOf: (row: number) => Promise<number | undefined>
  /** Called once a write has been recorded. Never rejects. */
  readonly afterwards?: (rows: readonly number[]) => Promise<void>
}

/** Writes rows at a pace, numbers their versions, and notes when each was committed. */
export class RecordedWrites {
  readonly #options: RecordedWritesOptions
  readonly #versions = new Map<number, number>()
  #written: Written[] = []
  #commitMs: number[] = []
  #over = new AbortController()
  #loops: Promise<unknown> = Promise.resolve()

  constructor(options: RecordedWritesOptions) {
    this.#options = options
  }

  start(pace: Pace): void {
    this.#over = new AbortController()
    this.#loops = Promise.all(Array.from({ length: LOOPS }, (_, loop) => this.#writeOn(loop, pace)))
    this.#loops.catch(() => {})
  }

  /** What was written since the last call. */
  async stop() {
    this.#over.abort()
    await this.#loops
    return { written: this.#written.splice(0), commitMs: this.#commitMs.splice(0) }
  }

  async #writeOn(loop: number, { rowsPerSecond, rowsPerTransaction }: Pace): Promise<void> {
    const { afterwards, commit, number, of } = this.#options
    const { signal } = this.#over
    const own = numbers(ROWS).filter((row) => row % (of * LOOPS) === number * LOOPS + loop)
    const everyMs = (1_000 * rowsPerTransaction * LOOPS) / rowsPerSecond
    let dueAt = machineTime() + (everyMs * loop) / LOOPS
    for (let turn = 0; !signal.aborted; turn++) {
      const waitMs = dueAt - machineTime()
      if (waitMs > 0) await sleep(waitMs)
      dueAt = Math.max(dueAt + everyMs, machineTime() - LATEST_MS)
      const first = Math.floor(Math.random() * own.length)
      const rows = Array.from({ length: rowsPerTransaction }, (_, i) => own[(first + i) % own.length]!)
      const next = rows.map((row) => (this.#versions.get(row) ?? 0) + 1)
      const beganAt = machineTime()
      let isPromised: boolean | undefined
      try {
        const { commitMs, ...committed } = await commit(rows, next, turn % REPLACES_EACH === 0)
        isPromised = committed.isPromised
        if (commitMs !== undefined) this.#commitMs.push(commitMs)
      } catch {
        if (!(await this.#hasThem(rows, next))) continue
      }
      for (const [i, row] of rows.entries()) this.#versions.set(row, next[i]!)
      this.#written.push({
        beganAt,
        committedAt: machineTime(),
        rows,
        versions: next,
        ...(isPromised && { isPromised }),
      })
      await afterwards?.(rows)
    }
  }

  /** After a lost answer: whether the database has the new versions. */
  async #hasThem(rows: readonly number[], next: readonly number[]): Promise<boolean> {
    for (;;) {
      try {
        return (await this.#options.versionOf(rows[0]!)) === next[0]
      } catch {
        await sleep(20)
      }
    }
  }
}
