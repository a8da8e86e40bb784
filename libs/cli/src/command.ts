/** A command was called in a way that cannot work; the message says what to do. */
export class UsageError extends Error {}

/** A command of `npx model-cache`. */
export interface Command {
  /** How it is called, and its options. */
  readonly usage: string
  /**
   * Runs it.
   *
   * @param args behind the name of the command
   * @returns the exit code: 0, or 1 if what it was asked for is not as it should be
   * @throws UsageError, ModelCacheError
   */
  run(args: readonly string[], output: Output): Promise<number>
}

export interface Output {
  /** Writes a line to the standard output. */
  line(text: string): void
  /** The folder in which the command was called. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
}
