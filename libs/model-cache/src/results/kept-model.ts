import { parseBytes } from '../cache/policy/byte-size.js'
import { l1OptionsOf, type L1Settings } from '../cache/policy/definition.js'
import { type Duration, parseDuration } from '../cache/policy/duration.js'
import { L1Results } from '../cache/results/l1-results.js'
import type { ModelObserver } from '../cache/telemetry/observer.js'
import { invalidOptionError } from '../configuration-errors.js'
import type { ModelResultOptions, ResultOptions } from '../source/query-results.js'

/** How long results of single queries may be kept at most. */
export const dayMs = 86_400_000

/** For how long results are kept, in milliseconds. */
export interface ResultLives {
  readonly ttlMs: number
  readonly staleForMs: number
}

/** How results that read a model are kept. */
export interface KeptModel extends ResultLives {
  /** The fields by whose values they end. */
  readonly by: readonly string[]
  /** Bytes of results of its queries above which they are compressed; undefined if none are. */
  readonly compressAboveBytes: number | undefined
  /** What keeps results of its queries in memory; undefined if results that read the model do not stay there. */
  readonly l1: L1Results | undefined
}

/** @throws ConfigurationError */
export function keptModelOf(
  name: string,
  kept: ModelResultOptions,
  observerOf: (model: string) => ModelObserver,
): KeptModel {
  const { by = [], compress, l1 } = kept
  const option = `reads.results.${name}`
  const lives = livesOf(kept, option)
  return {
    ...lives,
    by: [by].flat(),
    compressAboveBytes: compress && parseBytes(compress.above, `${option}.compress.above`),
    l1:
      l1 && new L1Results(l1OptionsOf(l1 as L1Settings, lives.ttlMs, name, `${option}.l1`), observerOf(name)),
  }
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
