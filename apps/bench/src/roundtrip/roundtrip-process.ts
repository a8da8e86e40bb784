/** The process of one part of the suite. */
import { answerParent } from '../measure/answer-parent.ts'
import type { Effort } from '../measure/interleave.ts'
import { verify, type Verified } from '../codec/verified-candidate.ts'
import { candidateFor, FIXTURES, type CandidateName } from './candidates.ts'
import { measureCoalescing } from './coalescing.ts'
import { measureLatency, type Latencies } from './latency.ts'
import { idle, operationOf, OPERATIONS } from './operations.ts'
import type { RoundtripTask, ThroughputAnswer } from './protocol.ts'
import { measureSizes } from './sizes.ts'
import { measureThroughput } from './throughput.ts'

const FULL: Effort = { warmUpMs: 100, rounds: 15, batchMs: 12 }
const QUICK: Effort = { warmUpMs: 10, rounds: 3, batchMs: 2 }

answerParent((task: RoundtripTask) => {
  switch (task.part) {
    case 'throughput':
      return throughputs(verified(task.candidate), task.operations)
    case 'latency':
      return latencies(verified(task.candidate), task)
    case 'sizes':
      return measureSizes(task.quick ? QUICK : FULL, task.hasSimdjson)
    case 'coalescing':
      return measureCoalescing(task.quick ? QUICK : FULL)
  }
})

/** All models before any is timed, as in an application: shared code has then seen the shapes of all of them. */
const verified = (name: CandidateName): ReadonlyMap<string, Verified> =>
  new Map(FIXTURES.map((fixture) => [fixture.name, verify(fixture, candidateFor(name, fixture))]))

async function throughputs(
  all: ReadonlyMap<string, Verified>,
  operations: number,
): Promise<ThroughputAnswer> {
  const fixtures: Record<string, Record<string, number>> = {}
  for (const [fixture, candidate] of all) {
    const cells: Record<string, number> = (fixtures[fixture] = {})
    for (const name of OPERATIONS) {
      cells[name] = await measureThroughput(operationOf(name, candidate), operations)
    }
  }
  return {
    fixtures: fixtures as ThroughputAnswer['fixtures'],
    idle: await measureThroughput(idle, operations),
  }
}

async function latencies(
  all: ReadonlyMap<string, Verified>,
  { operations, intervalsUs }: Extract<RoundtripTask, { part: 'latency' }>,
): Promise<Record<string, Latencies>> {
  const answer: Record<string, Latencies> = {}
  for (const [fixture, candidate] of all) {
    const operation = operationOf('round trip', candidate)
    // Warm before anything is due.
    await measureThroughput(operation, operations / 4)
    answer[fixture] = await measureLatency(operation, operations, intervalsUs[fixture]!)
  }
  return answer
}
