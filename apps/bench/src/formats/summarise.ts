import { median, spread } from '../measure/statistics.ts'
import type { Way } from './format.ts'
import type {
  Call,
  FormatCalls,
  FormatResult,
  OperationCalls,
  OperationResult,
} from './formats-measurements.ts'

/** The rounds of one format in one way as one result. */
export function summarise(name: string, way: Way, rounds: readonly FormatCalls[]): FormatResult {
  return {
    name,
    way,
    bytes: rounds[0]!.bytes,
    encode: summariseOperation(rounds.map(({ encode }) => encode)),
    decode: summariseOperation(rounds.map(({ decode }) => decode)),
  }
}

function summariseOperation(rounds: readonly OperationCalls[]): OperationResult {
  const calls = rounds.flatMap((round) => round.calls)
  const middle = (figure: (call: Call) => number) => rounded(median(calls.map(figure)), 2)
  return {
    ms: middle(({ ms }) => ms),
    cpuMs: middle(({ cpuMs }) => cpuMs),
    gcRuns: middle(({ gcRuns }) => gcRuns),
    gcMs: middle(({ gcMs }) => gcMs),
    spread: rounded(spread(calls.map(({ ms }) => ms)), 3),
    heapBytes: Math.round(median(rounds.map(({ heapBytes }) => heapBytes))),
    bufferBytes: Math.round(median(rounds.map(({ bufferBytes }) => bufferBytes))),
  }
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits))
