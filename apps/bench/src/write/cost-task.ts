/** One way to do something, again and again. */
export interface CostTask {
  readonly group: string
  readonly name: string
  /** How many times {@link run} is called in one sample, one after the other. */
  readonly times: number
  /** Before each sample, and not measured. */
  prepare?(): Promise<void>
  run(): Promise<unknown>
  /** Before anything is measured. @throws when the work is not what it should be */
  verify(): Promise<void>
}
