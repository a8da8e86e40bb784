/** What torture takes of the bench and needs no build, so that the list of suites needs none. */
export {
  defineComparison,
  type Comparison,
  type Run,
  type Suite,
  type Variant,
} from '../../../apps/bench/src/harness/comparison.ts'
export { comparedWith } from '../../../apps/bench/src/harness/format.ts'
export { requireSame } from '../../../apps/bench/src/harness/http/served.ts'
export { intervalOfRates } from '../../../apps/bench/src/harness/interval.ts'
export {
  type Methods,
  serveParent,
  startProcess,
  tellParent,
  type Process,
  type ProcessOptions,
} from '../../../apps/bench/src/harness/process.ts'
export { collectGarbage, cpuTime, processorTimes } from '../../../apps/bench/src/harness/processor.ts'
export { say } from '../../../apps/bench/src/harness/progress.ts'
export { inRounds, medians, rounded } from '../../../apps/bench/src/harness/rounds.ts'
export { inPercent, notes, table } from '../../../apps/bench/src/harness/section.ts'
export { quantile, slopeOf, spread, sum, type Slope } from '../../../apps/bench/src/harness/statistics.ts'
export { higher, lower, type Figures } from '../../../apps/bench/src/harness/figure.ts'
export { watchLoop, type LoopDelays } from '../../../apps/bench/src/harness/watch-loop.ts'
