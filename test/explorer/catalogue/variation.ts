import type { WorldVariation } from '../explorations.ts'
import type { Breach } from './model.ts'
import { protocol } from './rules.ts'
import type { Rules } from './rules.ts'
import type { Fault } from './fault.ts'
import type { Scenario, Setting } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import type { ScenarioKey } from './scenarios.ts'

export type Variation = WorldVariation<Rules, Fault, ScenarioKey, Breach>

/** The world of the variation, where nothing but this breach counts: so its trace is the shortest there is. */
export function settingOf({ scenario: key, rules, faults }: Variation, breach: Breach): Setting {
  const scenario: Scenario = scenarios[key]
  return {
    scenario: { ...scenario, faults: { ...scenario.faults, ...faults }, promises: [breach] },
    rules: { ...protocol, ...rules },
  }
}
