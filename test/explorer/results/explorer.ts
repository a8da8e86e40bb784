import { explorerOf } from '../explorations.ts'
import { reportUnder, type Report } from '../report.ts'
import { stepsFrom } from './actions/all.ts'
import { keyOf } from './key.ts'
import { brokenIn } from './promises.ts'
import { protocol } from './rules.ts'
import { initialState, type Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import { limits, mutants } from './variations.ts'

export const explorer = explorerOf({
  model: { initialState, stepsFrom, keyOf, brokenIn },
  protocol,
  scenarios,
  mutants,
  limits,
  usual: ['stale result', 'stale until TTL'],
  promising: (breach) => ({ promises: [breach] }),
})

export const report: Report<Scenario> = reportUnder('Results', 'results')
