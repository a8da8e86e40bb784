/** The process that serves one case: `serve.ts CASE`, with VALKEY_URL. */
import { isDeepStrictEqual } from 'node:util'
import { createCountingSource } from '../../harness/fixtures/counting-source.ts'
import { buildLots, idsByUser, type Workload } from '../../harness/fixtures/lots.ts'
import { listen } from '../../harness/http/serve-http.ts'
import { serveParent } from '../../harness/process.ts'
import { collectGarbage, cpuTime, heapMb } from '../../harness/processor.ts'
import { watchLoop, type LoopDelays } from '../../harness/watch-loop.ts'
import { allCases } from './cases.ts'

interface Burst {
  readonly workload: Workload
  /** All lots of the workload, or every second one. */
  readonly part: 'all' | 'half'
  /** Whether to compare every row with that of the source. */
  readonly verify: boolean
}

const { name, open } = allCases.find((one) => one.name === process.argv[2])!
const lots = buildLots()
const allIds = [...lots.keys()]
const source = createCountingSource(lots)
const opened = await open({ url: process.env.VALKEY_URL!, source, lots })
const { rowOf = (given) => given } = opened

let cpuBefore = 0
let stopWatching: () => LoopDelays
let sharesRows = false
// The rows of one user stay alive: V8 discards code when a collection finds no object for which it was optimised.
const kept: { rows: unknown } = { rows: undefined }

/** All reads of a user begin in the same turn of the event loop. */
const readAsUser = (ids: readonly string[]): Promise<readonly unknown[]> =>
  opened.getMany ? opened.getMany(ids) : Promise.all(ids.map((id) => opened.get(id)))

/** @throws when a caller got another row than it read */
function verifyRows(users: readonly (readonly string[])[], given: readonly (readonly unknown[])[]): void {
  users.forEach((ids, user) =>
    ids.forEach((id, index) => {
      if (isDeepStrictEqual(rowOf(given[user]![index]), lots.get(id))) return
      throw new Error(`${name} returns something else than lot ${id} to user ${user}.`)
    }),
  )
}

const methods = serveParent(
  {
    /** All users read at once; resolves when the last of them has its last row. */
    async burst({ workload, part, verify }: Burst) {
      const all = idsByUser(allIds, workload)
      const users = part === 'all' ? all : all.map((ids) => ids.filter((_, index) => index % 2 === 0))
      source.takeCounts()
      stopWatching = watchLoop()
      const startedAt = performance.now()
      cpuBefore = cpuTime()
      const given = await Promise.all(users.map(readAsUser))
      const answered = { wallMs: performance.now() - startedAt, cpuMs: cpuTime() - cpuBefore }
      sharesRows = workload === 'same' && given[0]![0] === given[1]![0]
      kept.rows = given[0]
      if (verify) verifyRows(users, given)
      return answered
    },
    /** Measurements since the burst began; called when everything that follows from it is done. */
    finish() {
      const cpuMs = cpuTime() - cpuBefore
      const { maxMs, p99Ms } = stopWatching()
      const { queries, maxConcurrentQueries } = source.takeCounts()
      return {
        cpuMs,
        loopMaxMs: maxMs,
        loopP99Ms: p99Ms,
        sharesRows,
        sourceQueries: queries,
        maxConcurrentQueries,
      }
    },
    collectGarbage,
    /** Called when the store is emptied. */
    forget: () => opened.forget?.(),
    heapMb,
  },
  await listen(() => 'ok'),
)
export type Serving = typeof methods
