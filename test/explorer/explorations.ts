import type { Breach } from './model.ts'
import { limits } from './limits.ts'
import { mutants } from './mutants.ts'
import { protocol } from './rules.ts'
import type { Scenario } from './scenario.ts'
import { explore } from './search.ts'
import type { Exploration } from './search.ts'
import { settingOf } from './variation.ts'
import type { Variation } from './variation.ts'

export interface Passed extends Exploration {
  readonly scenario: Scenario
}

export interface Caught {
  readonly name: string
  /** Of the scenario. */
  readonly within: string
  readonly breach: Breach
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
    passed: scenarios.map((scenario) => ({ scenario, ...explore({ scenario, rules: protocol }) })),
    mutants: mutants.flatMap(caughtIn),
    limits: limits.flatMap(caughtIn),
  }
}

function caughtIn(variation: Variation): Caught[] {
  return variation.breaches.map((breach) => {
    const setting = settingOf(variation, breach)
    const { traces } = explore(setting, breach)
    return { name: variation.name, within: setting.scenario.name, breach, trace: traces.get(breach) }
  })
}
