import type { WorldVariation } from '../explorations.ts'
import type { Fault } from './fault.ts'
import type { Breach } from './model.ts'
import type { Rules } from './rules.ts'
import type { ScenarioKey } from './scenarios.ts'

export type Variation = WorldVariation<Rules, Fault, ScenarioKey, Breach>
