import { compare } from './compare.ts'
import { readme } from './readme.ts'
import { report } from './report.ts'

/** A word that `npm run bench --` takes beside the suites. */
export interface Command {
  readonly name: string
  readonly usage: string
  readonly purpose: string
  /** Takes the arguments after the name; returns the exit code. */
  run(args: readonly string[]): Promise<number>
}

export const commands: readonly Command[] = [
  {
    name: 'report',
    usage: 'report [--from FOLDER] [--out FILE]',
    purpose: 'Writes all stored results with charts and tables: dist/bench/report.html and report.md.',
    run: report,
  },
  {
    name: 'compare',
    usage: 'compare BASE [SUITE…] [--rounds N] [--threshold PERCENT] [--only NAME]…',
    purpose: 'Runs suites of another revision and of the working tree in turn; exits with 1 on a regression.',
    run: compare,
  },
  {
    name: 'readme',
    usage: 'readme [--check]',
    purpose: 'Writes figures of stored results into README and docs; --check only compares.',
    run: readme,
  },
]
