import type { Decision } from '../decision.ts'
import { checks } from './checks.ts'
import { consistency } from './consistency.ts'
import { hooks } from './hooks.ts'
import { compositeId, oneId } from './keys.ts'
import { noDecision, observers } from './observers.ts'

export const allDecisions: readonly Decision[] = [consistency, checks, observers, hooks, oneId, compositeId]

/** What every run begins with: the noise. */
export const noise: Decision = noDecision
