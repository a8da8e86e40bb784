import { join } from 'node:path'
import { inTurn } from '../measure/in-turn.ts'
import { runInChild } from '../measure/run-in-child.ts'
import { say } from '../progress.ts'
import { buildSimdjson } from '../simdjson/simdjson.ts'
import { openServer } from '../storm/open-server.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { aboutScenarios, countReviverCalls } from './about-scenarios.ts'
import { figuresOf } from './figures.ts'
import { HIT_RATES, type MatrixMeasurements } from './matrix-measurements.ts'
import { presentMatrix } from './present-matrix.ts'
import type { CellSamples, Effort, MatrixTask } from './protocol.ts'
import { SCENARIOS } from './scenarios.ts'
import { allStrategies } from './strategies/all-strategies.ts'
import { cellsOf } from './summarise.ts'

const FULL: Effort = { rounds: 3, warmUpMs: 100, reads: 4_000, minStorms: 2, maxStorms: 40 }
const QUICK: Effort = { rounds: 1, warmUpMs: 0, reads: 0, minStorms: 3, maxStorms: 3 }
const QUICK_SCENARIOS = ['small', 'medium']
const QUICK_HIT_RATES = [0, 0.5, 1]
const PROCESS = join(import.meta.dirname, 'strategy-process.ts')

/** Ways of getting rows out of stored JSON, without and with a memory in front of them, beside this library. */
export const matrixSuite: Suite<MatrixMeasurements> = {
  packages: ['@prisma/client', 'ioredis', 'lru-cache', 'simdjson'],
  run: measure,
  present: presentMatrix,
  figures: figuresOf,
}

async function measure({ quick, only }: RunOptions): Promise<MatrixMeasurements> {
  const scenarios = chosen(SCENARIOS, quick && !only.some(isScenario) ? QUICK_SCENARIOS : only)
  const strategies = chosen(allStrategies, only)
  assertKnown(only)
  const effort = quick ? QUICK : FULL
  const reason = strategies.some(({ needsSimdjson }) => needsSimdjson) ? buildSimdjson() : undefined
  const possible = strategies.filter(({ needsSimdjson }) => !(needsSimdjson && reason))
  const rounds = new Map(possible.map(({ name }) => [name, [] as CellSamples[][]]))
  const server = await openServer()
  try {
    say(`${server.name}: ${possible.length} strategies, ${effort.rounds} rounds`)
    for (let round = 0; round < effort.rounds; round++) {
      for (const { name } of inTurn(possible, round)) {
        say(`Round ${round + 1} of ${effort.rounds}: ${name} …`)
        const task: MatrixTask = {
          strategy: name,
          scenarios: scenarios.map((scenario) => scenario.name),
          hitRates: quick ? QUICK_HIT_RATES : HIT_RATES,
          effort,
        }
        rounds.get(name)!.push(await runInChild(PROCESS, task, { VALKEY_URL: server.url }))
      }
    }
  } finally {
    await server.close()
  }
  const about = aboutScenarios(scenarios)
  const reads = Object.fromEntries(about.map((scenario) => [scenario.name, scenario.reads]))
  const [first] = [...rounds.values()]
  return {
    server: server.name,
    rounds: effort.rounds,
    storms: Object.fromEntries(
      scenarios.map(({ name }) => [
        name,
        effort.rounds * (first?.[0]?.find((cell) => cell.scenario === name)?.storms.length ?? 0),
      ]),
    ),
    scenarios: about,
    cells: possible.flatMap(({ name }) => cellsOf(name, reads, rounds.get(name)!)),
    missing: Object.fromEntries(
      strategies.filter(({ needsSimdjson }) => needsSimdjson && reason).map(({ name }) => [name, reason!]),
    ),
    notes: Object.fromEntries(strategies.map(({ name, note }) => [name, note])),
    reviverCalls: countReviverCalls(),
  }
}

/** Those that are named, or all where none is: names may be of other things. */
function chosen<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[],
): readonly T[] {
  const named = all.filter(({ name }) => names.includes(name))
  return named.length > 0 ? named : all
}

const isScenario = (name: string): boolean => SCENARIOS.some((scenario) => scenario.name === name)

/** @throws when a name is neither that of a strategy nor that of a scenario */
function assertKnown(only: readonly string[]): void {
  const names = [...allStrategies, ...SCENARIOS].map(({ name }) => name)
  const unknown = only.find((name) => !names.includes(name))
  if (unknown) throw new Error(`There is no strategy or scenario "${unknown}", only ${names.join(', ')}.`)
}
