import { setTimeout as sleep } from 'node:timers/promises'
import { machineTime } from '../clock.ts'
import { numbers, type UserVersion } from '../users.ts'
import { ROWS, userAt, type Written } from './judge-reads.ts'

/** Connections, each with rows of its own. */
export const LOOPS = 4
/** One of as many transactions deletes its rows and inserts them again. */
const REPLACES_EACH = 10
/** After an outage, transactions that are due since longer are left out. */
const LATEST_MS = 500

export interface Pace {
  readonly rowsPerSecond: number
  readonly rowsPerTransaction: number
  /** The longest pause of a reader between two reads. */
  readonly pauseMs: number
}

/** Which of how many writers one is: each has rows of its own. */
export interface WriterSettings {
  readonly number: number
  readonly of: number
}

export interface WritingOptions extends WriterSettings {
  /**
   * Writes rows in a transaction, after it has deleted them if it `replaces` them.
   *
   * @returns what to record beside it, and the time that COMMIT took, in milliseconds, where that is known
   */
  readonly commit: (
    users: readonly UserVersion[],
    replaces: boolean,
  ) => Promise<Pick<Written, 'isPromised'> & { readonly commitMs?: number }>
  /** The version that the database has of a row. */
  readonly versionOf: (row: number) => Promise<number | undefined>
  /** Called once a write has been recorded. Never rejects. */
  readonly afterwards?: (rows: readonly number[]) => Promise<void>
}

/** The methods by which a process writes rows at a pace, numbers their versions, and notes when each was committed. */
export function recordWrites({ afterwards, commit, number, of, versionOf }: WritingOptions) {
  const versions = new Map<number, number>()
  let written: Written[] = []
  let commitMs: number[] = []
  let over = new AbortController()
  let loops: Promise<unknown>

  async function writeOn(loop: number, { rowsPerSecond, rowsPerTransaction }: Pace): Promise<void> {
    const own = numbers(ROWS).filter((row) => row % (of * LOOPS) === number * LOOPS + loop)
    const everyMs = (1_000 * rowsPerTransaction * LOOPS * of) / rowsPerSecond
    let dueAt = machineTime() + (everyMs * loop) / LOOPS
    for (let turn = 0; !over.signal.aborted; turn++) {
      const waitMs = dueAt - machineTime()
      if (waitMs > 0) await sleep(waitMs)
      dueAt = Math.max(dueAt + everyMs, machineTime() - LATEST_MS)
      const first = Math.floor(Math.random() * own.length)
      const rows = numbers(rowsPerTransaction).map((i) => own[(first + i) % own.length]!)
      const next = rows.map((row) => (versions.get(row) ?? 0) + 1)
      const users = rows.map((row, i) => userAt(row, next[i]!))
      const beganAt = machineTime()
      let isPromised: boolean | undefined
      try {
        const committed = await commit(users, turn % REPLACES_EACH === 0)
        isPromised = committed.isPromised
        if (committed.commitMs !== undefined) commitMs.push(committed.commitMs)
      } catch {
        if (!(await hasThem(rows, next))) continue
      }
      for (const [i, row] of rows.entries()) versions.set(row, next[i]!)
      written.push({
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
  async function hasThem([row]: readonly number[], [version]: readonly number[]): Promise<boolean> {
    for (;;) {
      try {
        return (await versionOf(row!)) === version
      } catch {
        await sleep(20)
      }
    }
  }

  return {
    /** @param pace of all writers together */
    start(pace: Pace): void {
      ;[written, commitMs, over] = [[], [], new AbortController()]
      loops = Promise.all(numbers(LOOPS).map((loop) => writeOn(loop, pace)))
      loops.catch(() => {})
    },
    /** What was written since the start. */
    async stopWriting() {
      over.abort()
      await loops
      return { written, commitMs }
    },
  }
}
