import { median } from '../measure/statistics.ts'
import type { Figure } from '../figure.ts'
import { OPERATIONS, type OperationName } from './operations.ts'
import type { RoundtripMeasurements } from './roundtrip-measurements.ts'

/** Ours alone, and ours beside v1: medians over the fixtures, and what large and joined values take. */
export function figuresOf(measurements: RoundtripMeasurements): Readonly<Record<string, Figure>> {
  const { throughput, latency, sizes, coalescing } = measurements
  const figures: Record<string, Figure> = {}
  for (const operation of throughput.length > 0 ? OPERATIONS : []) {
    const ratios = ratiosOf(measurements, operation)
    figures[`${operation}, times v1`] = { value: rounded(median(ratios)), unit: '×', better: 'higher' }
    figures[`${operation}, worst fixture, times v1`] = {
      value: rounded(Math.min(...ratios)),
      unit: '×',
      better: 'higher',
    }
  }
  const ours = latency.filter(({ candidate }) => candidate === 'model-cache')
  if (ours.length > 0) {
    figures['p99 under load'] = { value: median(ours.map(({ p99Us }) => p99Us)), unit: 'µs', better: 'lower' }
  }
  for (const { bytes, timings } of sizes) {
    const record = timings['record format']!
    figures[`record format, ${sizeOf(bytes)}`] = { value: Math.round(record.ns), unit: 'ns', better: 'lower' }
  }
  const most = coalescing.at(-1)
  if (most) {
    const { ns } = most.timings['record format']!
    const name = `record format, ${most.reads.toLocaleString('en')} of ${sizeOf(most.bytes)}`
    figures[name] = { value: Math.round(ns / 1000), unit: 'µs', better: 'lower' }
  }
  return figures
}

/** How many times as many operations a second this library does as v1, by fixture. */
export function ratiosOf({ throughput }: RoundtripMeasurements, operation: OperationName): number[] {
  const here = throughput.filter((cell) => cell.operation === operation)
  return here.flatMap((cell) => {
    const v1 = here.find(({ candidate, fixture }) => candidate === 'v1' && fixture === cell.fixture)
    return cell.candidate === 'model-cache' && v1 ? [cell.perSecond / v1.perSecond] : []
  })
}

/** About so many, in the unit that suits: "0.1 kB", "1 MB". */
export function sizeOf(bytes: number): string {
  const exponent = Math.round(Math.log10(bytes))
  return exponent < 6 ? `${10 ** (exponent - 3)} kB` : `${10 ** (exponent - 6)} MB`
}

const rounded = (value: number): number => Math.round(value * 100) / 100
