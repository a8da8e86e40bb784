import { type } from 'arktype'
import { DESIGN_NAMES } from './designs/storm-design.js'

/** What a storm is, unless asked otherwise, and the most that it may be. */
export const STORM = { users: 50, lots: 107, waves: 5 } as const

/** A smaller storm may be asked for, by the number of `users` or of `waves`. */
export const StormRequest = type({
  design: type.enumerated(...DESIGN_NAMES),
  users: type('number.integer >= 1').default(STORM.users),
  waves: type('number.integer >= 1').default(STORM.waves),
})

export type StormRequest = typeof StormRequest.infer
