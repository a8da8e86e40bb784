/** A word that `npm run bench --` knows beside the suites. */
export interface Command {
  readonly name: string
  readonly usage: string
  readonly purpose: string
  /** Loaded only when asked for. Takes what follows its name; gives the exit code. */
  load(): Promise<(args: readonly string[]) => Promise<number>>
}
