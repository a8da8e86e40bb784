import { stepsFrom } from './actions/all.ts'
import { keyOf } from './key.ts'
import { limits } from './limits.ts'
import type { Breach, State } from './model.ts'
import { mutants } from './mutants.ts'
import { brokenIn } from './promises.ts'
import { protocol } from './rules.ts'
import { initialState } from './scenario.ts'
import type { Scenario, Setting } from './scenario.ts'
import { explore } from './search.ts'
import type { Exploration, Model } from './search.ts'
import { settingOf } from './variation.ts'
import type { Variation } from './variation.ts'

const model: Model<State, Setting, Breach> = {
  initialState: ({ scenario }) => initialState(scenario),
  stepsFrom,
  keyOf,
  brokenIn: (state, { scenario }) => brokenIn(state, scenario),
}

export interface Passed extends Exploration {
  readonly scenario: Scenario
}

export interface Caught {
  readonly name: string
  /** Of the scenario. */
  readonly within: string
  readonly breach: string
  /** A shortest way to it, or undefined if there is none within the bounds. */
  readonly trace: readonly string[] | undefined
}

export interface Explorations {
  readonly passed: readonly Passed[]
  readonly mutants: readonly Caught[]
  readonly limits: readonly Caught[]
}

/** The protocol in every scenario; each mutant, and each limit, until its breaches have been found. */
export function exploreAll(scenarios: readonly Scenario[]): Explorations {
  return {
    passed: scenarios.map((scenario) => ({ scenario, ...explore(model, { scenario, rules: protocol }) })),
    mutants: mutants.flatMap(caughtIn),
    limits: limits.flatMap(caughtIn),
  }
}

function caughtIn(variation: Variation): Caught[] {
  return variation.breaches.map((breach) => {
    const setting = settingOf(variation, breach)
    const { traces } = explore(model, setting, breach)
    return { name: variation.name, within: setting.scenario.name, breach, trace: traces.get(breach) }
  })
}
