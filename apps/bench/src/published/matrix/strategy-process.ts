/** The process that measures one strategy, with VALKEY_URL of an empty database. */
import { isDeepStrictEqual } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { Redis } from 'ioredis'
import { serveParent } from '../../harness/process.ts'
import { collectGarbage, cpuTime, heapMb } from '../../harness/processor.ts'
import { watchLoop } from '../../harness/watch-loop.ts'
import { buildScenario, SCENARIOS, type ScenarioRows } from './scenarios.ts'
import { allStrategies, type OpenStrategy, type Strategy } from './strategies.ts'

export interface Effort {
  /** Processes per strategy. */
  readonly rounds: number
  /** Processor time of bursts that do not count, per scenario and process. */
  readonly warmUpMs: number
  /** Reads per cell and process, in at least `minStorms` bursts and at most `maxStorms`. */
  readonly reads: number
  readonly minStorms: number
  readonly maxStorms: number
}

export interface Task {
  readonly strategy: string
  readonly scenarios: readonly string[]
  readonly hitRates: readonly number[]
  readonly effort: Effort
}

export type Cell = Awaited<ReturnType<typeof runScenario>>[number] & { readonly scenario: string }

const url = process.env.VALKEY_URL!

const methods = serveParent({
  async measure(task: Task): Promise<Cell[]> {
    const client = new Redis(url)
    const strategy = allStrategies.find(({ name }) => name === task.strategy)!
    const cells: Cell[] = []
    // Once before, so that the code of a strategy does not count as what it holds.
    await (await strategy.open(url, buildScenario(SCENARIOS[0]!))).close()
    for (const scenario of SCENARIOS.filter(({ name }) => task.scenarios.includes(name))) {
      await client.flushdb()
      const found = await runScenario(strategy, buildScenario(scenario), task)
      cells.push(...found.map((cell) => ({ scenario: scenario.name, ...cell })))
    }
    return cells
  },
})
export type Measuring = typeof methods

async function runScenario(strategy: Strategy, scenario: ScenarioRows, { hitRates, effort }: Task) {
  const heapBefore = heapMb()
  const opened = await strategy.open(url, scenario)
  const bursts = Math.ceil(effort.reads / scenario.wanted.length)
  const count = Math.max(effort.minStorms, Math.min(effort.maxStorms, bursts))
  const cells = []
  let warmMs = 0
  for (const hitRate of opened.remember ? hitRates : [undefined]) {
    // From the store alone at the first hit rate, from memory at the last.
    if (hitRate === undefined || hitRate === hitRates[0] || hitRate === hitRates.at(-1)) {
      await fillMemory(opened, scenario, hitRate)
      verify(strategy.name, scenario, await readAll(opened, scenario))
    }
    while (warmMs < effort.warmUpMs) warmMs += (await burst(opened, scenario, hitRate)).cpuMs
    const measured = []
    while (measured.length < count) measured.push(await burst(opened, scenario, hitRate))
    cells.push({ ...(hitRate !== undefined && { hitRate }), bursts: measured, heapMb: heapMb() - heapBefore })
  }
  await opened.close()
  return cells
}

/** Leaves this part of the rows that will be read in memory, as the most recent ones, and other rows beside them. */
async function fillMemory({ remember }: OpenStrategy, { wanted, others }: ScenarioRows, hitRate = 0) {
  const known = wanted.slice(0, Math.round(wanted.length * hitRate))
  // Before the others as well: rows that are there need not be fetched again.
  await remember?.(known)
  await remember?.(others.slice(0, wanted.length - known.length))
  await remember?.(known)
}

async function burst(opened: OpenStrategy, scenario: ScenarioRows, hitRate: number | undefined) {
  await fillMemory(opened, scenario, hitRate)
  await nextTurn()
  Object.assign(opened.counts, { parseMs: 0, memoryHits: 0 })
  collectGarbage()
  const allocatedBefore = allocatedMb()
  const stopWatching = watchLoop()
  const wallMs: number[] = []
  const cpuBefore = cpuTime()
  await readAll(opened, scenario, wallMs)
  const cpuMs = cpuTime() - cpuBefore
  const { maxMs, p99Ms } = stopWatching()
  await nextTurn()
  return {
    loopP99Ms: p99Ms,
    loopMaxMs: maxMs,
    /** By user: from the start of the burst until the user has all rows. */
    wallMs,
    cpuMs,
    allocatedMb: allocatedMb() - allocatedBefore,
    ...opened.counts,
  }
}

/** The library counts the hits of a turn of the event loop when it is over. */
const nextTurn = () => new Promise(setImmediate)

/** All users read at once. The rows of a user stay alive until all users have theirs, as in a resolver. */
function readAll(opened: OpenStrategy, { idsByUser }: ScenarioRows, wallMs: number[] = []) {
  const start = performance.now()
  return Promise.all(
    idsByUser.map(async (ids) => {
      const rows = await Promise.all(ids.map((id) => opened.get(id)))
      wallMs.push(performance.now() - start)
      return rows
    }),
  )
}

/** @throws when a user got another row than it read */
function verify(
  strategy: string,
  { rows, wanted }: ScenarioRows,
  given: readonly (readonly unknown[])[],
): void {
  for (const [index, row] of given.flat().entries()) {
    const id = wanted[index]!
    if (!isDeepStrictEqual(row, rows.get(id)))
      throw new Error(`${strategy} returns something else than row ${id}.`)
  }
}

const allocatedMb = (): number => getHeapStatistics().total_allocated_bytes / 1e6
