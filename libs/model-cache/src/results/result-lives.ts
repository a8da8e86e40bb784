import { type Duration, parseDuration } from '../cache/policy/duration.js'
import { invalidOptionError } from '../configuration-errors.js'
import type { ResultOptions } from '../source/query-results.js'

/** How long results of single queries may be kept at most. */
export const dayMs = 86_400_000

/** For how long results are kept, in milliseconds. */
export interface ResultLives {
  readonly ttlMs: number
  readonly staleForMs: number
}

/** @throws ConfigurationError */
export function livesOf({ staleFor, ttl }: ResultOptions, option: string): ResultLives {
  const ttlMs = parseDuration(ttl as Duration, option, 'ttl')
  const staleForMs = staleFor === undefined ? 0 : parseDuration(staleFor as Duration, option, 'staleFor')
  if (option === 'cached' && ttlMs + staleForMs > dayMs)
    throw invalidOptionError('cached.ttl', ttl, 'a day at most, `staleFor` included')
  return { ttlMs, staleForMs }
}

/** Returns the shortest of some lives; undefined if there is none for one of the models. */
export function shortestOf(lives: readonly (ResultLives | undefined)[]): ResultLives | undefined {
  if (!lives.every((each) => each !== undefined)) return undefined
  return {
    ttlMs: Math.min(...lives.map(({ ttlMs }) => ttlMs)),
    staleForMs: Math.min(...lives.map(({ staleForMs }) => staleForMs)),
  }
}
