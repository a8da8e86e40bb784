/** One way to do something, many times. */
export interface CostTask {
  readonly group: string
  readonly name: string
  /** Sequential calls of {@link run} in one sample. */
  readonly times: number
  /** Samples, if it takes too long for those of the suite. */
  readonly rounds?: number
  /** Whether the longest turn of the event loop counts as well. */
  readonly watchesTurns?: true
  /** Before each sample, not measured. */
  prepare?(): Promise<void>
  run(): Promise<unknown>
  /** @throws when the work does not do what it should */
  verify(): Promise<void>
}
