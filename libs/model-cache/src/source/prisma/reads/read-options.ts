import { invalidOptionError } from '../../../configuration-errors.js'
import { isPlain } from '../../plain.js'
import type { ModelResultOptions } from '../../query-results.js'
import type { Model, Models } from '../../schema-facts.js'
import type { ReadPlanning } from './read-planning.js'

/** What `reads` needs of a definition. */
export interface ReadDefinition {
  readonly name: string
  /** The Prisma model. */
  readonly model: string
}

/** The option `reads`: which queries the caches answer, and how. */
export interface ReadsOptions {
  /** @default 'all' */
  readonly caches?: readonly ReadDefinition[] | 'all'
  /**
   * The database answers. Behind it the library queries the caches, and counts and logs differences.
   * @default false
   */
  readonly shadow?: boolean
  /**
   * `'skip'`: caches that answer queries load their rows below the query hooks of the client of forRoot. Without it, the
   * application does not start if there are such hooks.
   */
  readonly hooks?: 'skip'
  /**
   * When a query with relations is answered from the caches of several models. `'queries'`: if Prisma would send a query for each
   * relation. `'always'`: also if it would send one with joins (`relationJoins`), whose result is one snapshot. `'never'`: the database
   * answers.
   * @default 'queries'
   */
  readonly compose?: Composing
  /**
   * `'any'`: findFirst without `orderBy` takes the first row of a list, where the database returns one that SQL does not define. Without
   * it, the database answers unless there is one row at most.
   */
  readonly findFirst?: 'any'
  /**
   * `'answer'`: caches answer also a query for a part of a long list, or for its length, for which this process reads all of its rows. It
   * takes the load off the database, and costs this process more. Without it, the database answers.
   */
  readonly longLists?: 'answer'
  /**
   * For how long results of queries are kept, by model: `{ Category: '1h', Order: { ttl: '30s', staleFor: '10s' } }`. A query that rows
   * do not answer is answered by its last result if all models that it reads are listed, until one of them is written. See
   * docs/results.md.
   * @default no results are kept
   */
  readonly results?: { readonly [model: string]: ModelResultOptions['ttl'] | ModelResultOptions }
}

export type Composing = 'queries' | 'always' | 'never'

/** `reads` of `extendPrisma`. */
export type Reads = readonly ReadDefinition[] | 'all' | 'shadow' | ReadsOptions

/** `reads` as it was validated. */
export interface ReadSettings {
  /** The names of the caches that answer, by model; undefined for all caches. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>> | undefined
  readonly isShadow: boolean
  readonly skipsHooks: boolean
  readonly composing: Composing
  readonly takesAnyRow: boolean
  readonly weighsCosts: boolean
  /** The options of results, by model; empty if no results are kept. */
  readonly results: ReadonlyMap<string, ModelResultOptions>
}

const expected =
  "a list of definitions, 'all', 'shadow', or { caches, shadow, hooks, compose, findFirst, longLists, results }"

/**
 * @param models the models of the client
 * @throws ConfigurationError
 */
export function readSettingsOf(reads: Reads, models: Models): ReadSettings {
  const isShort = reads === 'all' || reads === 'shadow' || Array.isArray(reads)
  if (!isShort && (typeof reads !== 'object' || reads === null))
    throw invalidOptionError('reads', reads, expected)
  const {
    caches = 'all',
    shadow = false,
    hooks,
    compose = 'queries',
    findFirst,
    longLists,
    results = {},
    ...others
  } = isShort ? optionsOf(reads) : (reads as ReadsOptions)
  for (const [name, value] of Object.entries(others))
    throw invalidOptionError(`reads.${name}`, value, 'no such option')
  if (typeof shadow !== 'boolean') throw invalidOptionError('reads.shadow', shadow, 'true or false')
  if (hooks !== undefined && hooks !== 'skip') throw invalidOptionError('reads.hooks', hooks, "'skip'")
  if (!['queries', 'always', 'never'].includes(compose))
    throw invalidOptionError('reads.compose', compose, "'queries', 'always' or 'never'")
  if (findFirst !== undefined && findFirst !== 'any')
    throw invalidOptionError('reads.findFirst', findFirst, "'any'")
  if (longLists !== undefined && longLists !== 'answer')
    throw invalidOptionError('reads.longLists', longLists, "'answer'")
  const names = namesOf(caches, isShort ? 'reads' : 'reads.caches', models)
  return {
    names,
    isShadow: shadow,
    skipsHooks: hooks === 'skip',
    composing: compose,
    takesAnyRow: findFirst === 'any',
    weighsCosts: longLists === undefined,
    results: resultsOf(results, models),
  }
}

function optionsOf(reads: 'all' | 'shadow' | readonly ReadDefinition[]): ReadsOptions {
  return reads === 'shadow' ? { shadow: true } : { caches: reads }
}

/** Durations are read where the results are created. */
function resultsOf(results: unknown, models: Models): ReadSettings['results'] {
  if (!isPlain(results))
    throw invalidOptionError('reads.results', results, "models with their durations, as { Category: '1h' }")
  const kept = new Map<string, ModelResultOptions>()
  for (const [name, given] of Object.entries(results)) {
    const option = `reads.results.${name}`
    const model = models.get(name)
    if (!model?.isVisible)
      throw invalidOptionError(option, given, 'a model of the client; it has no model of this name')
    if (model.isView)
      throw invalidOptionError(option, given, 'a model; writes to the tables of a view do not name the view')
    if (typeof given !== 'object' || given === null) {
      kept.set(name, { ttl: given as ModelResultOptions['ttl'] })
      continue
    }
    const { ttl, staleFor, prefer, by, compress, l1, follow, ...others } = given as ModelResultOptions
    for (const [key, value] of Object.entries(others))
      throw invalidOptionError(`${option}.${key}`, value, 'no such option')
    if (prefer !== undefined && typeof prefer !== 'boolean')
      throw invalidOptionError(`${option}.prefer`, prefer, 'true or false')
    if (follow !== undefined && follow !== 'required')
      throw invalidOptionError(`${option}.follow`, follow, "'required'")
    kept.set(name, {
      ttl,
      ...(staleFor !== undefined && { staleFor }),
      ...(prefer !== undefined && { prefer }),
      ...(by !== undefined && { by: fieldsOf(by, option, model) }),
      ...(compress !== undefined && { compress }),
      ...(l1 !== undefined && { l1: l1Of(l1, `${option}.l1`) }),
      ...(follow && { follow }),
    })
  }
  return kept
}

/** Checks which options there are. Their values are checked where the results are created. */
function l1Of(l1: unknown, option: string): NonNullable<ModelResultOptions['l1']> {
  if (!isPlain(l1)) throw invalidOptionError(option, l1, "an object, as { ttl: '10s' }")
  const { ttl, maxEntries, maxBytes, ...others } = l1
  for (const [key, value] of Object.entries(others))
    throw invalidOptionError(
      `${option}.${key}`,
      value,
      key === 'hot' ? 'left out: results are kept whatever reads them' : 'no such option',
    )
  return { ttl, maxEntries, maxBytes } as NonNullable<ModelResultOptions['l1']>
}

function fieldsOf(by: unknown, option: string, { name, scalars }: Model): readonly string[] {
  const fields = typeof by === 'string' ? [by] : by
  if (!Array.isArray(fields))
    throw invalidOptionError(`${option}.by`, by, `a field of ${name}, or a list of fields`)
  for (const field of fields as readonly unknown[])
    if (typeof field !== 'string' || !scalars.has(field))
      throw invalidOptionError(
        `${option}.by`,
        field,
        `a field of ${name}, which has ${[...scalars.keys()].join(', ')}`,
      )
  return [...new Set(fields as readonly string[])]
}

/**
 * Decides by the `relationLoadStrategy` of a query whether relations come from caches. With joins, the database returns rows and their
 * relations as of one moment.
 *
 * @param canJoin whether the client has the preview feature `relationJoins`
 * @param hasJoins whether its server has joins, which MariaDB has not
 */
export function composesFor(
  composing: Composing,
  canJoin: boolean,
  hasJoins: () => boolean,
): ReadPlanning['composes'] {
  return (strategy) => {
    const isTaken =
      strategy === undefined || (canJoin && (strategy === 'query' || (strategy === 'join' && hasJoins())))
    // Prisma refuses it.
    if (!isTaken) return undefined
    if (composing !== 'queries') return composing === 'always'
    return strategy === undefined ? !canJoin || !hasJoins() : strategy === 'query'
  }
}

function namesOf(
  caches: readonly ReadDefinition[] | 'all',
  option: string,
  models: ReadonlyMap<string, unknown>,
): ReadSettings['names'] {
  if (caches === 'all') return undefined
  if (!Array.isArray(caches)) throw invalidOptionError(option, caches, "a list of definitions, or 'all'")
  const names = new Map<string, Set<string>>()
  for (const definition of caches as readonly (Partial<ReadDefinition> & Record<string, unknown>)[]) {
    const { name, model, load, include } = definition ?? {}
    if (typeof name !== 'string' || typeof model !== 'string') {
      throw invalidOptionError(option, definition, 'definitions, as defineModelCache returns them')
    }
    if (!models.has(model)) {
      throw invalidOptionError(
        option,
        name,
        `definitions of models that the client has; it has no model "${model}"`,
      )
    }
    if (load ?? include) {
      const problem = load ? 'a `load`' : 'an `include`'
      throw invalidOptionError(
        option,
        name,
        `definitions whose rows are fields of their model; this one has ${problem}`,
      )
    }
    names.set(model, (names.get(model) ?? new Set()).add(name))
  }
  return names
}
