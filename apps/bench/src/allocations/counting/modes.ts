/**
 * How V8 runs while it is counted: `written`, without its optimising compilers, which allocates what the code says, the same in every
 * run; `optimised`, as an application after a while, without the objects that the compilers see are not needed; `collected`, as
 * `optimised`, with a young generation of the default size.
 */
export type Mode = 'written' | 'optimised' | 'collected'

interface Settings {
  readonly flags: readonly string[]
  /** Reads before those that count. */
  readonly warmUps: number
  /** Runs of which the least counts; of collections, reads. */
  readonly runs: number
}

/** Nothing in other threads, so that compilers and collector come at the same moment in every run. */
const steady = ['--single-threaded', '--predictable', '--random-seed=1']
const everyObject = [
  '--sampling-heap-profiler-suppress-randomness',
  // One sample would stand for several objects that compiled code allocates in one go.
  '--no-turbo-allocation-folding',
  '--maglev-allocation-folding=0',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
]

export const MODES: Readonly<Record<Mode, Settings>> = {
  written: { flags: [...steady, ...everyObject, '--no-opt', '--no-maglev'], warmUps: 500, runs: 8 },
  optimised: { flags: [...steady, ...everyObject], warmUps: 10_000, runs: 8 },
  collected: {
    flags: [...steady, '--min-semi-space-size=16', '--max-semi-space-size=16'],
    warmUps: 10_000,
    runs: 20_000,
  },
}
