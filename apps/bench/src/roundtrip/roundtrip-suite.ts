import { join } from 'node:path'
import { inTurn } from '../measure/in-turn.ts'
import { runInChild } from '../measure/run-in-child.ts'
import { say } from '../progress.ts'
import { buildSimdjson } from '../simdjson/simdjson.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { CANDIDATES, type CandidateName } from './candidates.ts'
import { figuresOf } from './figures.ts'
import { presentRoundtrip } from './present-roundtrip.ts'
import type { LatencyAnswer, RoundtripTask, ThroughputAnswer } from './protocol.ts'
import type { RoundtripMeasurements } from './roundtrip-measurements.ts'
import { intervalsOf, latencyCells, throughputCells } from './summarise.ts'
import { CONCURRENCY } from './throughput.ts'

const FULL = { rounds: 3, operations: 20_000 }
const QUICK = { rounds: 1, operations: 500 }
const PARTS = ['operations', 'sizes', 'coalescing'] as const
const PROCESS = join(import.meta.dirname, 'roundtrip-process.ts')

/** Rows to stored bytes and back, many at a time: this library beside the two designs that it follows. */
export const roundtripSuite: Suite<RoundtripMeasurements> = {
  packages: ['@prisma/client', 'arktype', 'fast-json-stringify', 'simdjson'],
  run: measure,
  present: presentRoundtrip,
  figures: figuresOf,
}

async function measure({ quick, only }: RunOptions): Promise<RoundtripMeasurements> {
  const unknown = only.find((name) => !PARTS.includes(name as never))
  if (unknown) throw new Error(`There is no part "${unknown}", only ${PARTS.join(', ')}.`)
  const isChosen = (part: (typeof PARTS)[number]): boolean => only.length === 0 || only.includes(part)
  const effort = quick ? QUICK : FULL
  const reason = isChosen('sizes') ? buildSimdjson() : undefined
  const ask = <Answer>(task: RoundtripTask): Promise<Answer> => runInChild(PROCESS, task)
  const parsers = { quick, hasSimdjson: reason === undefined }
  const operations = isChosen('operations') ? await measureOperations(effort, ask) : noOperations
  if (isChosen('sizes')) say('Sizes …')
  const sizes = isChosen('sizes')
    ? await ask<RoundtripMeasurements['sizes']>({ part: 'sizes', ...parsers })
    : []
  if (isChosen('coalescing')) say('Coalescing …')
  const coalescing = isChosen('coalescing')
    ? await ask<RoundtripMeasurements['coalescing']>({ part: 'coalescing', ...parsers })
    : []
  return {
    concurrency: CONCURRENCY,
    ...effort,
    ...operations,
    sizes,
    coalescing,
    ...(reason !== undefined && { simdjsonMissing: reason }),
  }
}

type Operations = Pick<RoundtripMeasurements, 'throughput' | 'idlePerSecond' | 'intervalsUs' | 'latency'>

const noOperations: Operations = { throughput: [], idlePerSecond: 0, intervalsUs: {}, latency: [] }

/** Each candidate in new processes, in turn with the others; the latencies last, as their load follows from v1's throughput. */
async function measureOperations(
  { rounds, operations }: typeof FULL,
  ask: <Answer>(task: RoundtripTask) => Promise<Answer>,
): Promise<Operations> {
  const inRounds = async <Answer>(
    what: string,
    task: (candidate: CandidateName) => RoundtripTask,
  ): Promise<Map<CandidateName, Answer[]>> => {
    const answers = new Map(CANDIDATES.map((name) => [name, [] as Answer[]]))
    for (let round = 0; round < rounds; round++) {
      for (const name of inTurn(CANDIDATES, round)) {
        say(`${what}, round ${round + 1} of ${rounds}: ${name} …`)
        answers.get(name)!.push(await ask<Answer>(task(name)))
      }
    }
    return answers
  }
  const throughputs = await inRounds<ThroughputAnswer>('Throughput', (candidate) => ({
    part: 'throughput',
    candidate,
    operations,
  }))
  const throughput = throughputCells(throughputs)
  const intervalsUs = intervalsOf(throughput.cells)
  const latencies = await inRounds<LatencyAnswer>('Latency', (candidate) => ({
    part: 'latency',
    candidate,
    operations,
    intervalsUs,
  }))
  return {
    throughput: throughput.cells,
    idlePerSecond: throughput.idlePerSecond,
    intervalsUs,
    latency: latencyCells(latencies),
  }
}
