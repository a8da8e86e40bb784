/** A word that `npm run bench --` takes beside the suites. */
export interface Command {
  readonly name: string
  readonly usage: string
  readonly purpose: string
  /** Takes the arguments after the name; returns the exit code. */
  load(): Promise<(args: readonly string[]) => Promise<number>>
}

export const commands: readonly Command[] = [
  {
    name: 'report',
    usage: 'report [--from FOLDER] [--out FILE]',
    purpose: 'Writes all stored results with charts and tables: dist/bench/report.html and report.md.',
    load: async () => (await import('./report.ts')).report,
  },
  {
    name: 'compare',
    usage: 'compare BASE [SUITE…] [--rounds N] [--threshold PERCENT] [--only NAME]…',
    purpose: 'Runs suites of another revision and of the working tree in turn; exits with 1 on a regression.',
    load: async () => (await import('./compare.ts')).compare,
  },
  {
    name: 'readme',
    usage: 'readme [--check]',
    purpose: 'Writes figures of stored results into README and docs; --check only compares.',
    load: async () => (await import('./readme.ts')).readme,
  },
]
