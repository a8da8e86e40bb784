/** The process that serves one case: `serve.ts CASE URL`, with an IPC channel and `--expose-gc`. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { cpuTime } from '../measure/cpu-time.ts'
import { watchLoop, type LoopDelays } from '../measure/watch-loop.ts'
import { allCases } from './cases/all-cases.ts'
import { createCountingSource } from './counting-source.ts'
import { buildLots, idsByUser } from './lots.ts'
import type { Call, Ready, Reply, Serving, Storm } from './protocol.ts'

const [name, url] = process.argv.slice(2) as [string, string]
const lots = buildLots()
const allIds = [...lots.keys()]
const source = createCountingSource(lots)
const stormCase = allCases.find((entry) => entry.name === name)!
const opened = await stormCase.open({ url, source, lots })
const rowOf = opened.rowOf ?? ((given) => given)

let startedAt = 0
let cpuBefore = 0
let stopWatching: () => LoopDelays
let sharesRows = false
/**
 * The rows of one user stay alive, as some do in an application: V8 throws code away when a collection finds none of
 * the objects for which it was optimised.
 */
const kept: { rows: unknown; all: readonly (readonly unknown[])[] } = { rows: undefined, all: [] }

const serving: Serving = {
  async storm({ workload, part, verify }) {
    const users = idsByUser(allIds, workload).map((ids) =>
      part === 'all' ? ids : ids.filter((_, index) => index % 2 === 0),
    )
    source.takeCounts()
    stopWatching = watchLoop()
    startedAt = performance.now()
    cpuBefore = cpuTime()
    const given = await Promise.all(users.map(readAsUser))
    const answered = { wallMs: performance.now() - startedAt, cpuMs: serving.spentMs() }
    sharesRows = workload === 'same' && given[0]![0] === given[1]![0]
    kept.all = given
    kept.rows = given[0]
    if (verify) verifyRows(users, given, { workload, part, verify })
    return answered
  },
  spentMs: () => cpuTime() - cpuBefore,
  finish() {
    const { maxMs, p99Ms } = stopWatching()
    kept.all = []
    globalThis.gc!()
    const heapMb = process.memoryUsage().heapUsed / 1e6
    return { loopMaxMs: maxMs, loopP99Ms: p99Ms, heapMb, sharesRows, ...source.takeCounts() }
  },
  async forget() {
    await opened.forget?.()
  },
}

/** All of a user's reads begin in the same turn of the event loop. */
function readAsUser(ids: readonly string[]): Promise<readonly unknown[]> {
  return opened.getMany ? opened.getMany(ids) : Promise.all(ids.map((id) => opened.get(id)))
}

/** @throws when a caller was given anything but the row that it asked for */
function verifyRows(
  users: readonly (readonly string[])[],
  given: readonly (readonly unknown[])[],
  { workload, part }: Storm,
): void {
  users.forEach((ids, user) =>
    ids.forEach((id, index) => {
      if (isDeepStrictEqual(rowOf(given[user]![index]), lots.get(id))) return
      throw new Error(`${name} gave user ${user} something else than lot ${id} (${workload}, ${part}).`)
    }),
  )
}

process.on('message', async ({ method, argument }: Call) => {
  let reply: Reply
  try {
    reply = { value: await serving[method](argument as never) }
  } catch (error) {
    reply = { error: error instanceof Error ? error.message : String(error) }
  }
  process.send!(reply)
})
// The cases leave their connections open: they go with the process.
process.on('disconnect', () => process.exit())

const liveness = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
await once(liveness, 'listening')
process.send!({
  livenessUrl: `http://127.0.0.1:${(liveness.address() as AddressInfo).port}/`,
} satisfies Ready)
