/** A writer outside Prisma: a plain driver, and nothing of the library. `write-process.ts NUMBER OF`, with DATABASE_URL. */
import { setTimeout as sleep } from 'node:timers/promises'
import { serveParent } from '../bench/harness.ts'
import { machineTime } from '../clock.ts'
import { numbers } from '../users.ts'
import { openProcessDatabase } from './databases/open-process-database.ts'
import { ROWS, type Written } from './judge-reads.ts'

/** Connections, each with rows of its own. */
const LOOPS = 4
/** One of as many transactions deletes its rows and inserts them again. */
const REPLACES_EACH = 10
/** After an outage, transactions that are due since longer are left out. */
const LATEST_MS = 500

const [number, of] = process.argv.slice(2).map(Number) as [number, number]
const database = (await openProcessDatabase(process.env.DATABASE_URL!)).openWriter(LOOPS)

const versions = new Map<number, number>()
let written: Written[] = []
let commitMs: number[] = []
let over = new AbortController()
let loops: Promise<unknown> = Promise.resolve()

export interface Pace {
  /** Of one writer. */
  readonly rowsPerSecond: number
  readonly rowsPerTransaction: number
}

/** After a lost answer: whether the database has the new versions. */
async function hasThem(rows: readonly number[], next: readonly number[]): Promise<boolean> {
  for (;;) {
    try {
      return (await database.versionOf(rows[0]!)) === next[0]
    } catch {
      await sleep(20)
    }
  }
}

async function writeOn(loop: number, { rowsPerSecond, rowsPerTransaction }: Pace, signal: AbortSignal) {
  const own = numbers(ROWS).filter((row) => row % (of * LOOPS) === number * LOOPS + loop)
  const everyMs = (1_000 * rowsPerTransaction * LOOPS) / rowsPerSecond
  let dueAt = machineTime() + (everyMs * loop) / LOOPS
  for (let turn = 0; !signal.aborted; turn++) {
    const waitMs = dueAt - machineTime()
    if (waitMs > 0) await sleep(waitMs)
    dueAt = Math.max(dueAt + everyMs, machineTime() - LATEST_MS)
    const first = Math.floor(Math.random() * own.length)
    const rows = Array.from({ length: rowsPerTransaction }, (_, i) => own[(first + i) % own.length]!)
    const next = rows.map((row) => (versions.get(row) ?? 0) + 1)
    const beganAt = machineTime()
    try {
      commitMs.push(await database.commit(rows, next, turn % REPLACES_EACH === 0))
    } catch {
      if (!(await hasThem(rows, next))) continue
    }
    for (const [i, row] of rows.entries()) versions.set(row, next[i]!)
    written.push({ beganAt, committedAt: machineTime(), rows, versions: next })
  }
}

const methods = serveParent({
  start(pace: Pace) {
    over = new AbortController()
    loops = Promise.all(Array.from({ length: LOOPS }, (_, loop) => writeOn(loop, pace, over.signal)))
    loops.catch(() => {})
  },
  async stop() {
    over.abort()
    await loops
    const all = { written, commitMs }
    written = []
    commitMs = []
    return all
  },
})
export type Writing = typeof methods
