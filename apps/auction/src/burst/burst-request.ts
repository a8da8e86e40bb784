import { type } from 'arktype'
import { DESIGN_NAMES } from './designs/burst-design.js'

/** Default and maximum size of a burst. */
export const FULL_BURST = { users: 50, lots: 107, waves: 5 } as const

/** A request may ask for fewer `users` or `waves`. */
export const BurstRequest = type({
  design: type.enumerated(...DESIGN_NAMES),
  users: type('number.integer >= 1').default(FULL_BURST.users),
  waves: type('number.integer >= 1').default(FULL_BURST.waves),
})

export type BurstRequest = typeof BurstRequest.infer
