import { median, spread } from '../measure/statistics.ts'
import type { CandidateName } from './candidates.ts'
import { OPERATIONS } from './operations.ts'
import type { LatencyAnswer, ThroughputAnswer } from './protocol.ts'
import type { LatencyCell, ThroughputCell } from './roundtrip-measurements.ts'
import { CONCURRENCY } from './throughput.ts'

type Answers<Answer> = ReadonlyMap<CandidateName, readonly Answer[]>

export function throughputCells(answers: Answers<ThroughputAnswer>): {
  cells: ThroughputCell[]
  idlePerSecond: number
} {
  const cells = [...answers].flatMap(([candidate, rounds]) =>
    Object.keys(rounds[0]!.fixtures).flatMap((fixture) =>
      OPERATIONS.map((operation) => {
        const values = rounds.map(({ fixtures }) => fixtures[fixture]![operation])
        return {
          candidate,
          fixture,
          operation,
          perSecond: Math.round(median(values)),
          spread: rounded(spread(values), 3),
        }
      }),
    ),
  )
  const idle = [...answers.values()].flat().map((answer) => answer.idle)
  return { cells, idlePerSecond: Math.round(median(idle)) }
}

/** Twice what v1 takes for as many round trips as are due at a time: a load that every candidate can bear. */
export function intervalsOf(cells: readonly ThroughputCell[]): Record<string, number> {
  return Object.fromEntries(
    cells
      .filter(({ candidate, operation }) => candidate === 'v1' && operation === 'round trip')
      .map(({ fixture, perSecond }) => [fixture, Math.round((2 * CONCURRENCY * 1e6) / perSecond)]),
  )
}

export function latencyCells(answers: Answers<LatencyAnswer>): LatencyCell[] {
  return [...answers].flatMap(([candidate, rounds]) =>
    Object.keys(rounds[0]!).map((fixture) => {
      const latencies = rounds.map((round) => round[fixture]!)
      const maxima = latencies.map(({ maxUs }) => maxUs)
      return {
        candidate,
        fixture,
        p99Us: Math.round(median(latencies.map(({ p99Us }) => p99Us))),
        maxUs: Math.round(median(maxima)),
        worstUs: Math.round(Math.max(...maxima)),
      }
    }),
  )
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
