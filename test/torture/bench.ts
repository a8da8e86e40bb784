/** What the programs take of the bench: the form of a suite and of its sections, servers, processes, statistics. */
export { choose } from '../../apps/bench/src/harness/choose.ts'
export { comparedWith } from '../../apps/bench/src/harness/format.ts'
export { startProcess, type Process } from '../../apps/bench/src/harness/process.ts'
export { say } from '../../apps/bench/src/harness/progress.ts'
export { inRounds, medians, rounded } from '../../apps/bench/src/harness/rounds.ts'
export { inPercent, notes, table, type Section } from '../../apps/bench/src/harness/section.ts'
export { openPostgres, openValkey, usageOf, type BenchValkey } from '../../apps/bench/src/harness/servers.ts'
export { quantile, slopeOf, spread, sum, type Slope } from '../../apps/bench/src/harness/statistics.ts'
export {
  defineSuite,
  higher,
  lower,
  type Figures,
  type RunOptions,
} from '../../apps/bench/src/harness/suite.ts'
