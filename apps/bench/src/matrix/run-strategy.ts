import { isDeepStrictEqual } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { collectGarbage } from '../measure/collect-garbage.ts'
import { cpuTime } from '../measure/cpu-time.ts'
import { watchLoop } from '../measure/watch-loop.ts'
import type { CellSamples, MatrixTask, StormSample } from './protocol.ts'
import { buildScenario, SCENARIOS, type Scenario, type ScenarioRows } from './scenarios.ts'
import type { OpenStrategy, Strategy } from './strategies/strategy.ts'

/** Measures one strategy in this process, in one scenario after the other. */
export async function runStrategy(
  strategy: Strategy,
  task: MatrixTask,
  { url, empty }: { readonly url: string; empty(): Promise<unknown> },
): Promise<CellSamples[]> {
  const cells: CellSamples[] = []
  // Once before, so that the code that a strategy loads is not taken for what it holds.
  await (await strategy.open({ url, scenario: buildScenario(SCENARIOS[0]!) })).close()
  for (const scenario of SCENARIOS.filter(({ name }) => task.scenarios.includes(name))) {
    await empty()
    cells.push(...(await runScenario(strategy, scenario, task, url)))
  }
  return cells
}

async function runScenario(
  strategy: Strategy,
  { name }: Scenario,
  { hitRates, effort }: MatrixTask,
  url: string,
): Promise<CellSamples[]> {
  const scenario = buildScenario(SCENARIOS.find((entry) => entry.name === name)!)
  const heapBefore = heapMb()
  const opened = await strategy.open({ url, scenario })
  const reads = scenario.asked.length
  const count = Math.max(effort.minStorms, Math.min(effort.maxStorms, Math.ceil(effort.reads / reads)))
  const cells: CellSamples[] = []
  let warmMs = 0
  for (const hitRate of opened.remember ? hitRates : [undefined]) {
    // From the store alone at the first hit rate, from the memory at the last.
    if (hitRate === undefined || hitRate === hitRates[0] || hitRate === hitRates.at(-1)) {
      await fillMemory(opened, scenario, hitRate)
      verify(strategy.name, scenario, await ask(opened, scenario))
    }
    while (warmMs < effort.warmUpMs) warmMs += (await storm(opened, scenario, hitRate)).cpuMs
    const storms: StormSample[] = []
    while (storms.length < count) storms.push(await storm(opened, scenario, hitRate))
    cells.push({
      scenario: name,
      ...(hitRate !== undefined && { hitRate }),
      storms,
      heapMb: heapMb() - heapBefore,
    })
  }
  await opened.close()
  return cells
}

/** Leaves in the memory so many of the rows that will be asked for, the most recent ones, and others in all other places. */
async function fillMemory(opened: OpenStrategy, { asked, others }: ScenarioRows, hitRate = 0): Promise<void> {
  if (!opened.remember) return
  const known = asked.slice(0, Math.round(asked.length * hitRate))
  // First as well: what is there already need not be fetched again when the others have come.
  await opened.remember(known)
  await opened.remember(others.slice(0, asked.length - known.length))
  await opened.remember(known)
}

/** All users ask at once, and go on alone: what a user has is kept until all have it, as a resolver would. */
async function storm(
  opened: OpenStrategy,
  scenario: ScenarioRows,
  hitRate: number | undefined,
): Promise<StormSample> {
  await fillMemory(opened, scenario, hitRate)
  opened.take()
  collectGarbage()
  const allocatedBefore = allocatedMb()
  const stopWatching = watchLoop()
  const wallMs: number[] = []
  const cpuBefore = cpuTime()
  await ask(opened, scenario, wallMs)
  const cpuMs = cpuTime() - cpuBefore
  const { maxMs, p99Ms } = stopWatching()
  return {
    loopP99Ms: p99Ms,
    loopMaxMs: maxMs,
    wallMs,
    cpuMs,
    allocatedMb: allocatedMb() - allocatedBefore,
    ...opened.take(),
  }
}

function ask(
  opened: OpenStrategy,
  { idsByUser }: ScenarioRows,
  wallMs: number[] = [],
): Promise<readonly (readonly unknown[])[]> {
  const start = performance.now()
  return Promise.all(
    idsByUser.map(async (ids) => {
      const rows = await Promise.all(ids.map((id) => opened.get(id)))
      wallMs.push(performance.now() - start)
      return rows
    }),
  )
}

/** @throws when anybody was given anything but the row that was asked for */
function verify(
  strategy: string,
  { rows, idsByUser }: ScenarioRows,
  given: readonly (readonly unknown[])[],
): void {
  for (const [user, ids] of idsByUser.entries()) {
    for (const [index, id] of ids.entries()) {
      if (isDeepStrictEqual(given[user]![index], rows.get(id))) continue
      throw new Error(`${strategy} gives user ${user} something else than row ${id}.`)
    }
  }
}

function heapMb(): number {
  globalThis.gc!()
  return process.memoryUsage().heapUsed / 1e6
}

const allocatedMb = (): number => getHeapStatistics().total_allocated_bytes / 1e6
