import type { WorldVariation } from './explorations.ts'
import type { Breach } from './model.ts'
import { protocol } from './rules.ts'
import type { Rules } from './rules.ts'
import type { Fault } from './fault.ts'
import type { Promised, Scenario, Setting } from './scenario.ts'
import { scenarios } from './scenarios.ts'
import type { ScenarioKey } from './scenarios.ts'

export type Variation = WorldVariation<Rules, Fault, ScenarioKey, Breach>

/** What a read is held to when this breach is looked for; a residue is seen without reading. */
const HELD_TO: Partial<Record<Breach, Promised>> = {
  'stale read after own write': 'read your writes',
  'non-monotonic read': 'monotonic reads',
  'stale although the invalidation came': 'fresh after delivery',
  'transient stale': 'fresh after COMMIT',
}

/** The world of the variation, where nothing but this breach counts: so its trace is the shortest there is. */
export function settingOf({ scenario: key, rules, faults }: Variation, breach: Breach): Setting {
  const scenario: Scenario = scenarios[key]
  const promise = HELD_TO[breach]
  return {
    scenario: { ...scenario, faults: { ...scenario.faults, ...faults }, promises: promise ? [promise] : [] },
    rules: { ...protocol, ...rules },
  }
}
