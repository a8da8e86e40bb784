import type { Allocated } from '../measure/allocated-by.ts'
import type { Collections } from '../measure/watch-garbage.ts'
import type { Way } from './format.ts'

/** One call, over all trips. */
export interface Call extends Collections {
  /** By the clock: for how long the event loop stands still. */
  readonly ms: number
  /** Processor time, of all threads. */
  readonly cpuMs: number
}

export interface OperationCalls extends Allocated {
  readonly calls: readonly Call[]
}

/** What one process has measured. */
export interface FormatCalls {
  /** Of all messages together. */
  readonly bytes: number
  readonly encode: OperationCalls
  readonly decode: OperationCalls
}

export type Operation = 'encode' | 'decode'

/** Medians of the calls of all rounds. */
export interface OperationResult extends Call, Allocated {
  /** Of `ms`: half the distance of the quartiles, as a part of the median. */
  readonly spread: number
}

export interface FormatResult {
  readonly name: string
  readonly way: Way
  readonly bytes: number
  readonly encode: OperationResult
  readonly decode: OperationResult
}

export interface FormatsMeasurements {
  readonly trips: number
  readonly rounds: number
  readonly results: readonly FormatResult[]
  /** What has been done to tune a library, by its name. */
  readonly notes: Readonly<Record<string, string>>
}
